"""A champion is hardly replaced without a reason, and a real gain takes 1.4 times the nights of the best single test.

Each night brings fresh rows; on each the challenger errs and the champion does not with probability `lost`, the other
way round with probability `won`. Every night all rows so far are looked at, in 365 nights: by the e-process of
`heldout.monitoring.promotion`, a t-test, and a confidence sequence of the mean difference. The nights are compared
with those of a single t-test of the same level, at the night at which it finds the gain with probability 80 %, which
nobody knows beforehand; a year without a promotion counts as 366. With four challengers each pair has its own 5 %, or
all have one level: the champion leaves a sequential model confidence set (Arnold et al., 2026). "6 percent of 100 rows"
says of how many fresh rows a night the two answer differently.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.intervals.confidence_sequence import band
from heldout.monitoring.promotion import FRACTIONS, needed
from studies.study import Finding, Record, at_most, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
NIGHTS, LEVEL, POWER, OTHERS = 365, 0.95, 0.8, 3
MOST = 1.5  # times the nights of a single test, the mean of those of the bets
STREAMS, QUICK_STREAMS, BANDS, QUICK_BANDS = 10_000, 500, 30, 2
_AT_ONCE = 500  # streams


@dataclass(frozen=True)
class Case:
    """Probabilities that the challenger wins and loses a row, and the fresh rows of a night."""

    won: float
    lost: float
    rows: int = 100

    def __str__(self) -> str:
        return f"{100 * (self.won + self.lost):g}-percent-of-{self.rows}-rows"


NULLS = (Case(0.03, 0.03), Case(0.1, 0.1), Case(0.02, 0.02, rows=20))
GAINS = (Case(0.02, 0.01), Case(0.035, 0.025), Case(0.06, 0.05), Case(0.11, 0.1))


@dataclass(frozen=True)
class Found:
    """Of each stream, shape (S,): the night of the promotion, NIGHTS + 1 for none. `t` has those of the nightly t-test.

    `power`, shape (NIGHTS,), is the share of streams in which a t-test at that night alone finds the gain.
    """

    wealth: NDArray[np.intp]
    t: NDArray[np.intp]
    power: NDArray[np.float64]

    @property
    def promoted(self) -> float:
        """The share of streams with a promotion."""
        return float((self.wealth <= NIGHTS).mean())

    @property
    def best_night(self) -> float:
        """The first night at which a single t-test has the power `POWER`; NaN if none has."""
        return float(np.argmax(self.power >= POWER) + 1) if self.power.max() >= POWER else math.nan


def counts(case: Case, streams: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows won and lost up to each night, two arrays of shape (S, NIGHTS)."""
    each = rng.multinomial(case.rows, [case.won, case.lost, 1 - case.won - case.lost], size=(streams, NIGHTS))
    return each[..., 0].cumsum(axis=1), each[..., 1].cumsum(axis=1)


def log_wealth(won: NDArray[np.int64], lost: NDArray[np.int64]) -> NDArray[np.float64]:
    """What `EProcess.log` is after these rows: on a row without a difference no bet wins or loses."""
    logs = np.multiply.outer(won, np.log1p(FRACTIONS)) + np.multiply.outer(lost, np.log1p(-FRACTIONS))
    wealth: NDArray[np.float64] = np.logaddexp.reduce(logs, axis=-1) - math.log(len(FRACTIONS))
    return wealth


def simulate(case: Case, streams: int, seed: int = 0) -> Found:
    """All streams of a case."""
    rng = np.random.default_rng(seed)
    seen = case.rows * np.arange(1, NIGHTS + 1)
    wealth, t, power = [], [], np.zeros(NIGHTS)
    for _ in range(streams // _AT_ONCE):
        won, lost = counts(case, _AT_ONCE, rng)
        mean = (won - lost) / seen
        error = np.sqrt(np.maximum((won + lost) / seen - mean**2, 1e-12) / (seen - 1))
        significant = mean / error > scipy.stats.t.ppf(LEVEL, seen - 1)
        wealth.append(_first(log_wealth(won, lost) >= needed(LEVEL)))
        t.append(_first(significant))
        power += significant.sum(axis=0)
    return Found(np.concatenate(wealth), np.concatenate(t), power / streams)


def by_sets(case: Case, streams: int, seed: int = 0) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The night at which the champion is replaced, where `OTHERS` learners as good as it challenge next to the `case`.

    First by any pair that reaches what the level needs, as shipped; then by a sequential model confidence set, which
    the champion leaves when the mean wealth of its pairs does (Arnold et al., 2026). Both have shape (S,).
    """
    rng, equal = np.random.default_rng(seed), (case.won + case.lost) / 2
    pair, of_set = [], []
    for _ in range(streams // _AT_ONCE):
        cases = [case, *[Case(equal, equal, case.rows)] * OTHERS]
        logs = np.stack([log_wealth(*counts(one, _AT_ONCE, rng)) for one in cases])
        pair.append(_first(logs.max(axis=0) >= needed(LEVEL)))
        of_set.append(_first(np.logaddexp.reduce(logs, axis=0) - math.log(len(logs)) >= needed(LEVEL)))
    return np.concatenate(pair), np.concatenate(of_set)


def by_band(case: Case, streams: int, seed: int = 0) -> float:
    """The mean night of promotion by a confidence sequence of the mean difference, one-sided at `LEVEL`."""
    rng = np.random.default_rng(seed)
    nights = []
    for _ in range(streams):
        draws = rng.choice([1.0, -1.0, 0.0], p=[case.won, case.lost, 1 - case.won - case.lost], size=NIGHTS * case.rows)
        low, _ = band((1 + draws) / 2, 2 * LEVEL - 1)
        nights.append(_first(low[case.rows - 1 :: case.rows][None] > 0.5)[0])
    return float(np.mean(nights))


def _first(hit: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, NIGHTS + 1)


@dataclass(frozen=True)
class Unit:
    """A case and how it is looked at: `alone`, by a `band`, or next to equal challengers in a `set`."""

    how: str
    case: Case
    streams: int


def units(quick: bool) -> Sequence[Unit]:
    """Each case."""
    streams, bands = (QUICK_STREAMS, QUICK_BANDS) if quick else (STREAMS, BANDS)
    alone = [Unit("alone", case, streams) for case in (*NULLS, *GAINS)]
    by_bands = [Unit("band", case, bands) for case in GAINS]
    return [*alone, *by_bands, *(Unit("set", case, streams) for case in (NULLS[1], GAINS[1], GAINS[3]))]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """The night of the promotion in each stream, by each way of looking, and the best night of a single t-test."""
    case, record = unit.case, {"how": unit.how, "case": str(unit.case), "gain": unit.case.won > unit.case.lost}
    if unit.how == "band":
        return [{**record, "nights": by_band(case, unit.streams)}]
    if unit.how == "set":
        pair, of_set = by_sets(case, unit.streams, SEED)
        return [{**record, "nights": one, "by_set": of} for one, of in zip(pair.tolist(), of_set.tolist(), strict=True)]
    found = simulate(case, unit.streams, SEED)
    nights = zip(found.wealth.tolist(), found.t.tolist(), strict=True)
    return [{**record, "nights": one, "by_t": t, "best": found.best_night} for one, t in nights]


def findings(results: pd.DataFrame) -> list[Finding]:
    """How often a champion is replaced that is as good, and the nights until it is replaced by one that is better."""
    found = []
    for (how, case, gain), own in results.groupby(["how", "case", "gain"], sort=False):
        nights, name = own["nights"], f"promotion-{'gain' if gain else 'equal'}-{case}"
        if how == "band":
            why = "mean nights by a confidence sequence of the mean difference"
            found.append(Finding(f"{name}-confidence-sequence", float(nights.mean()), True, why))
        elif how == "alone" and gain:
            best, (mean, low, high) = own["best"].iloc[0], mean_interval(nights)
            why = f"nights of the bets to {best:.0f} of one t-test; replaced in {_share(nights):.1f} %, mean {mean:.0f}"
            why += f" nights, {100 * POWER:.0f} % by {nights.quantile(POWER):.0f}"
            found.append(
                Finding(f"{name}-ratio", mean / best, low / best <= MOST, why, at_most(MOST), low / best, high / best)
            )
        elif how == "alone":
            share, low, high = share_interval(int((nights <= NIGHTS).sum()), len(nights))
            why = f"replaced in a year; by a t-test every night {_share(own['by_t']):.0f} %"
            found.append(Finding(name, share, low <= 1 - LEVEL, why, at_most(1 - LEVEL), low, high))
        else:
            found += _of_four(name, own, at_level=not gain)
    return found


def _of_four(name: str, own: pd.DataFrame, *, at_level: bool) -> list[Finding]:
    found = []
    for column, words, pairs in (("nights", "any-pair", 1 + OTHERS), ("by_set", "confidence-set", 1)):
        share, low, high = share_interval(int((own[column] <= NIGHTS).sum()), len(own))
        why = "replaced in a year, by one of four challengers"
        why += "" if at_level else f"; mean nights {own[column].mean():.0f}"
        bound = pairs * (1 - LEVEL)
        agrees = low <= bound or not at_level
        found.append(Finding(f"{name}-four-{words}", share, agrees, why, at_most(bound) if at_level else "", low, high))
    return found


def _share(nights: pd.Series) -> float:
    return 100 * float((nights <= NIGHTS).mean())


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
