"""`heldout.validate` with and without shortcuts: the same numbers, the same hypotheses, and fewer fits."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, FitFailure, LearnerWarning
from heldout.learners import fitting, seeded
from heldout.online import OnePass
from heldout.schemes import cross_validation, fit_state
from heldout.shortcuts import support_vectors
from heldout.splits.partition import make_partition

N = 70
RNG = np.random.default_rng(2)
X = RNG.normal(size=(N, 4))
CLASSES = np.array(["a", "b", "c"])[(X[:, 0] + RNG.normal(size=N) > 0).astype(int) + (X[:, 1] > 0.5)]
NUMBERS = X @ [1.0, 0.5, 0.0, -1.0] + RNG.normal(size=N)
U = RNG.normal(size=(40, 4))
HOW = {"folds": 5, "repeats": 2, "tested_fraction": 0.4, "block": 1, "seed": 3}
LEARNERS = [
    GaussianNB(),
    LinearDiscriminantAnalysis(),
    KNeighborsClassifier(3),
    RidgeClassifier(),
    make_pipeline(StandardScaler(), GaussianNB()),
    SVC(),
    DecisionTreeClassifier(max_depth=2),
    Ridge(),
    KNeighborsRegressor(3),
    make_pipeline(StandardScaler(), Ridge()),
    SVR(),
]
EVERY = ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt"]


def run(learner, X=X, **how):
    """The validation of one learner on classes or on numbers."""
    y, loss = (CLASSES, "zero_one") if is_classifier(learner) else (NUMBERS, "squared")
    return heldout.validate({"a": learner}, X, y, **{"unlabeled": U, "loss": loss, "estimates": EVERY, **HOW, **how})


def assert_same(found, wanted):
    """The same records, numbers to 1e-9."""
    for one, other in zip(found.estimates, wanted.estimates, strict=True):
        for name in ("value", "low", "high"):
            number, expected = getattr(one, name), getattr(other, name)
            assert number == expected or number == pytest.approx(expected, rel=1e-9, abs=1e-12)
        names = ("candidate", "estimate", "target", "n_train", "n_tested", "interval", "assumption")
        assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]


@pytest.fixture
def fits(monkeypatch) -> list:
    """The number of rows of each fit that is made."""
    made: list[int] = []

    def counted(learner, state, *labels):
        hypothesis = seeded(learner, state, *labels)
        fit = type(hypothesis).fit

        class Counted(type(hypothesis)):
            def fit(self, X, y, **further):
                made.append(len(y))
                self.__class__ = type(learner)
                return fit(self, X, y, **further)

        hypothesis.__class__ = Counted
        return hypothesis

    monkeypatch.setattr(fitting, "seeded", counted)
    return made


# --- the same numbers


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize(
    "how",
    [
        {},
        pytest.param({"folds": N, "block": 7}, marks=pytest.mark.slow),
        pytest.param({"block": "auto", "level": 0.8}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_every_estimate_is_the_same_with_and_without_shortcuts(learner, how):
    assert_same(run(learner, **how), run(learner, **how, shortcuts="off"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [*filter(is_classifier, LEARNERS), BernoulliNB(), ComplementNB(norm=True), NearestCentroid()],
    ids=str,
)
def test_so_is_every_estimate_of_few_distinct_rows(learner):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        few = np.repeat(rng.integers(0, 3, size=(15, 3)), 4, axis=0) * [1.0, 0.1][seed % 2]
        y = np.array(["b", "a"])[rng.permutation(len(few)) % 2]
        found, wanted = (
            heldout.validate({"a": learner}, few, y, shortcuts=one, **HOW | {"folds": 10, "repeats": 10})
            for one in ("auto", "off")
        )
        assert_same(found, wanted)


@pytest.mark.parametrize("loss", ["log", "brier", "balanced", "absolute", {"pinball": 0.8}], ids=str)
def test_so_is_every_loss(loss):
    learner = Ridge() if loss == "absolute" or isinstance(loss, dict) else GaussianNB()
    names = ["E_val", "E_cv", "E_prog", "E_2cv"]
    assert_same(*(run(learner, loss=loss, estimates=names, shortcuts=one) for one in ("auto", "off")))


@pytest.mark.parametrize("interval", ["corrected t", "corrected repeated t"])
def test_so_are_the_intervals_that_need_further_fits(interval, fits):
    how = {"estimates": ["E_cv"], "intervals": {"E_cv": interval}}
    found = run(GaussianNB(), **how)
    assert [] == fits
    assert_same(found, run(GaussianNB(), **how, shortcuts="off"))
    assert len(fits) >= 15


@pytest.mark.parametrize("learner", [learner for learner in LEARNERS if not isinstance(learner, SVC | SVR)], ids=str)
def test_half_models_that_no_unlabelled_row_needs_are_not_fitted(learner, fits):
    names = ["E_2cv", "E_train"]
    found = run(learner, estimates=names, unlabeled=None)
    assert len(fits) == (4 if isinstance(learner, DecisionTreeClassifier) else 0)  # a tree has no shortcut
    assert_same(found, run(learner, estimates=names))  # with the unlabelled rows
    assert_same(found, run(learner, estimates=names, unlabeled=None, shortcuts="off"))
    del fits[:]
    assert 4 == len(found.target("a", "E_2cv"))  # made when someone asks for them


def test_so_is_the_choice_among_candidates():
    candidates = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=2),
        "lda": LinearDiscriminantAnalysis(),
    }
    names = ["E_cv", "E_bbc", "E_nested"]
    found, wanted = (
        heldout.validate(candidates, X, CLASSES, estimates=names, shortcuts=one, **HOW) for one in ("auto", "off")
    )
    assert_same(found, wanted)
    assert found.select() == wanted.select()
    nested = zip(*(one.target(one.estimates[-1].candidate, "E_nested") for one in (found, wanted)), strict=True)
    assert all(type(one) is type(other) for one, other in nested)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame,
        scipy.sparse.csr_array,
        *(
            pytest.param(rows, marks=pytest.mark.slow)
            for rows in (np.asfortranarray, lambda X: X.astype(np.float32), lambda X: X.tolist())
        ),
    ],
    ids=["frame", "sparse", "fortran", "single", "list"],
)
def test_rows_of_any_kind_give_the_same_numbers(rows):
    learner, how = RidgeClassifier(), {"unlabeled": rows(U), "folds": N}
    assert_same(run(learner, rows(X), **how), run(learner, rows(X), **how, shortcuts="off"))


def test_dependent_rows_are_fitted_and_have_the_same_numbers(fits):
    how = {"groups": np.arange(N) // 2, "estimates": ["E_cv", "E_prog"]}
    found = run(GaussianNB(), **how)
    assert len(fits) > 5
    assert_same(found, run(GaussianNB(), **how, shortcuts="off"))


# --- the hypotheses of targets


@pytest.mark.parametrize("learner", [GaussianNB(), Ridge(), SVC()], ids=str)
def test_the_target_has_the_hypotheses_of_the_refits(learner):
    made = [run(learner, block=4, shortcuts=one) for one in ("auto", "off")]
    for estimate in ("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_maxdt"):
        found, wanted = (of.target("a", estimate) for of in made)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one.predict(U), other.predict(U))


def test_the_hypotheses_of_a_target_have_the_random_states_of_the_refits():
    learner = LinearDiscriminantAnalysis()
    pipe = make_pipeline(StandardScaler(), GaussianNB())
    for one in (learner, pipe):
        assert len(run(one, estimates=["E_cv"]).target("a", "E_cv")) == 5
    # Ridge leaves its random state open
    states = [hypothesis.random_state for hypothesis in run(Ridge(), estimates=["E_cv"]).target("a", "E_cv")]
    assert [fit_state(3, "cross_validation", number) for number in range(5)] == states


def test_the_same_list_is_made_once(fits):
    found = run(GaussianNB(), estimates=["E_cv"], intervals={"E_cv": "Bayle within folds"})
    assert [] == fits
    first = found.target("a", "E_cv")
    assert [56] * 5 == fits
    assert all(one is other for one, other in zip(first, found.target("a", "E_cv"), strict=True))
    assert 5 == len(fits)


# --- the fits


@pytest.mark.parametrize("learner", [GaussianNB(), Ridge()], ids=str)
def test_a_learner_with_a_shortcut_is_fitted_for_all_rows_the_hold_out_and_the_halves_alone(learner, fits):
    run(learner)
    assert sorted([35] * 4 + [56, 70]) == sorted(fits)  # halves of 35, and 70 - 14 rows
    fits.clear()
    run(learner, shortcuts="off")
    assert 1 + 1 + 5 + 28 + 25 + 4 == len(fits)  # final, hold-out, folds, steps, subsamples, halves


def test_what_a_shortcut_declines_is_fitted(fits):
    run(RidgeClassifier(positive=True), estimates=["E_cv"], intervals={"E_cv": "Bayle within folds"})
    assert 5 == len(fits)


def test_support_vectors_are_accelerated_and_the_same(monkeypatch, fits):
    monkeypatch.setattr(support_vectors, "_LEAST_ROWS", 1)
    monkeypatch.setattr(support_vectors, "_LEAST_WORK", 0.0)
    found = run(SVC())
    assert sorted([70, 56]) == sorted(fits)
    assert_same(found, run(SVC(), shortcuts="off"))


def test_leave_one_out_lists_no_training_rows(monkeypatch):
    n = 2000
    many = np.random.default_rng(0).normal(size=(n, 3))
    of_a_fold = type(cross_validation.splits(np.arange(n))[0])
    monkeypatch.setattr(of_a_fold, "train", None)
    names = ["E_in", "E_val", "E_cv"]
    found = heldout.validate({"a": Ridge()}, many, many[:, 0], loss="squared", folds=n, estimates=names)
    assert [n, n - n // 5, n - 1] == [record.n_train for record in found.estimates]


# --- warnings and failures


def test_warnings_are_counted_over_all_hypotheses():
    learners = {"net": MLPClassifier(hidden_layer_sizes=2, max_iter=1)}
    with pytest.warns(LearnerWarning, match=r"^net: 6 of 6 fits warned: ConvergenceWarning: "):
        heldout.validate(
            learners, X, CLASSES, folds=5, estimates=["E_cv", "E_val"], intervals={"E_cv": "Bayle within folds"}
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(GaussianNB())


def test_a_failure_names_the_candidate():
    with pytest.raises(FitFailure, match="^a: fold 1/5: ValueError: "):
        run(MultinomialNB(), estimates=["E_cv"])  # negative counts


@pytest.mark.parametrize("value", ["on", None, True, 1, ["auto"]])
def test_another_value_of_shortcuts_is_refused(value):
    with pytest.raises(BadArgument) as caught:
        run(GaussianNB(), shortcuts=value)
    assert f"shortcuts is {value!r}; it must be one of auto, off" == str(caught.value)
    assert "shortcuts" == caught.value.argument


# --- learners that are updated once


@pytest.mark.parametrize("shortcuts", ["auto", "off"])
@pytest.mark.parametrize(("estimate", "count"), [("E_cv", 5), ("E_prog", 28)])
def test_a_learner_that_is_updated_once_shares_its_updates_and_its_target_has_their_hypotheses(
    estimate, count, shortcuts, fits
):
    learner = OnePass(SGDClassifier())
    found = run(learner, estimates=[estimate], intervals={"E_cv": "Bayle within folds"}, shortcuts=shortcuts)
    assert [] == fits
    (record,) = found.estimates
    assert record.target.endswith("; updated once with each of its rows")
    hypotheses = found.target("a", estimate)
    assert [] == fits
    assert count == len(hypotheses)
    partition = make_partition(
        CLASSES, validation_fraction=0.2, folds=5, tested_fraction=0.4, stratify=False, seed=HOW["seed"]
    )
    number = partition.fold if estimate == "E_cv" else partition.step
    wrong = [hypotheses[number[row]].predict(X[[row]])[0] != CLASSES[row] for row in np.flatnonzero(number >= 0)]
    assert np.mean(wrong) == pytest.approx(record.value, abs=1e-12)


def test_a_learner_that_is_updated_once_is_fitted_where_rows_depend_on_each_other():
    learner = OnePass(GaussianNB())
    found = run(learner, groups=np.arange(N) // 2, estimates=["E_cv"])
    assert 5 == len(found.target("a", "E_cv"))
