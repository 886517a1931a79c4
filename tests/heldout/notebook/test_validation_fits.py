"""`heldout.validate`: which fits it makes and from which seeds, and that neither containers nor company matter."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import FitFailure
from heldout.estimates.methods import choose
from heldout.losses import NAMES, ZERO_ONE
from heldout.schemes import SchemeName, fit_state
from heldout.schemes.resampling import REPEATS, SUBSAMPLES

N, FOLDS, PARTITIONS = 41, 5, 3
OF_HALVES = ["E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt"]
EVERY = ["E_in", "E_val", "E_cv", "E_prog", *OF_HALVES, "E_bbc", "E_nested"]
HOW = {"validation_fraction": 0.3, "folds": FOLDS, "tested_fraction": 0.4, "block": 1, "seed": 7}
NO_FURTHER_FIT = {"E_cv": "Bayle within folds"}
CANDIDATES = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}

features, labels = make_classification(n_samples=N + 60, n_features=4, flip_y=0.3, random_state=4)
X, y, U = features[:N], np.where(labels[:N] == 1, "won", "lost"), features[N:]


@pytest.fixture(scope="module")
def everything() -> heldout.Validation:
    return heldout.validate(
        CANDIDATES,
        X,
        y,
        unlabeled=U,
        repeats=PARTITIONS,
        estimates=EVERY,
        intervals=NO_FURTHER_FIT,
        **HOW,
    )


# --- containers


@pytest.mark.slow
@pytest.mark.parametrize(
    "container",
    [
        lambda X: pd.DataFrame(X, columns=list("abcd")),
        scipy.sparse.csr_array,
        scipy.sparse.csc_matrix,
        np.ndarray.tolist,
    ],
    ids=["DataFrame", "csr_array", "csc_matrix", "list"],
)
def test_frames_sparse_matrices_and_lists_give_the_numbers_of_the_array(container):
    learners = {"tree": DecisionTreeClassifier(), "forest": RandomForestClassifier(n_estimators=2)}
    how = {"folds": 4, "repeats": 2, "tested_fraction": 0.1, "estimates": EVERY}
    expected = heldout.validate(learners, X, y, unlabeled=U, **how)
    found = heldout.validate(learners, container(X), y, unlabeled=container(U), **how)
    assert expected.estimates == found.estimates


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels_as",
    [
        lambda y: y == "won",
        lambda y: (y == "won").astype(int),
        lambda y: (y == "won").astype(float),
        lambda y: y.astype(object),
        lambda y: pd.Series(y, index=range(100, 100 + N)),
        lambda y: pd.Series(pd.Categorical(y)),
        list,
    ],
    ids=["bool", "int", "float", "object", "Series", "categorical", "list"],
)
def test_labels_of_any_kind_give_the_same_numbers(labels_as):
    def run(y):
        return heldout.validate(CANDIDATES, X, y, repeats=2, estimates=EVERY[:6] + EVERY[-2:], **HOW).estimates

    assert run(y) == run(labels_as(y))


def test_arguments_are_left_as_they_were():
    copies = X.copy(), y.copy(), U.copy()
    heldout.validate(CANDIDATES, X, y, unlabeled=U, repeats=2, intervals=NO_FURTHER_FIT, **HOW)
    assert [one.tobytes() for one in copies] == [one.tobytes() for one in (X, y, U)]


# --- the fits


class Counting(BaseEstimator):
    """Counts its fits, of all clones together."""

    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        self.label_ = y[0]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.label_)


@pytest.mark.parametrize(
    ("estimates", "intervals", "fits"),
    [
        (["E_in"], None, 1),
        (["E_val"], None, 1),
        (["E_cv"], {"E_cv": "Bayle within folds"}, FOLDS),
        (["E_cv"], {"E_cv": "corrected t"}, FOLDS + SUBSAMPLES),
        (["E_cv"], {"E_cv": "corrected repeated t"}, FOLDS * REPEATS),
        (["E_prog"], None, 16),
        (["E_2cv"], None, 2 * PARTITIONS),
        (["E_train"], None, 2 * PARTITIONS),
        (OF_HALVES, None, 2 * PARTITIONS),
        (["E_bbc"], {"E_cv": "corrected t"}, FOLDS),  # E_cv's interval is not asked for
        (["E_nested"], None, FOLDS + 10),  # 5 x 4 / 2
        (["E_cv", "E_nested", "E_bbc"], {"E_cv": "corrected t"}, FOLDS + SUBSAMPLES + 10),
        (["E_val", "E_in"], {"E_cv": "corrected t"}, 2),
    ],
)
def test_only_the_fits_that_are_needed_are_made(estimates, intervals, fits):
    Counting.fits = 0
    heldout.validate(
        {"a": Counting()},
        X,
        y,
        unlabeled=U,
        repeats=PARTITIONS,
        estimates=estimates,
        intervals=intervals,
        **HOW,
    )
    assert fits == Counting.fits


def test_unless_told_otherwise_e_cv_takes_k_fits_and_those_of_its_subsamples():
    assert "subsamples" == choose(None, ZERO_ONE)["E_cv"].needs
    assert 25 == SUBSAMPLES
    Counting.fits = 0
    heldout.validate({"a": Counting(), "b": Counting()}, X, y, estimates=["E_cv"])
    assert 2 * (10 + 25) == Counting.fits


def test_everything_takes_one_fit_for_each_hypothesis_and_e_nested_is_left_out_unless_named():
    Counting.fits = 0
    found = heldout.validate({"a": Counting(), "b": Counting()}, X, y, unlabeled=U, repeats=PARTITIONS, **HOW)
    assert 2 * (1 + 1 + FOLDS + 16 + 2 * PARTITIONS + SUBSAMPLES) == Counting.fits
    assert EVERY[:-1] == list(dict.fromkeys(record.estimate for record in found.estimates))


def test_without_unlabelled_rows_or_a_second_candidate_what_needs_them_is_left_out():
    found = heldout.validate({"a": Counting()}, X, y, repeats=1, **HOW)
    assert ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train"] == [record.estimate for record in found.estimates]


@pytest.mark.parametrize("some", [["E_val"], ["E_cv", "E_in"], ["E_maxdt"], ["E_bbc"], ["E_nested", "E_prog"]])
def test_an_estimate_is_the_same_whatever_else_is_computed(everything, some):
    found = heldout.validate(
        CANDIDATES,
        X,
        y,
        unlabeled=U,
        repeats=PARTITIONS,
        estimates=some,
        intervals=NO_FURTHER_FIT,
        **HOW,
    )
    assert [record for record in everything.estimates if record.estimate in some] == list(found.estimates)


def test_a_candidate_has_the_same_estimates_alone_as_among_others(everything):
    alone = heldout.validate(
        {"tree": CANDIDATES["tree"]},
        X,
        y,
        unlabeled=U,
        repeats=PARTITIONS,
        estimates=EVERY[:-2],
        intervals=NO_FURTHER_FIT,
        **HOW,
    )
    assert list(alone.estimates) == [
        record for record in everything.estimates if record.candidate == "tree" and record.estimate in EVERY[:-2]
    ]


# --- seeds


FOREST = {"forest": RandomForestClassifier(n_estimators=2, max_depth=2), "tree": DecisionTreeClassifier(max_features=1)}
QUICK = {"folds": 3, "repeats": 2, "tested_fraction": 0.1, "estimates": EVERY}


def test_the_same_seed_gives_identical_records_and_another_seed_others():
    first, again, other = (
        heldout.validate(FOREST, X, y, unlabeled=U, seed=seed, **QUICK).estimates for seed in (1, 1, 2)
    )
    assert first == again
    for name in EVERY:
        values = [[r.value for r in one if r.estimate == name] for one in (first, other)]
        assert values[0] != values[1] or name == "E_in"  # a fit on all rows may err as often


def test_raising_the_repeats_leaves_the_earlier_half_models():
    few, many = (
        heldout.validate(FOREST, X, y, repeats=repeats, estimates=["E_2cv"]).target("tree", "E_2cv")
        for repeats in (2, 3)
    )
    for one, other in zip(few, many[:4], strict=True):
        assert one.tree_.__getstate__()["nodes"].tobytes() == other.tree_.__getstate__()["nodes"].tobytes()
        assert one.random_state == other.random_state


@pytest.mark.parametrize(
    ("estimate", "scheme"),
    [
        ("E_in", "final"),
        ("E_val", "holdout"),
        ("E_cv", "cross_validation"),
        ("E_prog", "progressive"),
        ("E_2cv", "covalidation"),
    ],
)
def test_open_randomness_is_closed_by_the_seed_a_child_for_each_fit_and_a_written_one_stays(
    estimate: str, scheme: SchemeName
):
    learners = {
        "open": DecisionTreeClassifier(),
        "inside": make_pipeline(StandardScaler(), DecisionTreeClassifier()),
        "written": DecisionTreeClassifier(random_state=5),
    }
    found = heldout.validate(learners, X, y, seed=3, **{**QUICK, "estimates": [estimate]})
    states = [fit_state(3, scheme, number) for number in range(len(found.target("open", estimate)))]
    assert states == [one.random_state for one in found.target("open", estimate)]
    assert states == [one[-1].random_state for one in found.target("inside", estimate)]
    assert [5] * len(states) == [one.random_state for one in found.target("written", estimate)]
    assert learners["open"].random_state is None


# --- intervals


@pytest.mark.parametrize("name", ["Clopper-Pearson", "clopper_pearson", "CLOPPER PEARSON", "clopperPearson"])
def test_an_interval_is_chosen_by_the_name_of_its_method_or_of_its_module(name):
    plain, chosen = (
        heldout.validate(
            CANDIDATES, X, y, estimates=["E_val", "E_prog"], intervals={"E_val": one, "E_prog": "Wilson"}, **HOW
        ).estimates
        for one in ("Wilson", name)
    )
    assert ["Wilson", "Wilson"] == [record.interval for record in plain[:2]]
    assert ["Clopper-Pearson", "Wilson"] == [record.interval for record in chosen[:2]]
    assert plain[0].value == chosen[0].value
    assert plain[1] == chosen[1]


def test_other_estimates_keep_the_default_of_their_loss():
    found = heldout.validate(CANDIDATES, X, y, estimates=["E_val", "E_prog"], intervals={"E_val": "Hoeffding"}, **HOW)
    default = choose(None, ZERO_ONE)["E_prog"].name
    assert ["Hoeffding", default] == [record.interval for record in found.estimates[:2]]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_every_interval_is_at_the_level_asked_for(level):
    found = heldout.validate(CANDIDATES, X, y, unlabeled=U, repeats=2, level=level, estimates=EVERY, **HOW).estimates
    assert {level} == {record.level for record in found if record.estimate != "E_in"}


# --- failures


class Fails(BaseEstimator):
    def __init__(self, at: int):
        self.at = at

    def fit(self, X, y):
        if len(X) < self.at:
            raise OSError("too few rows\nand a trace")
        return self

    def predict(self, X):
        return np.full(X.shape[0], "won")


def test_a_learner_that_fails_raises_with_its_name_and_its_own_reason():
    with pytest.raises(FitFailure, match="^second: hold-out: OSError: too few rows$") as caught:
        heldout.validate(
            {"first": Fails(0), "second": Fails(30)}, X, y, repeats=1, on_error="raise", intervals=NO_FURTHER_FIT, **HOW
        )
    assert FitFailure is type(caught.value.__cause__)
    # all fits on 30 rows or more succeed
    found = heldout.validate({"second": Fails(30)}, X, y, estimates=["E_in", "E_cv"], intervals=NO_FURTHER_FIT, **HOW)
    assert 2 == len(found.estimates)


class Forgets(Counting):
    """Cannot predict rows without their number, which only the labelled ones have."""

    def predict(self, X):
        if X[0, 0] < 0:
            raise OSError("no number")
        return super().predict(X)


def test_a_hypothesis_that_fails_on_unlabelled_rows_raises_with_its_name_too():
    without = np.column_stack([np.full(60, -1.0), U[:, 1:]])
    with pytest.raises(FitFailure, match="^a: repeat 1/1: OSError: no number$"):
        heldout.validate({"a": Forgets()}, X, y, unlabeled=without, repeats=1, estimates=["disagreement"])


def test_each_loss_of_the_package_is_known_by_its_name():
    for name in NAMES:
        tree = (DecisionTreeClassifier if name in ("log", "brier") else DecisionTreeRegressor)()
        found = heldout.validate({"tree": tree}, X, labels[:N] + 1, loss=name, estimates=["E_val"])
        # a pure leaf's log loss is that of the clipped probability where it is wrong: 36 times the 0/1 loss
        assert 0 <= found.estimates[0].value <= (37 if name == "log" else 2)


def test_a_result_whose_hypotheses_were_fitted_when_they_were_asked_for_can_be_pickled():
    made = heldout.validate({"bayes": GaussianNB()}, X, y, folds=3, estimates=["E_cv"])
    fitted = made.target("bayes", "E_cv")
    again = pickle.loads(pickle.dumps(made)).target("bayes", "E_cv")
    assert [one.predict(X).tolist() for one in fitted] == [one.predict(X).tolist() for one in again]
