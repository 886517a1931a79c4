"""E_boot: the .632+ of Efron and Tibshirani, by hand, by a plain loop, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.estimates.e_boot import DRAWN, DRAWS, Bootstrapped, draw
from heldout.losses import ZERO_ONE

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
FOLD = np.zeros(0, dtype=np.int64)
SHARES = st.floats(0, 1)


def seen(by_row, by_draw, trained: float, nothing: float) -> Bootstrapped:
    losses = np.asarray(by_row, dtype=np.float64)
    return Bootstrapped(losses, ZERO_ONE, by_draw=np.asarray(by_draw), training_error=trained, no_information=nothing)


def test_a_golden_by_hand():
    # left out 1/2, training 0, no information 1: R = 1/2, w = .632 / (1 - .368 / 2) = .7745
    found = seen([0.0, 1.0], [0.5, 0.5], 0.0, 1.0)
    assert DRAWN / (1 - (1 - DRAWN) / 2) / 2 == pytest.approx(found.error, abs=1e-15)
    assert 0.3873 == pytest.approx(found.error, abs=1e-3)


def test_without_overfitting_it_is_the_632_and_where_nothing_is_learned_the_left_out_error():
    assert (1 - DRAWN) * 0.3 + DRAWN * 0.2 == pytest.approx(seen([0.2], [0.2], 0.3, 0.5).error, abs=1e-15)
    assert 0.5 == pytest.approx(seen([0.5], [0.5], 0.0, 0.5).error, abs=1e-15)
    assert 0.5 == pytest.approx(seen([0.7], [0.7], 0.0, 0.5).error, abs=1e-15)  # no more than no information


@LAWS
@given(SHARES, SHARES, SHARES)
def test_it_lies_between_the_training_error_and_the_left_out_error(trained, out, nothing):
    found = seen([out], [out, out], trained, nothing).error
    ends = sorted([trained, min(out, nothing)])
    assert ends[0] - 1e-12 <= found <= ends[1] + 1e-12


@LAWS
@given(st.integers(6, 60), st.integers(2, 3), st.booleans(), st.integers(0, 2**32))
def test_a_draw_has_n_rows_every_class_and_tests_the_rows_that_it_left_out_twice(n, classes, stratify, seed):
    y = np.arange(n) % classes
    for split in draw(y, FOLD, stratify, seed).splits:
        assert n == len(split.train)
        assert {*range(classes)} == {*y[split.train]}
        left = np.setdiff1d(np.arange(n), split.train)
        assert len(left) > 0
        assert [*left, *left] == split.validation.tolist()
        assert left.tolist() == split.labels[: len(left)].tolist() == sorted(split.labels[len(left) :])
        if stratify:
            assert np.bincount(y).tolist() == np.bincount(y[split.train]).tolist()


def test_whole_groups_are_drawn():
    group = np.arange(40) // 4
    for split in draw(np.zeros(40, dtype=np.int64), FOLD, False, 0, group).splits:
        assert not {*group[split.train]} & {*group[split.validation]}
        times = np.bincount(split.train, minlength=40).reshape(10, 4)
        assert (times == times[:, :1]).all()


def test_a_seed_gives_the_same_draws_and_another_seed_others():
    y = np.arange(30) % 2
    first, again, other = ([split.train.tolist() for split in draw(y, FOLD, True, seed).splits] for seed in (1, 1, 2))
    assert first == again != other
    assert DRAWS == len({tuple(train) for train in first})


@pytest.mark.parametrize("shortcuts", ["auto", "off"])
@pytest.mark.parametrize("learner", [GaussianNB(), KNeighborsClassifier(1)], ids=["bayes", "neighbour"])
def test_a_plain_loop_gives_the_same_with_shortcuts_or_without(learner, shortcuts):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[:, 0] += y
    made = heldout.validate({"one": learner}, X, y, estimates=["E_in", "E_boot"], seed=3, shortcuts=shortcuts)
    values = {record.estimate: record.value for record in made.estimates}
    out, nothing, errors = [[] for _ in y], [], []
    for split in draw(y, FOLD, True, 3).splits:
        left = np.setdiff1d(np.arange(40), split.train)
        answers = learner.fit(X[split.train], y[split.train]).predict(X[left])
        for row, wrong in zip(left, answers != y[left], strict=True):
            out[row].append(wrong)
        nothing += [*(answers != y[split.labels[len(left) :]])]
        errors.append((answers != y[left]).mean())
    trained = (learner.fit(X, y).predict(X) != y).mean()
    expected = seen([np.mean(row) for row in out], errors, trained, np.mean(nothing)).error
    assert trained == pytest.approx(values["E_in"], abs=1e-15)
    assert expected == pytest.approx(values["E_boot"], abs=1e-12)


def test_it_is_made_on_request_alone():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    made = heldout.validate({"bayes": GaussianNB()}, X, y, folds=3, repeats=1)
    assert "E_boot" not in {record.estimate for record in made.estimates}
