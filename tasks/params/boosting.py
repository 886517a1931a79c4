"""LightGBM and XGBoost: their parameters that params.yaml may set. Both say nothing of them in a form to be read.

What is left out: files, ports and machines, devices, functions, the number of threads under other names, and what only
their own command lines use.
"""

import difflib
import re
from typing import Any

CLASSES = (
    "lightgbm.sklearn.LGBMClassifier",
    "lightgbm.sklearn.LGBMRegressor",
    "xgboost.sklearn.XGBClassifier",
    "xgboost.sklearn.XGBRegressor",
    "xgboost.sklearn.XGBRFClassifier",
    "xgboost.sklearn.XGBRFRegressor",
)
_LIGHTGBM_NUMBERS = """
alpha bagging_fraction bagging_freq bagging_seed bin_construct_sample_cnt boost_from_average cat_l2 cat_smooth
cegb_penalty_split cegb_tradeoff colsample_bynode colsample_bytree data_random_seed deterministic drop_rate drop_seed
enable_bundle extra_seed extra_trees fair_c feature_fraction feature_fraction_bynode feature_fraction_seed
feature_pre_filter force_col_wise force_row_wise histogram_pool_size is_enable_sparse is_unbalance lambda_l1 lambda_l2
learning_rate linear_lambda linear_tree max_bin max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_drop
min_child_samples min_child_weight min_data_in_bin min_data_in_leaf min_data_per_group min_gain_to_split min_split_gain
min_sum_hessian_in_leaf monotone_penalty n_estimators n_jobs neg_bagging_fraction num_class num_grad_quant_bins
num_leaves objective_seed other_rate path_smooth poisson_max_delta_step pos_bagging_fraction quant_train_renew_leaf
random_state reg_alpha reg_lambda reg_sqrt scale_pos_weight seed sigmoid skip_drop stochastic_rounding subsample
subsample_for_bin subsample_freq top_k top_rate tweedie_variance_power uniform_drop use_missing use_quantized_grad
verbose verbosity xgboost_dart_mode zero_as_missing
"""
_XGBOOST_NUMBERS = """
base_score colsample_bylevel colsample_bynode colsample_bytree early_stopping_rounds enable_categorical gamma
huber_slope learning_rate max_bin max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_leaves
min_child_weight missing n_estimators n_jobs num_parallel_tree one_drop quantile_alpha random_state rate_drop reg_alpha
reg_lambda scale_pos_weight skip_drop subsample tweedie_variance_power validate_parameters verbosity
"""
WORDS = r"[\w@.:-]+"  # a text with a space would add parameters: LightGBM joins them all to one line
_LOSSES = (
    "regression|regression_l1|regression_l2|l1|l2|huber|fair|poisson|quantile|mape|gamma|tweedie|binary|multiclass|"
    "multiclassova|cross_entropy|cross_entropy_lambda"
)
_CONSTRAINTS: dict[str, dict[str, list[Any]]] = {
    "lightgbm": {
        **{name: [] for name in _LIGHTGBM_NUMBERS.split()},
        "boosting_type": [re.compile("gbdt|rf|dart|goss")],
        "categorical_feature": [list],
        "class_weight": [re.compile("balanced"), dict],
        "data_sample_strategy": [re.compile("bagging|goss")],
        "importance_type": [re.compile("split|gain")],
        "interaction_constraints": [list],
        "max_bin_by_feature": [list],
        "metric": [re.compile(WORDS), list],
        "monotone_constraints": [list],
        "monotone_constraints_method": [re.compile("basic|intermediate|advanced")],
        "objective": [re.compile(_LOSSES)],
    },
    "xgboost": {
        **{name: [] for name in _XGBOOST_NUMBERS.split()},
        "booster": [re.compile("gbtree|gblinear|dart")],
        "device": [re.compile("cpu")],
        "eval_metric": [re.compile(WORDS), list],
        "feature_types": [list],
        "feature_weights": [list],
        "grow_policy": [re.compile("depthwise|lossguide")],
        "importance_type": [re.compile("gain|weight|cover|total_gain|total_cover")],
        "interaction_constraints": [list],
        "monotone_constraints": [re.compile(r"\([-\d, ]+\)"), dict, list],
        "multi_strategy": [re.compile("one_output_per_tree|multi_output_tree")],
        "normalize_type": [re.compile("tree|forest")],
        "objective": [re.compile(r"(reg|binary|multi|count|survival):[a-z0-9]+")],
        "sample_type": [re.compile("uniform|weighted")],
        "sampling_method": [re.compile("uniform")],
        "tree_method": [re.compile("auto|exact|approx|hist")],
    },
}


def constraints(kind: type[Any]) -> dict[str, list[Any]] | None:
    """What each parameter may be, next to a number; None for a class that is not of these packages."""
    base = _base(kind)
    return None if base is None else _CONSTRAINTS[_package(base)]


def refused_class(kind: type[Any]) -> str | None:
    """Why a class of these packages may not be used, as a client of Dask; None for a plain learner."""
    base = _base(kind)
    if base is None or _path(base) in CLASSES:
        return None
    names = ", ".join(path.replace(".sklearn.", ".") for path in CLASSES if path.startswith(_package(base)))
    return f"is {_path(base)}; of this package use {names}"


def refused_name(kind: type[Any], name: str) -> str | None:
    """Why a parameter may not be set; None for one that is listed, and for other packages."""
    known = constraints(kind)
    if known is None or name in known:
        return None
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "leave it out"
    return f"is not among the parameters of {kind.__name__} that params.yaml may set; {hint}"


def _base(kind: type[Any]) -> type[Any] | None:
    return next((base for base in kind.__mro__ if _package(base) in _CONSTRAINTS), None)


def _package(kind: type[Any]) -> str:
    return kind.__module__.partition(".")[0]


def _path(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
