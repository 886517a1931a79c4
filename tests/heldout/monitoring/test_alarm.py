"""The alarm on a stream of shards: a fair game without drift, and quick where there is drift."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.signal import lfilter

from heldout.monitoring.alarm import FRACTIONS, Alarm, Reference, RunningMean, ShardShares, Side

SHARES = arrays(np.float64, st.integers(1, 20), elements=st.floats(0, 1))


def known(mean: float) -> Reference:
    """A reference that leaves no doubt about the mean: a single interval, at whose lower end nothing can be won."""
    return Reference(10, mean, 10.0, 0.0, np.array([mean]), np.full((len(FRACTIONS), 1), -np.inf))


def drawn(rng, rows: int, mean: float) -> np.ndarray:
    """Most rows are never disagreed on, the others by a third of 30 repeats."""
    return np.where(rng.random(rows) < 3 * mean, rng.binomial(30, 1 / 3, rows) / 30, 0.0)


def test_one_row_by_hand():
    """Half of the wealth waits; the other half, in ten parts, is staked at even odds on a row that is won.

    The second bettor has kept half of his wealth, and lost the rest.
    """
    alarm = Side(known(0.5)).after(np.ones(1))
    assert (0.5 + 0.5 * np.mean(1 + FRACTIONS)) / 2 == pytest.approx(math.exp(alarm.log), rel=1e-12)
    # and once more: 1 / (1 + log2(3)) waits on, and what does not wait is staked on the second row alone
    waits = 1 / (1 + math.log2(3))
    twice = waits + np.mean((0.5 * (1 + FRACTIONS) + 0.5 - waits) * (1 + FRACTIONS))
    assert twice / 2 == pytest.approx(math.exp(alarm.after(np.ones(1)).log), rel=1e-12)


def test_the_expected_capital_at_the_true_mean_is_at_most_one():
    """Over all draws of a reference of two rows and of two shards of two rows, in the interval of the mean."""
    mean, expected = 0.25, 0.0
    chances = {1.0: mean / 2, 0.5: mean, 0.0: 1 - 1.5 * mean}
    for rows in itertools.product(chances, repeat=6):
        of = np.array(rows)
        side = Side(Reference.of([ShardShares.of(of[:2], of_reference=True)])).after(of[2:4]).after(of[4:])
        cell = np.searchsorted(side.reference.means, mean)
        waits = side.reference.known + math.log(1 / (1 + math.log2(3)))
        wealth = np.logaddexp(np.logaddexp.reduce(side.staked, axis=0), waits)[cell]
        expected += math.prod(chances[row] for row in rows) * math.exp(wealth)
    assert 0.8 < expected <= 1


@settings(max_examples=20)
@given(SHARES, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_of_a_shard_changes_nothing(shares, random):
    order = [*range(len(shares))]
    random.shuffle(order)
    alarm = Alarm.of([[0.0, 0.0, 1.0]])
    assert alarm.after(shares).log == pytest.approx(alarm.after(shares[order]).log, abs=1e-9)


@settings(max_examples=20)
@given(SHARES)
def test_no_bet_falls_where_a_row_disagrees_more(shares):
    more = shares.copy()
    more[0] = 1.0
    alarm = Alarm.of([[0.0, 0.0, 1.0]])
    assert (alarm.after(shares).more.staked <= alarm.after(more).more.staked + 1e-9).all()
    assert (alarm.after(shares).less.staked >= alarm.after(more).less.staked - 1e-9).all()


def test_many_distinct_values_are_rounded_against_the_alarm():
    shares = np.random.default_rng(0).random(2000)
    rows, of_reference = ShardShares.of(shares), ShardShares.of(shares, of_reference=True)
    assert len(rows.values) < 600
    assert rows.values @ rows.counts < shares.sum() < of_reference.values @ of_reference.counts
    assert (shares.mean(), shares.var()) == (rows.mean, rows.variance)


def test_without_drift_the_alarm_is_raised_at_most_as_often_as_its_level_says():
    """30 streams of 25 shards, level 0.2; the reference has few rows, whose mean is far from certain."""
    rng, raised = np.random.default_rng(0), 0
    for _ in range(30):
        alarm = Alarm.of([drawn(rng, 50, 0.05) for _ in range(2)])
        ever = False
        for _ in range(25):
            alarm = alarm.after(drawn(rng, 50, 0.05))
            ever |= alarm.raised(0.2)
        raised += ever
    assert raised <= 0.2 * 30


def test_drift_is_found_after_any_quiet():
    rng = np.random.default_rng(1)
    reference = [drawn(rng, 300, 0.05) for _ in range(4)]
    for quiet in (0, 200):
        alarm = Alarm.of(reference)
        for _ in range(quiet):
            alarm = alarm.after(drawn(rng, 100, 0.05))
        assert not alarm.raised(0.05)
        delay = 0
        while not alarm.raised(0.05):
            alarm, delay = alarm.after(drawn(rng, 100, 0.15)), delay + 1
        assert delay <= 3


def test_shards_that_differ_much_count_as_fewer_rows():
    alike = [np.repeat([0.0, 1.0], [90, 10])] * 4
    apart = [np.repeat([0.0, 1.0], [90 + less, 10 - less]) for less in (9, -9, 9, -9)]
    new = np.repeat([0.0, 1.0], [70, 30])
    of_alike, of_apart = Alarm.of(alike), Alarm.of(apart)
    assert 1.0 == of_alike.more.reference.design_effect(100) < 10 < of_apart.more.reference.design_effect(100)
    assert of_alike.after(new).raised(0.05)
    assert not of_apart.after(new).raised(0.05)


def test_shards_that_follow_one_another_slowly_raise_it_less_often_from_four_of_reference():
    """Their mean is an autoregression of .9, its deviation half of .05: 13 of 20 streams of 40 raised it before."""
    raised = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=44) * math.sqrt(1 - 0.9**2)
        noise[0] = rng.normal()
        means = np.minimum(0.05 * np.exp(0.5 * lfilter([1], [1, -0.9], noise) - 0.125), 1 / 3)
        alarm, ever = Alarm.of([drawn(rng, 300, mean) for mean in means[:4]]), False
        for mean in means[4:]:
            alarm = alarm.after(drawn(rng, 100, mean))
            ever |= alarm.raised(0.05)
        raised += ever
    assert raised <= 10
    assert 4 == alarm.more.reference.shards


def test_shards_of_other_sizes_are_as_alike_as_those_of_the_reference():
    """A shard of ten times the rows has ten times the design effect: its mean is known no better."""
    apart = [np.repeat([0.0, 1.0], [90 + less, 10 - less]) for less in (9, -9, 9, -9)]
    alarm = Alarm.of(apart)
    assert alarm.more.reference.design_effect(991) - 1 == pytest.approx(
        10 * (alarm.more.reference.design_effect(100) - 1)
    )
    small, large = (alarm.after(np.repeat([0.0, 1.0], [81 * times, 19 * times])) for times in (1, 30))
    assert not large.raised(0.05)
    assert large.log == pytest.approx(small.log, abs=1)


def test_half_models_that_agree_more_are_found_too():
    rng = np.random.default_rng(3)
    alarm = Alarm.of([drawn(rng, 300, 0.2) for _ in range(4)])
    for _ in range(3):
        alarm = alarm.after(drawn(rng, 100, 0.05))
    assert (True, False) == (alarm.raised(0.05), alarm.rises)


def test_the_band_of_the_mean_holds_at_every_shard_at_once_and_narrows():
    rng, missed = np.random.default_rng(2), 0
    for _ in range(40):
        mean, outside = RunningMean(guess=0.05, correlation=0.0), False
        for _ in range(30):
            mean = mean.after(drawn(rng, 50, 0.05))
            low, high = mean.bounds(0.8)
            outside |= not low <= 0.05 <= high
        missed += outside
        assert high - low < 0.05
    assert missed <= 0.2 * 40
