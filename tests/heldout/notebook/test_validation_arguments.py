"""What `heldout.validate` refuses: before any fit, in words that name argument, value and limit."""

import re

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument
from heldout.losses import NAMES

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)


class NeverFitted(BaseEstimator):
    """A learner whose fit is a failure of the test; `validate` would make a FitFailure of it, no BadArgument."""

    def fit(self, X, y):
        raise AssertionError("a bad argument was found after a fit")

    def predict(self, X):
        raise AssertionError("a bad argument was found after a fit")


class Chancy(NeverFitted):
    """The same with probabilities."""

    def predict_proba(self, X):
        raise AssertionError("a bad argument was found after a fit")


X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.repeat([0, 1], [30, 10])
ESTIMATES = (
    "E_in, E_val, E_cv, E_auc, E_ap, E_f1, E_balanced, E_prog, E_boot, E_2cv, E_train, disagreement, E_dis, E_maxdt, "
    "E_bbc, E_nested"
)
ONE = {"a": NeverFitted()}


def refuse(*, candidates=ONE, X=X, y=Y, **arguments) -> BadArgument:
    with pytest.raises(BadArgument) as caught:
        heldout.validate(candidates, X, y, **arguments)
    assert isinstance(caught.value, ValueError)
    return caught.value


def objects(*labels) -> np.ndarray:
    return np.array(labels * (40 // len(labels)), dtype=object)


WHOLE = "it must be a whole number of at least"
KNOWN = (
    "it must be one of zero_one, log, brier, balanced, squared, absolute, pinball, {pinball: 0.9}, or "
    "{cost: {actual: {predicted: 2}}}"
)
FRACTION = "it must lie between 0 and 1, both excluded"


TABLE = "it must have two dimensions, rows by columns; for a single column give a data frame, or reshape(-1, 1)"
SETS = (
    "y has a set of labels for each row; give a column for each label, as "
    "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y) does"
)


@pytest.mark.parametrize(
    ("arguments", "argument", "message"),
    [
        # candidates
        ({"candidates": {}}, "candidates", "candidates is {}; it must map at least one name to a learner"),
        ({"candidates": None}, "candidates", "candidates is None; it must map at least one name to a learner"),
        (
            {"candidates": ["a"]},
            "candidates",
            "candidates['str'] is 'a'; it must be an unfitted scikit-learn estimator, and is without fit, predict, "
            "get_params",
        ),
        (
            {"candidates": {"a": "lda"}},
            "candidates",
            "candidates['a'] is 'lda'; it must be an unfitted scikit-learn estimator, and is without fit, predict, "
            "get_params",
        ),
        (
            {"candidates": {**ONE, "b": None}},
            "candidates",
            "candidates['b'] is None; it must be an unfitted scikit-learn estimator, and is without fit, predict, "
            "get_params",
        ),
        (
            {"candidates": {"a": GaussianNB}},
            "candidates",
            f"candidates['a'] is {GaussianNB!r}; it must be an unfitted scikit-learn estimator, and is a class: "
            "call it",
        ),
        # X, y and unlabeled
        ({"X": X[:, 0]}, "X", f"X has shape (40,); {TABLE}"),
        ({"X": X[None]}, "X", "X has shape (1, 40, 3); it must have two dimensions, rows by columns"),
        ({"X": None}, "X", "X has shape (); it must have two dimensions, rows by columns"),
        ({"y": Y[:39]}, "y", "y has shape (39,); it must be (40,), one label for each row of X"),
        ({"y": objects({"a", "b"}, {"a"})}, "y", SETS),
        (
            {"y": "won"},
            "y",
            "y is 'won'; it must hold one label for each of 40 rows: a list, an array, or a column of a frame",
        ),
        ({"X": X[:1], "y": Y[:1]}, "y", "there are 1 labelled rows; at least 2 are needed"),
        ({"X": X[:0], "y": Y[:0]}, "y", "there are 0 labelled rows; at least 2 are needed"),
        (
            {"y": np.where(np.arange(40) == 3, np.nan, Y)},
            "y",
            "y has a label that is missing or infinite; rows without a label go to unlabeled",
        ),
        (
            {"y": np.where(np.arange(40) == 3, np.inf, Y), "loss": "squared"},
            "y",
            "y has a label that is missing or infinite; rows without a label go to unlabeled",
        ),
        (
            {"y": objects("won", "lost", "won", "lost", float("nan"))},
            "y",
            "y has a label that is missing or infinite; rows without a label go to unlabeled",
        ),
        ({"unlabeled": X[0]}, "unlabeled", f"unlabeled has shape (3,); {TABLE}"),
        (
            {"unlabeled": X[:, :2]},
            "unlabeled",
            "unlabeled has shape (40, 2); it needs rows of 3 columns, as X has",
        ),
        ({"unlabeled": X[:0]}, "unlabeled", "unlabeled has shape (0, 3); it needs rows of 3 columns, as X has"),
        (
            {"unlabeled": scipy.sparse.csr_array(X[:, 1:])},
            "unlabeled",
            "unlabeled has shape (40, 2); it needs rows of 3 columns, as X has",
        ),
        (
            {"estimates": ["E_dis"]},
            "unlabeled",
            "unlabeled is None, but E_dis needs unlabelled rows; give some, or leave it out",
        ),
        # loss
        ({"loss": "log_loss"}, "loss", f"loss is 'log_loss'; {KNOWN}; log puts candidates in the order of log_loss"),
        ({"loss": {"hinge": 1}}, "loss", f"loss is {{'hinge': 1}}; {KNOWN}"),
        ({"loss": {"pinball": 0.5, "cost": {}}}, "loss", f"loss is {{'pinball': 0.5, 'cost': {{}}}}; {KNOWN}"),
        ({"loss": {"pinball": 1}}, "loss", f"loss.pinball is 1; {FRACTION}"),
        ({"loss": {"pinball": "0.9"}}, "loss", f"loss.pinball is '0.9'; {FRACTION}"),
        (
            {"loss": {"cost": {}}},
            "loss",
            "loss.cost is {}; it must map each class to the cost of each prediction",
        ),
        (
            {"loss": {"cost": {0: 5, 1: 2}}},
            "loss",
            "loss.cost is {0: 5, 1: 2}; it must map each class to the cost of each prediction",
        ),
        (
            {"loss": {"cost": {0: {1: -1}, 1: {0: 2}}}},
            "loss",
            "loss.cost of 1 for 0 is -1; it must be a number of at least 0",
        ),
        (
            {"loss": {"cost": {0: {1: np.inf}, 1: {0: 2}}}},
            "loss",
            "loss.cost of 1 for 0 is inf; it must be a number of at least 0",
        ),
        (
            {"loss": {"cost": {0: {1: 5}}}},
            "loss",
            "loss.cost has no cost for 0 where 1 is right; the classes of y are [0, 1], and each pair of them needs "
            "one",
        ),
        (
            {"loss": {"cost": {"won": {"lost": 5}, "lost": {"won": 1}}}},
            "loss",
            "loss.cost names ['won', 'lost'], but the classes of y are [0, 1]; write them so",
        ),
        (
            {"y": X[:, 0], "loss": "log"},
            "loss",
            "loss is log, but y holds numbers that are no classes; use squared, absolute or pinball",
        ),
        (
            {"y": np.arange(40), "loss": "brier"},
            "loss",
            "loss is brier, but y holds numbers that are no classes; use squared, absolute or pinball",
        ),
        (
            {"loss": "log"},
            "candidates",
            "candidates['a'] is NeverFitted(); the log loss needs class probabilities, and it has no predict_proba; "
            "put it into sklearn.calibration.CalibratedClassifierCV, or take another loss",
        ),
        (
            {"loss": "balanced", "estimates": ["E_maxdt"], "unlabeled": X},
            "estimates",
            "estimates has 'E_maxdt', which the balanced loss does not admit: a bound on the balanced error needs the "
            "class shares of the unlabelled rows, which are not known",
        ),
        (
            {"y": X[:, 0], "loss": "zero_one"},
            "loss",
            "loss is zero_one, but y holds numbers that are no classes; use squared, absolute or pinball",
        ),
        (
            {"y": np.where(Y == 1, "won", "lost"), "loss": "squared"},
            "loss",
            "loss is squared, but y holds <U4 labels; use zero_one, log, brier, "
            "balanced or {cost: {actual: {predicted: 2}}}",
        ),
        # whole numbers
        ({"seed": -1}, "seed", f"seed is -1; {WHOLE} 0"),
        ({"seed": 1.5}, "seed", f"seed is 1.5; {WHOLE} 0"),
        ({"seed": None}, "seed", f"seed is None; {WHOLE} 0"),
        ({"folds": 1}, "folds", f"folds is 1; {WHOLE} 2"),
        ({"folds": 5.0}, "folds", f"folds is 5.0; {WHOLE} 2"),
        ({"folds": "loo"}, "folds", f"folds is 'loo'; {WHOLE} 2"),
        ({"folds": 41}, "folds", "folds is 41; it must lie between 2 and 40, the number of labelled rows"),
        ({"folds": 11}, "folds", "folds is 11, but class 1 has 10 rows; use at most 10 folds"),
        ({"block": 0}, "block", f"block is 0; {WHOLE} 1"),
        ({"block": True}, "block", f"block is True; {WHOLE} 1"),
        ({"repeats": 0}, "repeats", f"repeats is 0; {WHOLE} 1"),
        ({"repeats": "30"}, "repeats", f"repeats is '30'; {WHOLE} 1"),
        # truth values
        ({"progress": None}, "progress", "progress is None; it must be True or False"),
        ({"stratify": "yes"}, "stratify", "stratify is 'yes'; it must be True, False or None"),
        # fractions and level
        ({"validation_fraction": 0}, "validation_fraction", f"validation_fraction is 0; {FRACTION}"),
        ({"validation_fraction": 1.0}, "validation_fraction", f"validation_fraction is 1.0; {FRACTION}"),
        ({"tested_fraction": -0.5}, "tested_fraction", f"tested_fraction is -0.5; {FRACTION}"),
        ({"tested_fraction": 20}, "tested_fraction", f"tested_fraction is 20; {FRACTION}"),
        ({"level": 0}, "level", f"level is 0; {FRACTION}"),
        ({"level": 95}, "level", f"level is 95; {FRACTION}"),
        ({"level": float("nan")}, "level", f"level is nan; {FRACTION}"),
        # estimates
        (
            {"estimates": "E_cv"},
            "estimates",
            f"estimates is 'E_cv'; it must be a list of names among {ESTIMATES}",
        ),
        ({"estimates": []}, "estimates", f"estimates is []; it must be a list of names among {ESTIMATES}"),
        ({"estimates": ["E_loo"]}, "estimates", f"estimates has 'E_loo'; it must name some of {ESTIMATES}"),
        ({"estimates": ["E_test"]}, "estimates", f"estimates has 'E_test'; it must name some of {ESTIMATES}"),
    ],
    ids=lambda case: re.sub(r"\W+", "_", str(case))[:40] if isinstance(case, dict) else None,
)
def test_a_bad_argument_names_argument_value_and_limit_before_any_fit(arguments, argument, message):
    found = refuse(**arguments)
    assert (argument, message) == (found.argument, str(found))


@pytest.mark.parametrize(
    ("intervals", "loss", "reason", "fitting", "not_fitting"),
    [
        (
            {"E_cv": "Wald"},
            "zero_one",
            "is not known",
            ["k-fold Hoeffding", "corrected t", "Bayle within folds"],
            ["Wilson", "Clopper-Pearson"],
        ),
        ({"E_cv": None}, "zero_one", "is not known", ["corrected t"], []),
        (
            {"E_cv": "nested"},
            "zero_one",
            "is not known",
            ["corrected Wilson"],
            ["nested"],
        ),
        (
            {"E_val": "corrected t"},
            "zero_one",
            "covers E_cv alone",
            ["Wilson", "Clopper-Pearson", "Hoeffding"],
            ["corrected t", "corrected Wilson"],
        ),
        (
            {"E_val": "Wilson"},
            "squared",
            "is for losses 0/1, and the squared loss is not",
            ["log t", "pooled shape"],
            ["Wilson", "Hoeffding"],
        ),
        (
            {"E_cv": "k-fold Hoeffding"},
            "absolute",
            "is for losses of known limit, and the absolute loss has none unless loss_max states it",
            ["corrected t"],
            ["k-fold Hoeffding"],
        ),
    ],
)
def test_an_interval_that_is_unknown_or_not_admissible_is_refused_with_the_ones_that_fit(
    intervals, loss, reason, fitting, not_fitting
):
    found = refuse(intervals=intervals, loss=loss)
    assert "intervals" == found.argument
    ((estimate, name),) = intervals.items()
    told, _, named = str(found).rpartition(" use ")
    assert str(name) in told
    assert reason in told
    assert f"for {estimate}" in told
    assert set(fitting) <= set(named.split(", "))
    assert set() == set(not_fitting) & set(named.split(", "))


@pytest.mark.parametrize("estimate", ["E_in", "E_dis", "E_maxdt", "E_bbc", "E_loo", 3])
def test_an_interval_for_an_estimate_that_has_no_choice_is_refused_with_those_that_have(estimate):
    found = refuse(intervals={estimate: "Wilson"})
    assert "intervals" == found.argument
    told, _, named = str(found).partition("; intervals can be chosen for ")
    assert f"intervals names {estimate!r}" == told
    assert {"E_val", "E_cv", "E_prog", "E_2cv", "E_train", "disagreement", "E_nested"} <= set(named.split(", "))


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"level": "0.95"}, "level"),
        ({"level": None}, "level"),
        ({"validation_fraction": "a fifth"}, "validation_fraction"),
        ({"tested_fraction": None}, "tested_fraction"),
        ({"loss": ["zero_one"]}, "loss"),
        ({"estimates": 5}, "estimates"),
        ({"intervals": "Wilson"}, "intervals"),
        ({"intervals": ["Wilson"]}, "intervals"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": -2}, "n_jobs"),
        ({"n_jobs": True}, "n_jobs"),
        ({"n_jobs": "all"}, "n_jobs"),
        ({"y": objects("won", None)}, "y"),
        ({"y": objects("won", 1)}, "y"),
    ],
)
def test_an_argument_of_the_wrong_type_is_a_bad_argument_too(arguments, argument):
    found = refuse(**arguments)
    assert argument == found.argument
    (value,) = arguments.values()
    assert argument == "y" or repr(value) in str(found) or str(value) in str(found)


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        # parts that cannot be stratified
        ({"validation_fraction": 0.01}, "validation_fraction"),
        ({"tested_fraction": 0.99}, "tested_fraction"),
        ({"y": np.arange(40) == 0}, "y"),
        # classes too rare for what was asked for by name; only the defaults give way
        ({"y": np.repeat([0, 1], [31, 9]), "stratify": True}, "folds"),
        ({"y": np.repeat([0, 1], [37, 3]), "folds": 5}, "folds"),
        # a name that is no string, which print and the table of results cannot show
        ({"candidates": {3: NeverFitted()}}, "candidates"),
        # designs that a method or a scheme does not admit
        ({"folds": 40, "estimates": ["E_cv"], "intervals": {"E_cv": "Bayle within folds"}}, "intervals"),
        ({"folds": 2, "estimates": ["E_nested"]}, "folds"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_fit_by_an_argument_of_validate(arguments, argument):
    assert argument == refuse(**arguments).argument


@pytest.mark.parametrize(
    ("groups", "changes", "argument", "said"),
    [
        (Y[:39], {}, "groups", "groups has shape (39,); it must be (40,), one group for each row of X"),
        (np.where(Y == 1, np.nan, 2.0), {}, "groups", "groups has a row whose group is missing"),
        (objects("a", None), {}, "groups", "groups has a row whose group is missing"),
        (np.zeros(40), {}, "groups", "groups has 1 group; at least 2 are needed"),
        (np.arange(40) // 10, {}, "folds", "folds is 10, but there are 4 groups; use 2 to 4 folds"),
        (
            np.arange(40) // 2,
            {"intervals": {"E_val": "Clopper-Pearson"}},
            "intervals",
            "intervals: Clopper-Pearson assumes independent rows, which rows with groups are not; for E_val use "
            "clustered Wilson, clustered log t, clustered t",
        ),
        (
            np.arange(40) // 2,
            {"intervals": {"disagreement": "two-way log t"}},
            "intervals",
            "intervals: two-way log t assumes independent rows, which rows with groups are not; for disagreement "
            "no interval is offered then",
        ),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, changes, argument, said):
    found = refuse(groups=groups, **changes)
    assert argument == found.argument
    assert str(found).startswith(said)


@LAWS
@given(st.floats(max_value=0) | st.floats(min_value=1) | st.just(float("nan")))
def test_no_fraction_or_level_outside_0_and_1_is_accepted(value):
    for argument in ("validation_fraction", "tested_fraction", "level"):
        found = refuse(**{argument: value})
        assert (argument, f"{argument} is {value}; {FRACTION}") == (found.argument, str(found))


@LAWS
@given(st.integers(max_value=-1) | st.floats() | st.text() | st.booleans() | st.none() | st.lists(st.integers()))
def test_nothing_but_whole_numbers_from_their_least_is_accepted(value):
    for argument, least in [("seed", 0), ("folds", 2), ("block", 1), ("repeats", 1)]:
        found = refuse(**{argument: value})
        assert (argument, f"{argument} is {value!r}; {WHOLE} {least}") == (found.argument, str(found))


@LAWS
@given(st.text().filter(lambda name: name not in NAMES))
def test_no_other_name_of_a_loss_is_accepted(name):
    assert "loss" == refuse(loss=name).argument


@LAWS
@given(st.text().filter(lambda name: name not in ESTIMATES.split(", ")))
def test_no_other_name_of_an_estimate_is_accepted(name):
    assert "estimates" == refuse(estimates=["E_cv", name]).argument


@LAWS
@given(st.integers(min_value=41))
def test_no_more_folds_than_rows_are_accepted(folds):
    assert "folds" == refuse(folds=folds).argument


@pytest.mark.parametrize("integer", [np.int64, np.int32, np.uint8])
def test_whole_numbers_of_numpy_are_whole_numbers(integer):
    found, same = (
        heldout.validate(
            {"a": GaussianNB()},
            X,
            Y,
            seed=of(3),
            folds=of(5),
            block=of(2),
            repeats=of(2),
            estimates=["E_cv", "E_prog", "E_2cv"],
        ).estimates
        for of in (int, integer)
    )
    assert found == same


def test_the_learner_that_must_not_be_fitted_does_fail_when_it_is():
    with pytest.raises(heldout.errors.FitFailure, match="a bad argument was found after a fit"):
        heldout.validate(ONE, X, Y)
