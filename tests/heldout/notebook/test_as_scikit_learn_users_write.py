"""What a user of scikit-learn tries: names of arguments, learners, shapes of y, and a result that can be kept."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import heldout
from heldout.errors import BadArgument, FitFailure

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
BAYES = {"bayes": GaussianNB()}
# with their defaults, on three columns and one number; each has its reason in the message
REFUSED = {
    "classifier": {"SelfTrainingClassifier"},
    "regressor": {
        *("CCA", "PLSCanonical", "IsotonicRegression", "GammaRegressor", "PoissonRegressor"),
        *("MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV"),
    },
}


def validate(learners=BAYES, X=X, y=Y, **more):
    return heldout.validate(learners, X, y, **{"estimates": ["E_val", "E_cv"], "progress": False, **more})


def test_cv_and_random_state_are_folds_and_seed_and_none_is_one_process():
    assert validate(folds=4, seed=7) == validate(cv=4, random_state=7, n_jobs=None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scoring": "roc_auc"}, "select('E_auc') chooses by it"),
        ({"scoring": "neg_log_loss"}, "say loss='log'"),
        ({"cv": 5, "folds": 4}, "cv is 5, and folds is 4: both mean the number of folds"),
        ({"cv": "five"}, "it must be a number of folds, a splitter, or a list of pairs"),
        ({"cv": KFold(4), "folds": 5}, "both say which folds"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "each row must be tested once"),
        ({"cv": PredefinedSplit([-1, *np.arange(89) % 3])}, "which never tests row 0"),
        ({"cv": [(np.arange(45), np.arange(90, 120))]}, "it must be a number of folds"),
        ({"cv": [(np.arange(90), np.arange(90))]}, "and 90 in both"),
        ({"cv": KFold(3), "groups": np.arange(90) % 30}, "rows of a group in several folds; take GroupKFold"),
        ({"cv": KFold(3), "time": np.arange(90)}, "the folds of rows in time are later rows"),
        ({"random_state": np.random.default_rng()}, "it must be a whole number, as seed is"),
    ],
)
def test_what_does_not_mean_ours_is_refused_with_our_name(arguments, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        validate(**arguments)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(4),
        StratifiedKFold(5, shuffle=True, random_state=1),
        PredefinedSplit(np.arange(90) % 3),
        [(np.flatnonzero(np.arange(90) % 2 != part), np.flatnonzero(np.arange(90) % 2 == part)) for part in (0, 1)],
        LeaveOneOut(),
    ],
    ids=["k-fold", "stratified", "predefined", "pairs", "leave-one-out"],
)
def test_a_splitter_gives_the_error_of_cross_validate_and_an_interval(cv):
    learner = DecisionTreeClassifier(max_depth=3, random_state=0)
    made = validate({"tree": learner}, cv=cv)
    predicted = cross_val_predict(learner, X, Y, cv=cv)
    assert made["tree"]["E_cv"].value == pytest.approx(np.mean(predicted != Y), abs=1e-12)
    assert made["tree"]["E_cv"].low < made["tree"]["E_cv"].value < made["tree"]["E_cv"].high
    assert made["tree"]["E_val"] == validate({"tree": learner})["tree"]["E_val"]  # no other part changes


def test_groups_and_a_splitter_of_groups():
    groups = np.arange(90) // 3
    made = validate(cv=GroupKFold(5), groups=groups)
    for split in made.design.splits("cross_validation"):
        assert not {*groups[split.train]} & {*groups[split.validation]}
    assert "independent groups" in made["bayes"]["E_cv"].assumption


def test_a_splitter_that_shuffles_has_the_seed_of_the_call():
    shuffled = KFold(4, shuffle=True)
    assert validate(cv=shuffled, seed=3) == validate(cv=shuffled, seed=3)
    assert shuffled.random_state is None


@pytest.mark.parametrize("y", [Y[:, None], Y.tolist(), pd.Series(Y, name="kind"), pd.DataFrame({"kind": Y})])
def test_labels_may_be_a_column_a_list_or_a_series(y):
    assert validate() == validate(y=y)


def test_texts_as_labels_of_a_series():
    made = validate(y=pd.Series(np.where(Y, "yes", "no")))
    assert [one.value for one in validate().estimates] == [one.value for one in made.estimates]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"y": [("a", "b"), ("a",)] * 45}, "as sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y) does"),
        ({"y": [{"a", "b"}, {"a"}] * 45}, "y has a set of labels for each row; give a column for each label"),
        ({"y": np.empty((90, 0))}, "y has shape (90, 0); it must be (90,)"),
        ({"y": "target"}, "y is 'target'; it must hold one label for each of 90 rows"),
        ({"y": None}, "y is None; it must hold one label for each of 90 rows"),
        ({"y": iter(Y)}, "a list, an array, or a column of a frame"),
        ({"X": X[:, 0]}, "for a single column give a data frame, or reshape(-1, 1)"),
        ({"X": pd.Series(X[:, 0])}, "for a single column give a data frame, or reshape(-1, 1)"),
    ],
)
def test_rows_that_are_no_table_and_labels_that_are_sets_are_refused_with_the_remedy(rows, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        validate(**rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": [""] * 40 + [*range(50)]}, "groups has a row whose group is missing"),
        ({"time": np.repeat(range(6), [40, 10, 10, 10, 10, 10]), "folds": 5}, "a fold would be empty; use 3 folds"),
        ({"y": ["a"] + ["b"] * 89, "folds": 4}, "single row"),
        ({"learners": {"ridge": Ridge()}, "loss": "brier"}, "it is a regressor; take a classifier"),
        ({"y": [*Y[:60].tolist(), *"abcdefghijklmnopqrstuvwxyzabcd"]}, "y mixes labels of the types int, str"),
    ],
)
def test_what_is_unclear_is_refused_with_what_works(arguments, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        validate(**arguments)


def test_r2_of_leave_one_out_says_that_a_fold_of_one_row_has_none():
    made = validate({"ridge": Ridge()}, y=X[:, 0] + Y, folds=90, estimates=["E_cv"])
    with pytest.raises(BadArgument, match="no value on a part of 1 row.*use fewer folds"):
        made.metric("r2")


def test_a_memory_map_and_labels_of_other_libraries_are_taken(tmp_path):
    mapped = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    assert validate() == validate(X=np.memmap(tmp_path / "X", dtype=float, mode="r", shape=X.shape))
    texts = np.where(Y, "yes", "no")
    of_texts = validate(y=texts)
    for y in (pd.Series(texts, dtype="string"), pd.Series(texts, dtype="category"), pl.Series(texts), pa.array(texts)):
        assert of_texts == validate(y=y)


@pytest.mark.parametrize("kind", ["arrays", "frames", "sparse", "generator"])
def test_unlabelled_rows_may_be_a_list_of_shards(kind):
    wanted = {"estimates": ["disagreement"], "repeats": 3}
    shards = {
        "arrays": lambda: [X[:30], X[30:]],
        "frames": lambda: [pd.DataFrame(X[:30]), pd.DataFrame(X[30:])],
        "sparse": lambda: [sparse.csr_array(X[:30]), sparse.csr_array(X[30:])],
        "generator": lambda: (X[first : first + 30] for first in range(0, 90, 30)),
    }[kind]()
    as_kind = {"frames": pd.DataFrame, "sparse": sparse.csr_array}.get(kind, np.asarray)
    learners = {"tree": DecisionTreeClassifier(random_state=0)}
    rows = as_kind(X)
    assert validate(learners, rows, unlabeled=rows, **wanted) == validate(learners, rows, unlabeled=shards, **wanted)


def test_learners_whose_predict_appears_after_fit():
    learners = {
        "stack": StackingClassifier([("bayes", GaussianNB()), ("svc", SVC())], cv=2),
        "self": SelfTrainingClassifier(GaussianNB()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = validate(learners, folds=3)
    assert 4 == len(made.estimates)


def test_a_result_is_kept_compared_and_asked_by_name():
    made = validate({**BAYES, "svc": SVC()}, estimates=None, unlabeled=X[:40], repeats=3)
    for method in ("corrected repeated t", "corrected t"):  # each with further fits of its own
        again = validate(intervals={"E_cv": method})
        assert again == pickle.loads(pickle.dumps(again))
    kept = pickle.loads(pickle.dumps(made))
    assert (kept, str(kept), hash(kept)) == (made, str(made), hash(made))
    assert kept.decide() == made.decide()
    np.testing.assert_array_equal(kept.target("svc", "E_cv")[0].predict(X), made.target("svc", "E_cv")[0].predict(X))
    assert (2, ["bayes", "svc"]) == (len(made), list(made))
    assert made != validate()
    assert made["svc"]["E_cv"] in made.estimates
    assert ["bayes", "svc"] == made._ipython_key_completions_()
    with pytest.raises(BadArgument, match="it must be one of bayes, svc"):
        made["knn"]


def test_the_losses_are_those_that_an_estimate_is_the_mean_of():
    made = validate({**BAYES, "svc": SVC()}, estimates=["E_val", "E_cv", "E_prog", "E_2cv"], repeats=3)
    for estimate in ("E_val", "E_cv", "E_prog", "E_2cv"):
        for name, losses in made.losses(estimate).items():
            assert made[name][estimate].value == pytest.approx(losses.mean(), abs=1e-12)
    with pytest.raises(BadArgument, match="there are losses of E_val, E_cv"):
        validate().losses("E_prog")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
@pytest.mark.filterwarnings("ignore")
def test_every_learner_of_scikit_learn_is_taken_or_refused_with_a_reason(kind):
    y = Y if kind == "classifier" else X[:, 0] + RNG.normal(size=90)
    reasons = {}
    for name, learner in all_estimators(type_filter=kind):
        try:
            made = learner()
        except TypeError:
            continue  # made from other learners
        try:
            validate({name: made}, np.abs(X), y, estimates=["E_val"])
        except (BadArgument, FitFailure) as refused:
            reasons[name] = str(refused)
    assert REFUSED[kind] == {*reasons}
    assert all(len(reason) > len(name) + 20 for name, reason in reasons.items()), reasons
