"""Co-validation: halves, disagreement, and the records made of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.errors import BadArgument
from heldout.estimates import estimate_candidate
from heldout.estimates.methods import choose
from heldout.intervals import two_way_wilson
from heldout.learners.fitting import answers, fit_and_test, predict
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.losses.tested_losses import ShardMargins, repeated_by_row
from heldout.records import Estimate
from heldout.schemes import covalidation
from heldout.schemes.design import Design, Evidence, half_tested, half_trained
from heldout.splits.partition import Partition, make_halves
from heldout.unlabelled import disagreement, implied_error

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LEVEL = 0.9
OF_HALVES = ("E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt")
HALVES = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int8)
TESTED = np.array([[1.0, 0, 0, 0], [1.0, 1.0, 0, 0]])  # 3 errors in 8
TRAINED = np.array([[0.0, 0, 0, 1.0], [0, 1.0, 0, 0]])  # the half models' training errors 0, 1/2, 1/2, 0
NONE = np.zeros((2, 4))
FEW = choose(dict.fromkeys(["E_2cv", "E_train", "disagreement"], "two-way Wilson"), ZERO_ONE)


def design(halves: np.ndarray = HALVES, loss: Loss = ZERO_ONE, methods=FEW) -> Design:
    """Co-validation of rows with two classes, or of numbers."""
    n = halves.shape[1]
    y = np.arange(n) % 2 if loss.of_classes else np.arange(float(n))
    whole = Partition(np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))
    return Design(y, loss, whole, halves, 1, False, 0, LEVEL, methods, OF_HALVES)


def evidence(made: Design, tested: np.ndarray, trained: np.ndarray, disagreement: ShardMargins | None) -> Evidence:
    """The losses of the half models, from tables of shape (R, N), and their disagreement."""
    splits = list(enumerate(made.splits("covalidation")))
    losses = [tested[number // 2, split.validation] for number, split in splits]
    own = [trained[number // 2, split.train] for number, split in splits]
    return Evidence({"covalidation": losses}, own, disagreement)


def records(tested: np.ndarray, trained: np.ndarray, disagreement: ShardMargins | None) -> list[Estimate]:
    return estimate_candidate(design(), "tree", evidence(design(), tested, trained, disagreement))


def disagreeing(rate: float) -> ShardMargins:
    return ShardMargins(
        np.array([50]), np.full((2, 1), rate), np.array([rate]), np.array([rate * (1 - rate) * 49 / 50])
    )


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
        fit_and_test(DecisionTreeClassifier(), X, y, split, ZERO_ONE, 0).hypothesis
        for split in covalidation.splits(half)
    )
    pairs = zip(f1.predict(unlabelled), f2.predict(unlabelled), strict=True)
    expected = sum(one != other for one, other in pairs) / 200
    found = disagreement.pointwise_disagreement(predict(f1, unlabelled), predict(f2, unlabelled), ZERO_ONE)
    assert expected == found.mean()
    assert 0 < expected < 1


@pytest.mark.long
@pytest.mark.parametrize(
    "loss", ["zero_one", "brier", *(pytest.param(loss, marks=pytest.mark.slow) for loss in ("log", "squared"))]
)
@pytest.mark.parametrize("learner", [LogisticRegression(), DecisionTreeClassifier(), GaussianNB()], ids=str)
def test_the_margins_of_many_pairs_are_those_of_each_pair(monkeypatch, learner, loss):
    X, y = make_classification(n_samples=60, n_features=4, flip_y=0.4, random_state=0)
    loss = choose_loss(loss, y)
    hypotheses = [
        fit_and_test(learner, X, y, split, loss, 0).hypothesis
        for half in make_halves(y, repeats=10, stratify=True, seed=2)
        for split in covalidation.splits(half)
    ]
    hypotheses *= 30  # more pairs than a byte counts
    rows = np.random.default_rng(1).normal(size=(50, 4))
    given = [answers(hypothesis, rows, loss) for hypothesis in hypotheses]
    apart = np.stack(
        [disagreement.pointwise_disagreement(*pair, loss) for pair in zip(given[::2], given[1::2], strict=True)]
    )
    for rows_at_once in (1000, 16):
        for family in ("linear", "trees"):
            monkeypatch.setattr(f"heldout.batched.{family}._ROWS_AT_ONCE", rows_at_once)
        of_pairs, of_rows = disagreement.disagreements(hypotheses, rows, loss)
        assert (len(apart), 1) == of_pairs.shape
        np.testing.assert_allclose(of_pairs[:, 0], apart.mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(of_rows, apart.sum(axis=0), rtol=1e-12)
        if loss.needs == "class":
            np.testing.assert_array_equal(of_pairs[:, 0], apart.mean(axis=1))
            np.testing.assert_array_equal(of_rows, apart.sum(axis=0))
        by_shard, of_rows_too = disagreement.disagreements(hypotheses, rows, loss, [13, 1, 2, 34])
        expected = [part.mean(axis=1) for part in np.split(apart, [13, 14, 16], axis=1)]
        np.testing.assert_allclose(by_shard, np.stack(expected, axis=1), rtol=1e-12)
        np.testing.assert_array_equal(of_rows_too, of_rows)


def test_a_loss_that_admits_no_disagreement_is_refused():
    X, y = make_classification(n_samples=20, n_features=4, random_state=0)
    halves = [LogisticRegression().fit(X, y)] * 2
    with pytest.raises(BadArgument, match="admits no disagreement"):
        disagreement.disagreements(halves, X, choose_loss("brier", y).disagreement_loss)


@pytest.mark.parametrize(
    ("first", "second", "loss", "expected"),
    [
        (["a", "b", "c"], ["a", "c", "c"], ZERO_ONE, [0.0, 1.0, 0.0]),
        ([1.0, 2.0, 0.0], [1.0, 5.0, -1.0], SQUARED, [0.0, 9.0, 1.0]),  # 3^2 and 1^2
        ([1.0, 2.0, 0.0], [1.0, 5.0, -1.0], ABSOLUTE, [0.0, 3.0, 1.0]),
    ],
)
def test_pointwise_disagreement_is_the_loss_of_one_prediction_against_the_other(first, second, loss, expected):
    one, other = np.array(first), np.array(second)
    assert expected == disagreement.pointwise_disagreement(one, other, loss).tolist()
    assert expected == disagreement.pointwise_disagreement(other, one, loss).tolist()


def test_the_records_of_a_hand_golden():
    # E_2cv = 3/8; E_train = (0 + 1/2 + 0 + 1/2) / 4 = 1/4
    # d = 0.32 = 2 x 0.2 x 0.8: E_dis = (1 - sqrt(1 - 0.64)) / 2 = (1 - 0.6) / 2 = 0.2; E_maxdt = max(0.25, 0.2)
    found = records(TESTED, TRAINED, disagreeing(0.32))
    expected = {"E_2cv": 0.375, "E_train": 0.25, "disagreement": 0.32, "E_dis": 0.2, "E_maxdt": 0.25}
    assert expected == pytest.approx({record.estimate: record.value for record in found}, abs=1e-15)
    assert {"E_2cv": 4, "E_train": 4, "disagreement": 50, "E_dis": 50, "E_maxdt": 50} == {
        record.estimate: record.n_tested for record in found
    }
    assert {("tree", 2, LEVEL)} == {(record.candidate, record.n_train, record.level) for record in found}


def test_the_bounds_are_those_of_the_method_and_of_e_dis_the_mapped_ones_of_the_disagreement():
    found = {r.estimate: r for r in records(TESTED, TRAINED, disagreeing(0.32))}
    given = evidence(design(), TESTED, TRAINED, disagreeing(0.32))
    seen = {"E_2cv": half_tested(design(), given), "E_train": half_trained(design(), given)}
    for estimate, observed in {**seen, "disagreement": disagreeing(0.32).pooled(ZERO_ONE, 0)}.items():
        interval = two_way_wilson.METHOD.interval(estimate, observed, LEVEL)
        record = found[estimate]
        assert (interval.low, interval.high, interval.method) == (record.low, record.high, record.interval)
        assert interval.assumption == record.assumption
    rate, bound = found["disagreement"], found["E_dis"]
    assert (bound.low, bound.high) == tuple(
        implied_error.error_bound(end, ZERO_ONE, 2)[0] for end in (rate.low, rate.high)
    )
    assert bound.low < bound.value < bound.high


def test_the_bounds_of_the_larger_of_two_are_the_larger_ones_of_parts_at_half_of_what_the_level_leaves():
    found = records(TESTED, TRAINED, disagreeing(0.32))[-1]
    trained = half_trained(design(), evidence(design(), TESTED, TRAINED, None))
    train, rate = (
        two_way_wilson.METHOD.interval(name, observed, 0.95)  # 1 - 0.1 / 2
        for name, observed in [("E_train", trained), ("disagreement", disagreeing(0.32).pooled(ZERO_ONE, 0))]
    )
    low, high = (implied_error.error_bound(end, ZERO_ONE, 2)[0] for end in (rate.low, rate.high))
    assert ("E_maxdt", max(train.low, low), max(train.high, high), LEVEL) == (
        found.estimate,
        found.low,
        found.high,
        found.level,
    )


def test_the_bound_wins_over_a_training_error_that_is_less():
    found = records(NONE, NONE, disagreeing(0.32))
    assert 0.2 == pytest.approx(found[-1].value, abs=1e-15)


def test_a_disagreement_above_one_half_is_kept_and_its_clamp_is_flagged_in_the_targets():
    found = {r.estimate: r for r in records(NONE, NONE, disagreeing(0.6))}
    assert 0.6 == found["disagreement"].value
    assert 0.5 == found["E_dis"].value == found["E_maxdt"].value
    assert 0.5 == found["E_dis"].high == found["E_maxdt"].high
    assert ["E_dis", "E_maxdt"] == [name for name, record in found.items() if "clamped" in record.target]


def test_without_unlabelled_rows_there_is_no_disagreement_and_no_bound():
    found = records(TESTED, TRAINED, None)
    assert ["E_2cv", "E_train"] == [record.estimate for record in found]


def test_rows_too_few_for_a_method_leave_what_is_made_of_it_without_an_interval():
    one_row = ShardMargins(np.array([1]), np.array([[4.0]]), np.array([4.0]), np.array([0.0]))
    labelled = np.array([[1.0, 4.0]])
    made = design(np.array([[0, 1]], dtype=np.int8), SQUARED, choose(None, SQUARED))
    found = estimate_candidate(made, "line", evidence(made, labelled, labelled, one_row))
    # d = 4: E_dis = 4/2 = 2; E_maxdt = max(5/2, 2)
    assert {"E_2cv": 2.5, "E_train": 2.5, "disagreement": 4.0, "E_dis": 2.0, "E_maxdt": 2.5} == {
        record.estimate: record.value for record in found
    }
    claimed = {record.estimate for record in found if record.level is not None}
    assert {"E_2cv", "E_train"} == claimed
    assert {None} == {one for record in found[2:] for one in (record.low, record.high, record.level, record.interval)}


def test_every_record_names_its_target():
    found = records(NONE, NONE, disagreeing(0.1))
    assert all(record.target for record in found)
    assert len(found) == len({record.target for record in found})


@pytest.mark.parametrize("loss", [SQUARED, ABSOLUTE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("learner", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=["plain", "scaled"])
def test_linear_models_of_numbers_differ_by_their_predictions(learner, loss):
    rng = np.random.default_rng(0)
    X, rows = rng.normal(5, 2, size=(60, 4)), rng.normal(5, 2, size=(50, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=60)
    hypotheses = [clone(learner).fit(X[half], y[half]) for half in (slice(0, 30), slice(30, 60), slice(0, 60, 2))] * 2
    pairs = zip(hypotheses[::2], hypotheses[1::2], strict=True)
    table = np.stack([loss.pointwise(one.predict(rows), other.predict(rows)) for one, other in pairs])
    by_shard, sums = disagreement.disagreements(hypotheses, rows, loss, [20, 30])
    expected = [part.mean(axis=1) for part in np.split(table, [20], axis=1)]
    np.testing.assert_allclose(by_shard, np.stack(expected, axis=1), rtol=1e-9)
    np.testing.assert_allclose(sums, table.sum(axis=0), rtol=1e-9)
    whole = repeated_by_row(table, loss)
    pooled = ShardMargins.of(by_shard, sums, [20, 30]).pooled(loss, 7)
    np.testing.assert_allclose(pooled.by_repeat, whole.by_repeat, rtol=1e-9)
    assert pooled.row_variance == pytest.approx(whole.row_variance, rel=1e-9)
    assert (50, 7) == (pooled.n, pooled.seed)
