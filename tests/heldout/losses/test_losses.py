"""Pointwise losses: golden values, scikit-learn as oracle, and which of them fits a target."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
)
from sklearn.metrics import zero_one_loss as sklearn_zero_one_loss

from heldout.errors import BadArgument
from heldout.losses import ABSOLUTE, NAMES, SQUARED, ZERO_ONE, check_spec, choose_loss, natural_loss

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
numbers = st.lists(st.tuples(*[st.floats(-1e3, 1e3)] * 2), min_size=1, max_size=30)
seeds = st.integers(0, 2**32 - 1)
ABC = np.array(["a", "b", "b", "c", "c", "c"])  # N = 6, C = 3
ROUNDING = 1e-12  # sums of at most 60 terms below 40


def chances(seed, classes, n=30) -> tuple[np.ndarray, np.ndarray]:
    """Labels of every class, and probabilities, some of them 0 and 1."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n)])
    probabilities = rng.dirichlet(np.full(classes, 0.4), size=len(y))
    certain = rng.random(len(y)) < 0.2
    probabilities[certain] = np.eye(classes)[rng.integers(0, classes, certain.sum())]
    return y, probabilities


@LAWS
@given(labels)
def test_the_mean_zero_one_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # both are one count over n
    assert sklearn_zero_one_loss(y, predicted) == pytest.approx(ZERO_ONE.pointwise(y, predicted).mean(), abs=1e-15)


@LAWS
@given(numbers)
def test_the_mean_squared_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # the same sum in another order: rounding of at most 30 terms
    assert mean_squared_error(y, predicted) == pytest.approx(SQUARED.pointwise(y, predicted).mean(), rel=1e-13)


@LAWS
@given(numbers)
def test_the_mean_absolute_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # the same sum in another order: rounding of at most 30 terms
    assert mean_absolute_error(y, predicted) == pytest.approx(ABSOLUTE.pointwise(y, predicted).mean(), rel=1e-13)


@LAWS
@given(numbers, st.floats(0.01, 0.99))
def test_the_mean_pinball_loss_equals_that_of_scikit_learn(pairs, quantile):
    y, predicted = np.array(pairs).T
    found = choose_loss({"pinball": quantile}, y).pointwise(y, predicted)
    assert mean_pinball_loss(y, predicted, alpha=quantile) == pytest.approx(found.mean(), rel=1e-12, abs=ROUNDING)


@LAWS
@given(seeds, st.integers(2, 5))
def test_the_mean_log_and_brier_losses_equal_those_of_scikit_learn(seed, classes):
    y, p = chances(seed, classes)
    names = np.array(["e", "d", "c", "b", "a"])[:classes][::-1]  # the same order as the numbers
    log, brier = (choose_loss(name, y).pointwise(y, p) for name in ("log", "brier"))
    assert log_loss(y, p) == pytest.approx(log.mean(), abs=ROUNDING)
    # scikit-learn 1.6 has the loss for two classes alone; with two of them the sum has each difference twice
    of_classes = [brier_score_loss(y == k, p[:, k]) for k in range(classes)]
    assert sum(of_classes) / (2 if classes == 2 else 1) == pytest.approx(brier.mean(), abs=ROUNDING)
    assert log.tolist() == choose_loss("log", names[y]).pointwise(names[y], p).tolist()


@LAWS
@given(seeds, st.integers(2, 5))
def test_the_mean_balanced_loss_over_all_rows_is_one_minus_the_balanced_accuracy_of_scikit_learn(seed, classes):
    y, p = chances(seed, classes)
    found = choose_loss("balanced", y).pointwise(y, p.argmax(axis=1)).mean()
    assert 1 - balanced_accuracy_score(y, p.argmax(axis=1)) == pytest.approx(found, abs=ROUNDING)


@LAWS
@given(seeds, st.integers(2, 5))
def test_with_weights_the_weighted_mean_is_the_weighted_balanced_error_of_scikit_learn(seed, classes):
    y, p = chances(seed, classes)
    weights = np.random.default_rng(seed).gamma(1, size=len(y))
    found = choose_loss("balanced", y, weights).pointwise(y, p.argmax(axis=1))
    expected = 1 - balanced_accuracy_score(y, p.argmax(axis=1), sample_weight=weights)
    assert expected == pytest.approx(np.average(found, weights=weights), abs=ROUNDING)


@LAWS
@given(seeds)
def test_costs_of_1_are_the_zero_one_loss_and_costs_of_the_class_sizes_the_balanced_one(seed):
    y, p = chances(seed, 3)
    predicted = p.argmax(axis=1)
    sizes = len(y) / (3 * np.bincount(y))
    same = choose_loss({"cost": {a: {b: 1 for b in range(3) if a != b} for a in range(3)}}, y)
    balanced = choose_loss({"cost": {a: {b: float(sizes[a]) for b in range(3) if a != b} for a in range(3)}}, y)
    assert ZERO_ONE.pointwise(y, predicted).tolist() == same.pointwise(y, predicted).tolist()
    assert choose_loss("balanced", y).pointwise(y, predicted).tolist() == balanced.pointwise(y, predicted).tolist()
    assert (True, True) == (same.binary, same.bounded)


@pytest.mark.parametrize("loss", [ZERO_ONE, SQUARED, ABSOLUTE], ids=lambda loss: loss.name)
@LAWS
@given(pairs=numbers)
def test_a_loss_is_symmetric_not_negative_and_zero_for_the_truth(loss, pairs):
    y, predicted = np.array(pairs).T
    losses = loss.pointwise(y, predicted)
    assert y.shape == losses.shape
    assert np.float64 == losses.dtype
    assert (losses >= 0).all()
    assert [0.0] * len(y) == loss.pointwise(y, y).tolist()
    assert losses.tolist() == loss.pointwise(predicted, y).tolist()


def test_goldens_made_by_hand():
    p = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    y = np.array(["a", "b", "c"])
    # -ln 1/2; a right answer is clipped to 1 - 2.2e-16, a wrong one to 2.2e-16: 52 ln 2
    expected = [np.log(2), 2.0**-52, 52 * np.log(2)]
    assert expected == pytest.approx(choose_loss("log", ABC).pointwise(y, p).tolist(), rel=1e-12)
    # 1/4 + 1/16 + 1/16; 0; 1 + 1, the largest of three classes
    assert [0.375, 0.0, 2.0] == choose_loss("brier", ABC).pointwise(y, p).tolist()
    two = np.array([[0.75, 0.25], [0.0, 1.0]])
    assert [0.0625, 1.0] == choose_loss("brier", np.array([0, 1])).pointwise(np.array([0, 0]), two).tolist()
    # 6 / (3 n_c) for n_c = 1, 2, 3
    assert [2.0, 1.0, 2 / 3, 0.0] == choose_loss("balanced", ABC).pointwise(
        np.array(["a", "b", "c", "c"]), np.array(["b", "c", "a", "c"])
    ).tolist()
    costs = choose_loss({"cost": {"a": {"b": 5, "c": 1}, "b": {"a": 2, "c": 3}, "c": {"a": 7, "b": 0, "c": 0.5}}}, ABC)
    assert [5.0, 2.0, 0.0, 0.5, 0.0] == costs.pointwise(
        np.array(["a", "b", "c", "c", "a"]), np.array(["b", "a", "b", "c", "a"])
    ).tolist()
    pinball = choose_loss({"pinball": 0.75}, np.array([1.0, 2.5]))
    assert [1.5, 0.5, 0.0] == pinball.pointwise([3, 3, 3], [1, 5, 3]).tolist()  # 0.75 x 2, 0.25 x 2


def test_single_precision_is_clipped_at_its_own_eps_as_scikit_learn_does():
    y, p = np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 1.0]], dtype=np.float32)
    found = choose_loss("log", y).pointwise(y, p)
    assert [23 * np.log(2), 2.0**-23] == pytest.approx(found.tolist(), rel=1e-6)  # in float32 itself
    assert log_loss(y, p) == pytest.approx(found.mean(), rel=1e-6)


def test_a_label_that_no_labelled_row_has_got_no_probability_and_has_no_cost():
    p, new = np.array([[0.5, 0.25, 0.25]]), np.array(["d"])
    assert [52 * np.log(2)] == pytest.approx(choose_loss("log", ABC).pointwise(new, p).tolist(), rel=1e-12)
    assert [1.375] == choose_loss("brier", ABC).pointwise(new, p).tolist()  # 1 + 1/4 + 1/16 + 1/16
    with pytest.raises(ValueError, match="^class 'd' is that of no labelled row$"):
        choose_loss("balanced", ABC).pointwise(new, np.array(["a"]))
    costs = choose_loss({"cost": {a: {b: 1 for b in "abc" if a != b} for a in "abc"}}, ABC)
    with pytest.raises(ValueError, match="^there is no cost for class 'd'$"):
        costs.pointwise(np.array(["a"]), new)


def test_a_cost_may_name_a_class_that_no_labelled_row_has():
    costs = choose_loss({"cost": {a: {b: 2 for b in (0, 1, 2) if a != b} for a in (0, 1, 2)}}, np.array([0, 1]))
    assert [2.0] == costs.pointwise(np.array([2]), np.array([0])).tolist()


@pytest.mark.parametrize(
    ("spec", "y", "limit", "binary", "needs"),
    [
        ("zero_one", [0, 0, 1], 1, True, "class"),
        ("log", [0, 0, 1], np.inf, False, "probabilities"),
        ("brier", [0, 0, 1], 1, False, "probabilities"),
        ("brier", [0, 1, 2], 2, False, "probabilities"),
        ("balanced", [0, 0, 1], 1.5, False, "class"),
        ("balanced", [0, 0, 1, 1], 1, True, "class"),  # equal classes: the 0/1 loss itself
        ({"cost": {0: {1: 1}, 1: {0: 0.5}}}, [0, 1], 1, False, "class"),
        ({"cost": {0: {1: 5}, 1: {0: 0.5}}}, [0, 1], 5, False, "class"),
        ({"cost": {0: {1: 0}, 1: {0: 0}}}, [0, 1], 1, True, "class"),  # a loss over its limit is a number
        ("squared", [0, 1], np.inf, False, "number"),
        ("absolute", [0, 1], np.inf, False, "number"),
        ("pinball", [0, 1], np.inf, False, "number"),
    ],
)
def test_range_and_need_of_each_loss(spec, y, limit, binary, needs):
    loss = choose_loss(spec, np.array(y))
    assert (limit, np.isfinite(limit), binary, needs) == (loss.limit, loss.bounded, loss.binary, loss.needs)
    assert (needs != "number") == loss.of_classes
    assert loss.says
    assert loss.name in (*NAMES, "cost")


@pytest.mark.parametrize("spec", [*NAMES, {"pinball": 0.9}, {"cost": {1: {2: 5}, 2: {1: 1}}}], ids=str)
def test_a_loss_crosses_to_a_worker(spec):
    y = np.array([1, 2, 2])
    loss = choose_loss(spec, y)
    answers = np.array([[0.5, 0.5]] * 3) if loss.needs == "probabilities" else np.array([2, 2, 1])
    sent = pickle.loads(pickle.dumps(loss))
    assert loss.pointwise(y, answers).tolist() == sent.pointwise(y, answers).tolist()
    assert loss.name == sent.name


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_known_and_pinball_alone_is_that_of_the_median(name):
    check_spec(name)
    assert name == choose_loss(name, np.array([1, 2])).name
    assert [1.0] == choose_loss("pinball", np.array([0.0])).pointwise([3], [1]).tolist()


def test_whole_numbers_of_many_kinds_are_classes_by_name_unless_each_row_has_another():
    many = np.append(np.repeat(np.arange(26), 3), 99)
    assert "log" == choose_loss("log", many).name
    with pytest.raises(BadArgument, match="^loss is log, but lot holds numbers that are no classes; use squared"):
        choose_loss("log", np.arange(26), called="lot")


def test_a_class_of_no_weight_has_no_balanced_error():
    with pytest.raises(BadArgument, match="^loss is balanced, but every row of class 'a' has weight 0"):
        choose_loss("balanced", ABC, np.array([0, 1, 1, 1, 1, 0.0]))


@pytest.mark.parametrize("name", ["squared", "absolute", "pinball", "log"])
def test_a_limit_may_be_stated_for_a_loss_that_has_none(name):
    plain, limited = (choose_loss(name, np.array([1, 2]), loss_max=stated) for stated in (None, 9))
    assert (np.inf, False) == (plain.limit, plain.limit_is_stated)
    assert (9.0, True) == (limited.limit, limited.limit_is_stated)
    assert plain.disagreement_loss == limited.disagreement_loss  # which two answers may pass
    rows = np.array([4, 7])
    for loss, losses in ((plain, [8.0, 1e9]), (limited, [8.0, 9 * (1 + 1e-12)]), (limited, [])):
        loss.check_losses(np.array(losses), rows, "ridge")
    with pytest.raises(BadArgument, match=f"^loss_max is 9, but the {name} loss of ridge is 9.5 at row 7; ") as caught:
        limited.check_losses(np.array([8.0, 9.5]), rows, "ridge")
    assert "loss_max" == caught.value.argument


@pytest.mark.parametrize(
    ("spec", "limit"),
    [("zero_one", 1), ("brier", 2), ("balanced", 2), ({"cost": {a: dict.fromkeys("abc", 7.5) for a in "abc"}}, 7.5)],
)
def test_no_limit_may_be_stated_for_a_loss_that_has_one(spec, limit):
    with pytest.raises(BadArgument, match=f"^loss_max is 9, but no .* loss of this target is above {limit:g}: "):
        choose_loss(spec, ABC, loss_max=9)


@pytest.mark.parametrize("limit", [0, -1, np.inf, np.nan, True, "9", [9]])
def test_what_is_no_limit_is_refused(limit):
    with pytest.raises(
        BadArgument, match=f"^loss_max is {re.escape(repr(limit))}; it must be a finite number above 0$"
    ):
        choose_loss("squared", np.array([0.5, 1.0]), loss_max=limit)


def test_what_a_row_with_a_weight_adds_has_no_limit_though_its_loss_has_one():
    y, weights = np.array([0.5, 1.0]), np.array([1.0, 3.0])
    assert 9 == choose_loss("squared", y, np.ones(2), loss_max=9).limit
    assert not choose_loss("zero_one", np.array([0, 1]), weights).bounded
    weighted = choose_loss("squared", y, weights, loss_max=9)
    assert (9, True, False) == (weighted.limit, weighted.weighted, weighted.bounded)


def test_zero_one_loss_of_strings():
    assert [0.0, 1.0] == ZERO_ONE.pointwise(np.array(["won", "lost"]), np.array(["won", "won"])).tolist()


@pytest.mark.parametrize(
    ("y", "name"),
    [
        ([0, 1, 1], "zero_one"),
        (["a", "b"], "zero_one"),
        ([True, False], "zero_one"),
        ([0, 1, 2], "zero_one"),
        ([0.0, 1.0, 2.0], "zero_one"),
        ([0.5, 1.0, 2.0], "squared"),
    ],
)
def test_classes_take_zero_one_loss_and_numbers_with_a_fraction_squared_loss(y, name):
    assert name == natural_loss(y).name == choose_loss(None, np.array(y)).name


@pytest.mark.parametrize(
    "y",
    [
        [[0, 1], [1, 1]],
        [[0.5, 1.5], [1.0, 2.0]],
        np.array([1, "a"], dtype=object),
        np.array(["a", 1], dtype=object),
    ],
)
def test_a_target_of_several_columns_or_mixed_types_is_refused(y):
    with pytest.raises(BadArgument, match="the target is of kind .*; it must be one column") as caught:
        natural_loss(y)
    assert "y" == caught.value.argument
