"""Wilson's limits by class: goldens by hand, exact coverage where a class has few rows, and where it is the default."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument
from heldout.estimates.methods import choose, default_method
from heldout.intervals import clustered_t, log_t, wilson_by_class
from heldout.losses import ZERO_ONE, choose_loss
from heldout.losses.cells import cells
from heldout.losses.memory import memory_of
from heldout.losses.tested_losses import Tested
from heldout.splits.batches import batches

Z = 1.959964
LABELS = np.repeat([0, 1], [270, 30])  # of all labelled rows
BALANCED = choose_loss("balanced", LABELS)
COST = choose_loss({"cost": {0: {1: 1}, 1: {0: 20}}}, LABELS)


def grade(y, said):
    return (np.asarray(y) != np.asarray(said)) * (1.0 + np.asarray(y))


OWN = choose_loss(grade, LABELS)


def seen_of(loss, right, answers, cluster=None):
    right, answers = np.asarray(right), np.asarray(answers)
    return Tested(loss.pointwise(right, answers), loss, cluster=cluster, cells=cells(loss, LABELS, right))


def wilson(errors, n):
    found = binomtest(errors, n).proportion_ci(0.95, method="wilson")
    return found.low, found.high


def test_the_limits_of_two_classes_without_an_error_by_hand():
    # Wilson's upper limit of 0 of n is z^2 / (n + z^2): .6576 of 2 rows, .1759 of 18; each class counts 1/2
    high = math.hypot(0.6576 / 2, 0.1759 / 2)
    right = np.repeat([0, 1], [18, 2])
    low, found = wilson_by_class.bounds(seen_of(BALANCED, right, right), 0.95)
    assert (0.0, high) == (low, pytest.approx(found, abs=1e-4))
    # a class without a tested row may err always
    alone = np.zeros(18, dtype=int)
    assert math.hypot(1 / 2, 0.1759 / 2) == pytest.approx(
        wilson_by_class.bounds(seen_of(BALANCED, alone, alone), 0.95)[1], abs=1e-4
    )


def test_the_balanced_error_has_the_limits_of_a_mean_of_independent_shares():
    right = np.repeat([0, 1], [54, 6])
    answers = right.copy()
    answers[[0, 1, 54, 55]] = 1 - answers[[0, 1, 54, 55]]
    shares, ends = np.array([2 / 54, 2 / 6]), np.array([wilson(2, 54), wilson(2, 6)])
    below, above = (math.sqrt(((ends[:, side] - shares) ** 2).sum()) / 2 for side in (0, 1))
    found = wilson_by_class.bounds(seen_of(BALANCED, right, answers), 0.95)
    assert (shares.mean() - below, shares.mean() + above) == pytest.approx(found, abs=1e-6)


def test_costs_have_in_addition_the_limits_of_the_shares_of_the_labelled_rows():
    """All costs are in the class of 30 of 300 rows, of which 1 of 6 tested ones errs: the error is s_1 m_1."""
    right = np.repeat([0, 1], [54, 6])
    answers = right.copy()
    answers[54] = 0
    (low, high), (below, above), (least, most) = wilson(0, 54), wilson(1, 6), wilson(30, 300)
    assert 0 == low
    share, mean = 0.1, 20 / 6
    # no error in class 0: its cost of 1 has the limits 0 and u; its own share adds the small product
    others = (0.9 * high) ** 2 + ((wilson(270, 300)[1] - 0.9) * high) ** 2
    # the covariance of two shares: Var(s_1 m_1) = s (1 - s) m^2 / N, which is R^2 without a correction
    up = math.sqrt(
        (share * 20 * (above - 1 / 6)) ** 2
        + ((most - share) * 20 * (above - 1 / 6)) ** 2
        + ((most - share) * mean) ** 2
        + others
    )
    down = math.sqrt((0.1**2 + (least - share) ** 2) * (20 * (1 / 6 - below)) ** 2 + ((least - share) * mean) ** 2)
    found = wilson_by_class.bounds(seen_of(COST, right, answers), 0.95)
    assert (share * mean - down, share * mean + up) == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("errors", list(product([0.02, 0.1], [0.15, 0.5, 0.85])))
def test_with_three_tested_rows_of_a_class_it_covers_the_balanced_error_and_the_t_of_the_losses_does_not(errors):
    """Exact: over all numbers of wrong rows among 57 and 3, with their binomial chances."""
    labels = np.repeat([0, 1], [285, 15])
    loss = choose_loss("balanced", labels)
    covered = dict.fromkeys((wilson_by_class, log_t), 0.0)
    chances = [binom(n, error).pmf(np.arange(n + 1)) for n, error in zip((57, 3), errors, strict=True)]
    right = np.repeat([0, 1], [57, 3])
    for common, rare in product(range(58), range(4)):
        chance = chances[0][common] * chances[1][rare]
        if chance < 1e-6:
            continue
        answers = right.copy()
        answers[:common], answers[57 : 57 + rare] = 1, 0
        seen = Tested(loss.pointwise(right, answers), loss, cells=cells(loss, labels, right))
        for method in covered:
            low, high = method.bounds(seen, 0.95)
            covered[method] += chance * (low <= np.mean(errors) <= high)
    assert covered[wilson_by_class] >= 0.93
    if errors[1] == 0.15:  # the three rows are right in .61 of samples
        assert covered[log_t] < 0.6


@pytest.mark.parametrize(("share", "n"), [(0.04, 300), (0.1, 100)])
def test_it_covers_costs_of_20_to_1_in_the_stratified_part_of_a_table_and_the_t_of_the_losses_does_not(share, n):
    rng, covered, repeats = np.random.default_rng(0), dict.fromkeys((wilson_by_class, log_t), 0), 250
    truth = 20 * share * 0.4 + (1 - share) * 0.03
    for _ in range(repeats):
        rare = max(rng.binomial(n, share), 1)
        few = int(np.floor(rare / 5 + rng.random()))
        right = np.repeat([0, 1], [n // 5 - few, few])
        wrong = rng.random(n // 5) < np.where(right, 0.4, 0.03)
        labels = np.repeat([0, 1], [n - rare, rare])
        seen = Tested(COST.pointwise(right, right ^ wrong), COST, cells=cells(COST, labels, right))
        for method in covered:
            low, high = method.bounds(seen, 0.95)
            covered[method] += low <= truth <= high
    # standard errors of shares of 250: .014
    assert covered[wilson_by_class] / repeats >= 0.92
    assert covered[log_t] / repeats < 0.85


def test_rows_of_few_groups_have_no_narrower_limits_than_the_clustered_t_and_than_independent_rows():
    rng = np.random.default_rng(1)
    right = rng.permutation(np.repeat([0, 1], [100, 20]))
    cluster = np.repeat(np.arange(12), 10)
    answers = np.where(np.isin(cluster, [3, 7]) & (rng.random(120) < 0.7), 1 - right, right)
    for loss in (BALANCED, COST, OWN):
        seen = seen_of(loss, right, answers, cluster)
        low, high = wilson_by_class.bounds(seen, 0.95)
        for other in (clustered_t.bounds(seen, 0.95), wilson_by_class.bounds(seen_of(loss, right, answers), 0.95)):
            assert low <= max(other[0], 0)
            assert other[1] <= high


def test_rows_in_time_have_no_narrower_limits_than_the_clustered_t():
    """By the variance between batches alone 171 of 200 such intervals were narrower, and .70 covered."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        right, wrong = rng.integers(0, 2, 300), np.repeat(rng.random(10) < 0.3, 30)
        losses = BALANCED.pointwise(right, right ^ wrong)
        seen = replace(seen_of(BALANCED, right, right ^ wrong, batches(losses)), memory=memory_of(losses))
        low, high = wilson_by_class.bounds(seen, 0.95)
        of_t = clustered_t.bounds(seen, 0.95)
        assert low <= max(of_t[0], 0)
        assert of_t[1] <= high


def test_means_over_several_partitions_have_limits_inside_of_those_of_their_largest_value():
    right = np.repeat([0, 1], [50, 10])
    once = BALANCED.pointwise(right, np.where(np.arange(60) % 5 == 0, 1 - right, right))
    of_rows = cells(BALANCED, LABELS, right)
    low, high = wilson_by_class.bounds(Tested(0.3 * once, BALANCED, cells=of_rows), 0.95)
    assert low < 0.3 * once.mean() < high < 1


def test_a_loss_of_classes_has_it_by_default_also_a_function_of_the_user_and_others_do_not():
    for estimate, name in {
        "E_val": "Wilson by class",
        "E_test": "Wilson by class",
        "E_prog": "Wilson by class",
    }.items():
        assert [name] * 3 == [default_method(estimate, loss).name for loss in (BALANCED, COST, OWN)]
        assert default_method(estimate, ZERO_ONE).name == "Clopper-Pearson"
        assert name not in (
            default_method(estimate, BALANCED.with_weights()).name,
            default_method(estimate, COST.with_weights(drawn=True)).name,
        )
    of_numbers = choose_loss(lambda y, said: np.abs(y - said), np.array([0.5, 1.25, 2.0]))
    assert default_method("E_val", of_numbers).losses == "any"
    for kind in ("groups", "time", "groups and time"):
        assert {"Wilson by class"} == {choose(None, COST, kind)[name].name for name in ("E_val", "E_test", "E_prog")}


def test_every_call_has_it_and_does_not_mark_it():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [285, 15])
    X = rng.normal(size=(300, 2)) + 3 * y[:, None]
    found = heldout.validate({"bayes": GaussianNB()}, X, y, loss="balanced", estimates=["E_val", "E_prog", "E_cv"])
    for record in found.estimates:
        assert record.interval == ("corrected Wilson by class" if record.estimate == "E_cv" else "Wilson by class")
        assert record.not_credible is None
        assert record.low < record.value < record.high
    [E_val] = [record for record in found.estimates if record.estimate == "E_val"]
    assert E_val.high > 0.1  # three rows of the rare class, all of them right, do not show that all are
    table = {"a": np.where(rng.random(300) < 0.1, 1 - y, y), "label": y, "fold": np.arange(300) % 5}
    for fold, name in ((None, "Wilson by class"), ("fold", "pooled Wilson by class")):
        [record] = heldout.from_predictions(table, answer=["a"], loss="balanced", fold=fold, row=None).estimates
        assert (name, None) == (record.interval, record.not_credible)
        assert record.low < record.value < record.high


def test_without_the_classes_of_the_rows_it_is_refused():
    with pytest.raises(BadArgument, match="needs the class of each row") as caught:
        wilson_by_class.METHOD.interval("E_val", Tested(np.array([0.0, 1.0, 1.0]), BALANCED), 0.95)
    assert "intervals" == caught.value.argument


@pytest.mark.parametrize("loss", [BALANCED, COST], ids=lambda loss: loss.name)
def test_where_whole_groups_are_of_the_rare_class_it_covers_and_the_clustered_t_does_not(loss):
    """20 groups of 8 rows; half of the rows of each fifth group are rare, and groups differ in how often they err."""

    def drawn(rng, groups):
        cluster = np.repeat(np.arange(groups), 8)
        right = np.repeat(rng.random(groups) < 0.2, 8) & (rng.random(8 * groups) < 0.5)
        chance = 1 / (1 + np.exp(2.5 * ~right - rng.normal(size=groups)[cluster]))
        return cluster, right.astype(int), rng.random(8 * groups) < chance

    _, right, wrong = drawn(np.random.default_rng(0), 50_000)
    errors = np.array([wrong[right == place].mean() for place in (0, 1)])
    truth = errors.mean() if loss is BALANCED else errors @ [0.9 * 1, 0.1 * 20]
    held = np.zeros(2)
    for number in range(200):
        cluster, right, wrong = drawn(np.random.default_rng(number), 20)
        seen = seen_of(loss, right, right ^ wrong, cluster)
        both = np.array([method.bounds(seen, 0.95) for method in (wilson_by_class, clustered_t)])
        held += (both[:, 0] <= truth) & (truth <= both[:, 1])
    # a standard error of a share of 200: .015
    assert held[0] / 200 >= 0.95
    assert held[1] / 200 < 0.91
