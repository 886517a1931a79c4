"""Learners behind transformers, in a pipeline of scikit-learn.

| transformers | learner | its hypotheses |
|---|---|---|
| without a state, such as `Normalizer` | any learner with a shortcut | the learner's, on rows transformed once |
| `StandardScaler` | least squares, `GaussianNB` | with the deviations of each part |
| an affine map of each feature | `LinearDiscriminantAnalysis` by "svd" | the learner's, which rescales by itself |

An imputer of complete rows is without a state. A scaler before any other learner has to be fitted: lists of neighbours,
for example, change with the units of each part.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import heldout.shortcuts
from heldout.shortcuts import load, shortcut_class
from heldout.shortcuts.preconditions import Values, decline_on_error, features, valid_settings
from heldout.shortcuts.shortcut import Declined, Shortcut

_SAME = ("FunctionTransformer", "SimpleImputer")  # with the settings of `_changes_nothing`
_ROW_BY_ROW = ("Binarizer", "Normalizer", "PolynomialFeatures")
_AFFINE = ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler")
_SUPPORTED = (*_SAME, *_ROW_BY_ROW, *_AFFINE, "ColumnTransformer", "passthrough")
_LEAST_SQUARES = ("standardized_least_squares", "StandardizedLeastSquares")
_STANDARDIZED = {
    **dict.fromkeys(("LinearRegression", "Ridge", "RidgeClassifier"), _LEAST_SQUARES),
    "GaussianNB": ("standardized_gaussian_naive_bayes", "StandardizedGaussianNaiveBayes"),
}


def known(pipeline: Any) -> bool:
    """Whether all steps are supported, and the pipeline has no memory and passes on rows alone."""
    *before, last = _parts(pipeline)
    return heldout.shortcuts.known(last) and all(_name(part) in _SUPPORTED for part in before)


def of(pipeline: Any, X: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Shortcut:
    """The shortcut of a known, unfitted pipeline, as `heldout.shortcuts.find`. Raises Declined."""
    *before, last = _parts(pipeline)
    rows, scaler = features(X), None
    for part in before:
        if _changes_nothing(part):
            continue
        if _name(part) in _AFFINE and scaler is None:
            scaler = part
        elif _name(part) in _ROW_BY_ROW and scaler is None:
            rows = _transformed(part, rows)
        else:
            raise Declined(f"has {_name(part)} in front, which has to be fitted")
    of_last = shortcut_class(last) if scaler is None else _behind(scaler, last)
    shortcut: Shortcut = of_last.of(last, rows, y, weights)
    return shortcut


def on_numbers(learner: Any, X: Any) -> Any:
    """The learner that is equivalent to `learner` on complete tables of numbers with the columns of the data frame X.

    A pipeline may begin with transformers of columns by dtype or kind, as with `preprocess: auto`. If one of them takes
    all columns, the result begins with this transformer instead. Any other learner is returned unchanged.
    """
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.pipeline import Pipeline

    first: Any = learner.steps[0][1] if type(learner) is Pipeline else None
    if type(first) is not ColumnTransformer or first.transformer_weights is not None:
        return learner
    from heldout.preprocessing import OfKind

    if not all(type(columns) in (make_column_selector, OfKind) for *_, columns in first.transformers):
        return learner
    chosen = [(part, of_part) for _, part, columns in first.transformers if len(of_part := columns(X))]
    if [len(of_part) for _, of_part in chosen] != [X.shape[1]]:
        return learner
    return Pipeline([("columns", chosen[0][0]), *learner.steps[1:]], memory=learner.memory)


def _parts(pipeline: Any) -> list[Any]:
    """The transformers and the learner; a single empty text for a pipeline that does more."""
    if pipeline.memory is not None or pipeline.transform_input is not None or not pipeline.steps:
        return [""]
    parts = [part for _, part in pipeline.steps]
    return [inner for part in parts for inner in (_parts(part) if _name(part) == "Pipeline" else [part])]


def _name(part: Any) -> str:
    """The name of a class of scikit-learn itself, or "passthrough"; empty for others."""
    if part is None or (isinstance(part, str) and part == "passthrough"):
        return "passthrough"
    of_type = type(part)
    return of_type.__name__ if of_type.__module__.startswith("sklearn.") else ""


def _changes_nothing(part: Any) -> bool:
    """Whether a transformer leaves complete rows of numbers as they are."""
    if _name(part) == "SimpleImputer":
        missing = part.missing_values
        return isinstance(part.strategy, str) and isinstance(missing, float) and missing != missing
    return _name(part) == "passthrough" or (_name(part) == "FunctionTransformer" and part.func is None)


def _transformed(part: Any, rows: Values) -> Values:
    from sklearn.base import clone

    with decline_on_error():
        return features(clone(part).fit_transform(rows))


def _behind(scaler: Any, last: Any) -> Any:
    """The shortcut class of a learner behind a scaler of each feature."""
    valid_settings(scaler)
    name = _name(last)
    if name == "LinearDiscriminantAnalysis" and last.solver == "svd" and not getattr(scaler, "clip", False):
        return shortcut_class(last)
    if name not in _STANDARDIZED or _name(scaler) != "StandardScaler" or not (scaler.with_mean and scaler.with_std):
        raise Declined(f"has {type(last).__name__} behind {_name(scaler)}, which have to be fitted together")
    return load(*_STANDARDIZED[name])
