"""What raises an alarm on shards of disagreement: that of `watch`, and its peers with their defaults."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from mapie.exchangeability_testing import OnlineMartingaleTest
from numpy.typing import NDArray
from river.drift import ADWIN, PageHinkley

from heldout.over_time.alarm import BETS, Alarm, Reference, waiting

Shares = NDArray[np.float64]
Detector = Callable[[Shares, Shares], float]  # of the reference's rows and new shards, (T, n): at which shard, from 1
PAIRS, LEVEL = 30, 0.05
NEVER = math.inf
_AT_ONCE, _MOST = 500, 600  # shards; the logarithm of evidence


def evidence(alarm: Alarm, shards: Shares) -> Shares:
    """The evidence after each of T shards, shape (T, n), as `Alarm` has it: here many shards' gains are one product."""
    votes = np.rint(PAIRS * shards).astype(np.intp)
    return (_evidence(alarm.more.reference, votes) + _evidence(alarm.less.reference, PAIRS - votes)) / 2


def _evidence(reference: Reference, votes: NDArray[np.intp]) -> Shares:
    """That of one side, for the number of pairs that differ at each row."""
    values, shards = np.arange(PAIRS + 1) / PAIRS, len(votes)
    places = votes + (PAIRS + 1) * np.arange(shards)[:, None]
    counts = np.bincount(places.ravel(), minlength=shards * (PAIRS + 1)).reshape(shards, -1)
    lower = np.concatenate([[0.0], reference.means[:-1]])
    odds = np.divide.outer(values, reference.means) - 1, (lower - values[:, None]) / (1 - lower)
    first, second = (
        np.array([np.log1p(bet * of) for bet in BETS]).swapaxes(0, 1).reshape(len(values), -1) for of in odds
    )
    effect = reference.design_effect(votes.shape[1])
    power = min(1.0, reference.design_effect(reference.size) / effect)
    staked, found = np.full(reference.logs.shape, -np.inf), np.empty(shards)
    for t in range(shards):
        if t % _AT_ONCE == 0:
            some = counts[t : t + _AT_ONCE]
            gains, of_reference = some @ first / effect, some @ second * power
        started = reference.known + math.log((waiting(t) - waiting(t + 1)) / len(BETS))
        staked = np.logaddexp(staked, started) + gains[t % _AT_ONCE].reshape(staked.shape)
        logs = reference.logs + of_reference[t % _AT_ONCE].reshape(staked.shape)
        reference = replace(reference, logs=logs)
        capital = np.logaddexp(np.logaddexp.reduce(staked, axis=0), reference.known + math.log(waiting(t + 1)))
        found[t] = math.exp(min(capital.min(), _MOST))
    return found


def ours(reference: Shares, shards: Shares) -> float:
    """The alarm of `watch`."""
    return _first(evidence(Alarm.of([*reference]), shards) >= 1 / LEVEL)


def threshold(reference: Shares, shards: Shares) -> float:
    """A shard whose mean is three standard errors above that of the reference."""
    return _first(shards.mean(axis=1) > reference.mean() + 3 * reference.std() / math.sqrt(shards.shape[1]))


def page_hinkley(reference: Shares, shards: Shares) -> float:
    """river's, row by row, with its defaults."""
    return _by_row(PageHinkley(mode="up"), reference, shards)


def adwin(reference: Shares, shards: Shares) -> float:
    """river's, row by row, with its defaults."""
    return _by_row(ADWIN(), reference, shards)


def mapie(reference: Shares, shards: Shares) -> float:
    """MAPIE's online test of exchangeability by a jumper martingale, here of shards by their means."""
    test = OnlineMartingaleTest(task="regression", test_level=LEVEL, warn=False, random_state=0)
    seen: list[float] = []
    cut = reference.reshape(-1, shards.shape[1]).mean(axis=1)
    for number, mean in enumerate([*cut, *shards.mean(axis=1)]):
        test.update_simple_jumper_martingale(test.compute_p_value(mean, np.array(seen)))
        seen.append(float(mean))
        if test.current_martingale_value >= 1 / LEVEL:
            return max(number + 1 - len(cut), 1.0)
    return NEVER


DETECTORS: dict[str, Detector] = {
    "watch": ours,
    "threshold": threshold,
    "Page-Hinkley": page_hinkley,
    "ADWIN": adwin,
    "MAPIE": mapie,
}


def _by_row(detector: Any, reference: Shares, shards: Shares) -> float:
    for value in reference.ravel().tolist():
        detector.update(value)
    for number, rows in enumerate(shards.tolist(), start=1):
        for value in rows:
            detector.update(value)
            if detector.drift_detected:
                return float(number)
    return NEVER


def _first(hit: NDArray[np.bool_]) -> float:
    return float(hit.argmax() + 1) if hit.any() else NEVER
