"""Selection repeated inside each fold's training rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.selection.nested_selection import inner_winners, outer_losses
from heldout.splits.partition import make_partition

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
NO_FURTHER_FIT = {"E_cv": "Bayle within folds"}
nan = np.nan

CLASSES = {
    "line": LogisticRegression(),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "bayes": GaussianNB(),
}
NUMBERS = {"line": Ridge(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0), "flat": Ridge(alpha=1e6)}


def nested_loop(candidates, X, y, fold, error) -> tuple[list[float], list[str]]:
    """Varma and Simon's procedure with scikit-learn alone: each row's loss, and the winner of each outer fold."""
    losses, winners = [0.0] * len(y), []
    for outer in range(fold.max() + 1):
        inside = {}
        for name, learner in candidates.items():
            seen = []
            for inner in set(range(fold.max() + 1)) - {outer}:
                train, test = (fold != outer) & (fold != inner), fold == inner
                predicted = clone(learner).fit(X[train], y[train]).predict(X[test])
                seen += [error(truth, one) for truth, one in zip(y[test], predicted, strict=True)]
            inside[name] = sum(seen) / len(seen)
        winners.append(min(inside, key=inside.__getitem__))
        hypothesis = clone(candidates[winners[-1]]).fit(X[fold != outer], y[fold != outer])
        for row in np.flatnonzero(fold == outer):
            losses[row] = error(y[row], hypothesis.predict(X[[row]])[0])
    return losses, winners


@pytest.mark.parametrize(("seed", "folds"), [(0, 5), (1, 3), (2, 4)])
def test_the_nested_error_equals_the_hand_written_loop(seed, folds):
    X, y = make_classification(n_samples=48, n_features=5, n_informative=2, flip_y=0.3, random_state=seed)
    found = heldout.validate(
        CLASSES, X, y, folds=folds, seed=seed, estimates=["E_cv", "E_nested"], intervals=NO_FURTHER_FIT
    )
    fold = make_partition(y, validation_fraction=0.2, folds=folds, tested_fraction=0.5, stratify=True, seed=seed).fold
    losses, winners = nested_loop(CLASSES, X, y, fold, lambda truth, one: float(truth != one))
    record = found.estimates[-1]
    assert "E_nested" == record.estimate
    # one count over 48
    assert np.mean(losses) == pytest.approx(record.value, abs=1e-15)
    assert [type(CLASSES[name]) for name in winners] == [
        type(one) for one in found.target(record.candidate, "E_nested")
    ]


def test_the_loop_chooses_differently_from_fold_to_fold():
    """Without that the equality above would say little."""
    X, y = make_classification(n_samples=48, n_features=5, n_informative=2, flip_y=0.3, random_state=0)
    fold = make_partition(y, validation_fraction=0.2, folds=5, tested_fraction=0.5, stratify=True, seed=0).fold
    assert 1 < len(set(nested_loop(CLASSES, X, y, fold, lambda truth, one: float(truth != one))[1]))


def test_the_nested_error_of_numbers_equals_the_hand_written_loop():
    X, y = make_regression(n_samples=40, n_features=3, noise=20, random_state=1)
    found = heldout.validate(NUMBERS, X, y, loss="squared", folds=4, estimates=["E_nested"], intervals=NO_FURTHER_FIT)
    fold = make_partition(y, validation_fraction=0.2, folds=4, tested_fraction=0.5, stratify=False, seed=0).fold
    losses, _ = nested_loop(NUMBERS, X, y, fold, lambda truth, one: (truth - one) ** 2)
    # sums in another order, and predictions of one row or of many
    assert np.mean(losses) == pytest.approx(found.estimates[-1].value, rel=1e-9)


def test_leave_one_out_selection_equals_the_hand_written_loop():
    X, y = make_classification(n_samples=14, n_features=3, n_informative=2, n_redundant=0, flip_y=0.3, random_state=3)
    few = {name: CLASSES[name] for name in ("stump", "bayes")}
    found = heldout.validate(few, X, y, folds=14, estimates=["E_nested"], intervals=NO_FURTHER_FIT)
    losses, _ = nested_loop(few, X, y, np.arange(14), lambda truth, one: float(truth != one))
    assert np.mean(losses) == pytest.approx(found.estimates[-1].value, abs=1e-15)


def test_the_inner_winners_by_hand():
    # rows 0, 1, 2, 3 in folds 0, 0, 1, 2; two candidates
    first = [[nan, nan, 1.0, 0.0], [0.0, 0.0, nan, 1.0], [1.0, 0.0, 0.0, nan]]  # means 1/2, 1/3, 1/3
    other = [[nan, nan, 0.0, 0.0], [0.0, 1.0, nan, 1.0], [0.0, 0.0, 1.0, nan]]  # means 0, 2/3, 1/3
    # the tie in the third fold goes to the first
    assert [1, 0, 0] == inner_winners(np.array([first, other]))


def test_the_mean_inside_is_over_rows_and_not_over_folds():
    # outside fold 0 are rows 1, 2, 3 of fold 1 and row 4 of fold 2: means 1/4 and 1/2 by rows, 1/2 and 1/3 by folds
    first, other = [[nan, 0.0, 0.0, 0.0, 1.0]], [[nan, 1.0, 1.0, 0.0, 0.0]]
    assert [0] == inner_winners(np.array([first, other]))


def test_the_outer_losses_by_hand():
    losses = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
    assert [0.5, 0.2, 0.3, 0.8] == outer_losses(losses, [1, 0], np.array([0, 1, 1, 0])).tolist()


@LAWS
@given(st.integers(2, 5), st.integers(2, 6), st.data())
def test_each_row_has_the_loss_of_its_folds_winner(candidates, folds, data):
    fold = np.array(data.draw(st.permutations([*range(folds), *range(folds)])))
    winners = data.draw(st.lists(st.integers(0, candidates - 1), min_size=folds, max_size=folds))
    losses = np.random.default_rng(0).random((candidates, 2 * folds))
    found = outer_losses(losses, winners, fold)
    assert [losses[winners[own], row] for row, own in enumerate(fold)] == found.tolist()


def test_a_single_candidate_and_copies_of_it_keep_their_cross_validated_error():
    X, y = make_classification(n_samples=40, n_features=4, flip_y=0.3, random_state=2)
    for names in ("a", "abc"):
        found = heldout.validate(
            {name: GaussianNB() for name in names},
            X,
            y,
            folds=5,
            estimates=["E_cv", "E_nested"],
            intervals=NO_FURTHER_FIT,
        )
        assert found.estimates[0].value == found.estimates[-1].value
        assert "a" == found.estimates[-1].candidate


def test_a_far_better_candidate_wins_in_every_fold():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    found = heldout.validate(
        {"flat": DecisionTreeClassifier(max_depth=1, max_features=1, random_state=0), "bayes": GaussianNB()},
        np.column_stack([X[:, 0], rng.normal(size=(60, 30))]),
        y,
        folds=5,
        estimates=["E_cv", "E_nested"],
        intervals=NO_FURTHER_FIT,
    )
    winner = min(found.estimates[:2], key=lambda record: record.value)
    nested = found.estimates[-1]
    assert (winner.candidate, winner.value) == (nested.candidate, nested.value)
    assert found.target(winner.candidate, "E_cv") == found.target(winner.candidate, "E_nested")


@pytest.mark.parametrize("share", [0.0, 0.3], ids=["no error", "errors"])
def test_of_a_single_candidate_and_rows_in_groups_the_interval_is_that_of_its_cross_validated_error(share):
    group = np.repeat(np.arange(12), [1, 9] * 6)
    y = np.arange(60) % 2
    X = np.where(np.random.default_rng(0).random(60) < share, 1 - y, y)[:, None] + 0.0
    made, nested = heldout.validate(
        {"stump": CLASSES["stump"]},
        X,
        y,
        groups=group,
        folds=3,
        estimates=["E_cv", "E_nested"],
        intervals=dict.fromkeys(["E_cv", "E_nested"], "corrected fold Wilson"),
    ).estimates
    assert (made.value, made.low, made.high) == (nested.value, nested.low, nested.high)
    assert (share > 0) == (nested.value > 0)
