"""Co-validation: halves, disagreement, and the records made of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from heldout import covalidation
from heldout.fitting import fit_and_test, predict
from heldout.losses import SQUARED, ZERO_ONE
from heldout.partition import make_halves

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
FEW = {"n_labeled": 4, "n_unlabeled": 50, "loss": ZERO_ONE, "classes": 2}


@LAWS
@given(st.integers(2, 40), st.integers(0, 2**40))
def test_the_two_splits_are_disjoint_complements_in_exchanged_roles(n, seed):
    (half,) = make_halves(np.zeros(n, dtype=int), repeats=1, stratify=False, seed=seed)
    first, second = covalidation.splits(half)
    assert first.train.tolist() == second.validation.tolist() == np.flatnonzero(half == 0).tolist()
    assert first.validation.tolist() == second.train.tolist() == np.flatnonzero(half == 1).tolist()
    assert list(range(n)) == sorted([*first.train.tolist(), *second.train.tolist()])


def test_disagreement_is_the_share_of_rows_on_which_two_halves_differ():
    X, y = make_classification(n_samples=60, n_features=4, flip_y=0.4, random_state=0)
    unlabelled = np.random.default_rng(1).normal(size=(200, 4))
    (half,) = make_halves(y, repeats=1, stratify=True, seed=2)
    f1, f2 = (
        fit_and_test(DecisionTreeClassifier(random_state=0), X, y, split, ZERO_ONE).hypothesis
        for split in covalidation.splits(half)
    )
    pairs = zip(f1.predict(unlabelled), f2.predict(unlabelled), strict=True)
    expected = sum(one != other for one, other in pairs) / 200
    found = covalidation.pointwise_disagreement(predict(f1, unlabelled), predict(f2, unlabelled), ZERO_ONE)
    assert expected == found.mean()
    assert 0 < expected < 1


@pytest.mark.parametrize(
    ("first", "second", "loss", "expected"),
    [
        (["a", "b", "c"], ["a", "c", "c"], ZERO_ONE, [0.0, 1.0, 0.0]),
        ([1.0, 2.0, 0.0], [1.0, 5.0, -1.0], SQUARED, [0.0, 9.0, 1.0]),  # 3^2 and 1^2
    ],
)
def test_pointwise_disagreement_is_the_loss_of_one_prediction_against_the_other(first, second, loss, expected):
    one, other = np.array(first), np.array(second)
    assert expected == covalidation.pointwise_disagreement(one, other, loss).tolist()
    assert expected == covalidation.pointwise_disagreement(other, one, loss).tolist()


def test_the_records_of_a_hand_golden():
    # two repeats of four rows, 3 errors in 8: E_2cv = 3/8; half models' training errors 0, 1/2, 0, 1/2: E_train = 1/4
    # d = 0.32 = 2 x 0.2 x 0.8: E_dis = (1 - sqrt(1 - 0.64)) / 2 = (1 - 0.6) / 2 = 0.2; E_maxdt = max(0.25, 0.2)
    losses = np.array([1.0, 0, 0, 0, 1.0, 1.0, 0, 0])
    found = covalidation.estimates("tree", losses, [0, 0.5, 0, 0.5], 0.32, **FEW)
    expected = {"E_2cv": 0.375, "E_train": 0.25, "disagreement": 0.32, "E_dis": 0.2, "E_maxdt": 0.25}
    assert expected == pytest.approx({record.estimate: record.value for record in found}, abs=1e-15)
    assert {"E_2cv": 4, "E_train": 4, "disagreement": 50, "E_dis": 50, "E_maxdt": 50} == {
        record.estimate: record.n_tested for record in found
    }
    assert {("tree", 2, None, None)} == {
        (record.candidate, record.n_train, record.low, record.interval) for record in found
    }


def test_the_bound_wins_over_a_training_error_that_is_less():
    found = covalidation.estimates("tree", np.zeros(4), [0.0, 0.0], 0.32, **FEW)
    assert 0.2 == pytest.approx(found[-1].value, abs=1e-15)


def test_a_disagreement_above_one_half_is_kept_and_its_clamp_is_flagged_in_the_targets():
    found = {r.estimate: r for r in covalidation.estimates("tree", np.zeros(4), [0.0, 0.0], 0.6, **FEW)}
    assert 0.6 == found["disagreement"].value
    assert 0.5 == found["E_dis"].value == found["E_maxdt"].value
    assert ["E_dis", "E_maxdt"] == [name for name, record in found.items() if "clamped" in record.target]


def test_without_unlabelled_rows_there_is_no_disagreement_and_no_bound():
    found = covalidation.estimates("tree", np.zeros(4), [0.0, 0.0], None, **{**FEW, "n_unlabeled": 0})
    assert ["E_2cv", "E_train"] == [record.estimate for record in found]


def test_every_record_names_its_target():
    found = covalidation.estimates("tree", np.zeros(4), [0.0, 0.0], 0.1, **FEW)
    assert all(record.target for record in found)
    assert len(found) == len({record.target for record in found})
