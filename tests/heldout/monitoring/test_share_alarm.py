"""The alarm on shares of yes: evidence whose expectation is one at most, and quick where the share changes."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import beta
from scipy.stats import binom

from heldout.monitoring.alarm import waiting
from heldout.monitoring.share_alarm import OFFSETS, ShareAlarm


def of(reference, *shards, rows=2) -> ShareAlarm:
    """One question; how many of `rows` rows said yes in the one shard of the reference, and in each new one."""
    alarm = ShareAlarm.of([[reference]], [[rows]])
    for yes in shards:
        alarm = alarm.after([yes], [rows])
    return alarm


def test_one_row_by_hand():
    """A yes and a no in the reference, and a new yes: the chance of all three against the greatest that a p gives."""
    drifted = 1 / (1 + np.exp(-OFFSETS))  # around a share of one half
    waits = waiting(1)
    before = beta(1.5, 1.5) / beta(0.5, 0.5)
    chance = waits * beta(2.5, 1.5) / beta(0.5, 0.5) + (1 - waits) * before * drifted.mean()
    greatest = (2 / 3) ** 2 / 3
    alarm = ShareAlarm.of([[1]], [[2]]).after([1], [1])
    assert chance / greatest == pytest.approx(math.exp(alarm.logs[0]), rel=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_the_expected_evidence_is_at_most_one_whatever_the_share_is(p):
    """Over all answers of a reference of two shards of two rows, which may look alike, and of two new shards."""
    expected = 0.0
    for answers in itertools.product(range(3), repeat=4):
        alarm = ShareAlarm.of([[answers[0]], [answers[1]]], [[2], [2]])
        for yes in answers[2:]:
            alarm = alarm.after([yes], [2])
        expected += math.prod(binom.pmf(answers, 2, p)) * math.exp(alarm.logs[0])
    assert 0.05 < expected <= 1


def test_without_drift_the_alarm_is_raised_at_most_as_often_as_its_level_says():
    """400 questions of their own, level 0.5; what one in a thousand binomial draws would exceed is too often."""
    rng = np.random.default_rng(0)
    p = rng.choice([0.001, 0.05, 0.3, 0.5, 0.99], size=400)
    alarm = ShareAlarm.of(rng.binomial(20, p, (2, 400)), np.full((2, 400), 20))
    raised = np.zeros(400, dtype=bool)
    for _ in range(60):
        alarm = alarm.after(rng.binomial(30, p), np.full(400, 30))
        raised |= alarm.logs >= math.log(2)
    assert raised.sum() <= binom.ppf(0.999, 400, 0.5)


def test_drift_is_found_after_any_quiet_and_is_not_taken_for_the_reference():
    rng = np.random.default_rng(1)
    for quiet in (0, 200):
        alarm = ShareAlarm.of(rng.binomial(300, [[0.2]] * 4), [[300]] * 4)
        for _ in range(quiet):
            alarm = alarm.after(rng.binomial(100, [0.2]), [100])
        assert alarm.logs[0] < math.log(20)
        for shard in range(1, 201):
            alarm = alarm.after(rng.binomial(100, [0.4]), [100])
            assert shard < 4 or alarm.logs[0] >= math.log(20)  # and it stays, however long the drift goes on


def test_both_directions_and_the_ends_are_found():
    for before, now in ((0, 30), (300, 70), (150, 10), (150, 90)):
        alarm = ShareAlarm.of([[before]] * 4, [[300]] * 4).after([now], [100])
        assert alarm.logs[0] >= math.log(20)


def test_shards_that_differ_much_count_as_fewer_rows():
    alike = ShareAlarm.of([[30]] * 4, [[300]] * 4)
    apart = ShareAlarm.of([[60], [2], [55], [3]], [[300]] * 4)
    assert apart.after([30], [100]).logs[0] < math.log(20) < alike.after([30], [100]).logs[0]


def test_a_question_that_no_row_was_asked_says_nothing():
    alarm = ShareAlarm.of([[0, 5]], [[0, 10]]).after([0, 5], [0, 10]).after([8, 5], [10, 10])
    assert np.isfinite(alarm.logs).all()
    assert (alarm.logs < 0).all()


def test_the_state_has_the_same_size_after_any_number_of_shards():
    assert of(1, *[1] * 50).staked.shape == of(1, 1).staked.shape == (2, len(OFFSETS), 1)
