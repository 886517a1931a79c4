"""How often a champion is replaced without a reason, and how many nights a real gain takes: the table of operations.md.

Each night brings fresh rows; on each the challenger errs and the champion does not with probability `lost`, the other
way round with probability `won`. Every night all rows so far are looked at, in 365 nights.

    python -m studies.promotion             # 10,000 streams of each case: a minute
    python -m studies.promotion --quick     # 500 streams, printed and not written
"""

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from heldout.intervals.confidence_sequence import band
from heldout.over_time.promotion import BETS, needed
from studies.made_tables import markdown, write_between

NIGHTS, LEVEL, POWER, OTHERS = 365, 0.95, 0.8, 3
PAGE = Path("docs/operations.md")
BEGIN, END = "<!-- made by `python -m studies.promotion` -->\n", "<!-- end -->"
_AT_ONCE, _BANDS = 500, 30  # streams


@dataclass(frozen=True)
class Case:
    """Probabilities that the challenger wins and loses a row, and the fresh rows of a night."""

    won: float
    lost: float
    rows: int = 100

    def __str__(self) -> str:
        return f"{100 * (self.won + self.lost):g} % of {self.rows} fresh rows a night"


NULLS = (Case(0.03, 0.03), Case(0.1, 0.1), Case(0.02, 0.02, rows=20))
GAINS = (Case(0.02, 0.01), Case(0.035, 0.025), Case(0.06, 0.05), Case(0.11, 0.1))


@dataclass(frozen=True)
class Found:
    """Of each stream, shape (S,): the night of the promotion, NIGHTS + 1 for none. `t` has those of the nightly t-test.

    `power`, shape (NIGHTS,), is the share of streams in which a t-test at that night alone finds the gain.
    """

    capital: NDArray[np.intp]
    t: NDArray[np.intp]
    power: NDArray[np.float64]

    @property
    def promoted(self) -> float:
        """The share of streams with a promotion."""
        return float((self.capital <= NIGHTS).mean())

    @property
    def best_night(self) -> float:
        """The first night at which a single t-test has the power `POWER`; NaN if none has."""
        return float(np.argmax(self.power >= POWER) + 1) if self.power.max() >= POWER else math.nan


def counts(case: Case, streams: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows won and lost up to each night, two arrays of shape (S, NIGHTS)."""
    each = rng.multinomial(case.rows, [case.won, case.lost, 1 - case.won - case.lost], size=(streams, NIGHTS))
    return each[..., 0].cumsum(axis=1), each[..., 1].cumsum(axis=1)


def log_capital(won: NDArray[np.int64], lost: NDArray[np.int64]) -> NDArray[np.float64]:
    """What `Capital.log` is after these rows: on a row without a difference no bet wins or loses."""
    logs = np.multiply.outer(won, np.log1p(BETS)) + np.multiply.outer(lost, np.log1p(-BETS))
    capital: NDArray[np.float64] = np.logaddexp.reduce(logs, axis=-1) - math.log(len(BETS))
    return capital


def simulate(case: Case, streams: int, seed: int = 0) -> Found:
    """All streams of a case."""
    rng = np.random.default_rng(seed)
    seen = case.rows * np.arange(1, NIGHTS + 1)
    capital, t, power = [], [], np.zeros(NIGHTS)
    for _ in range(streams // _AT_ONCE):
        won, lost = counts(case, _AT_ONCE, rng)
        mean = (won - lost) / seen
        error = np.sqrt(np.maximum((won + lost) / seen - mean**2, 1e-12) / (seen - 1))
        significant = mean / error > scipy.stats.t.ppf(LEVEL, seen - 1)
        capital.append(_first(log_capital(won, lost) >= needed(LEVEL)))
        t.append(_first(significant))
        power += significant.sum(axis=0)
    return Found(np.concatenate(capital), np.concatenate(t), power / streams)


def by_sets(case: Case, streams: int, seed: int = 0) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The night at which the champion is replaced, where `OTHERS` learners as good as it challenge next to the `case`.

    First by any pair that reaches what the level needs, as shipped; then by a sequential model confidence set, which
    the champion leaves when the mean capital of its pairs does (Arnold et al., 2026). Both have shape (S,).
    """
    rng, equal = np.random.default_rng(seed), (case.won + case.lost) / 2
    pair, of_set = [], []
    for _ in range(streams // _AT_ONCE):
        cases = [case, *[Case(equal, equal, case.rows)] * OTHERS]
        logs = np.stack([log_capital(*counts(one, _AT_ONCE, rng)) for one in cases])
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


def tables(streams: int, bands: int) -> str:
    """The two tables in Markdown."""
    null = [["equal errors, apart on", "replaced in 365 nights", "by a t-test every night"]]
    for case in NULLS:
        found = simulate(case, streams)
        nightly = float((found.t <= NIGHTS).mean())
        null.append([str(case), f"{100 * found.promoted:.1f} %", f"{100 * nightly:.0f} %"])
    gain = [["one point better, apart on", "replaced in 365 nights", "nights, mean", "80 % by night"]]
    gain[0] += ["one t-test at its best night", "ratio", "confidence sequence, mean"]
    for case in GAINS:
        found = simulate(case, streams)
        mean, late, best = found.capital.mean(), np.quantile(found.capital, POWER), found.best_night
        numbers = [f"{100 * found.promoted:.0f} %", f"{mean:.0f}", f"{late:.0f}", f"{best:.0f}", f"{mean / best:.2f}"]
        gain.append([str(case), *numbers, f"{by_band(case, bands):.0f}" if bands else ""])
    return f"{markdown(null)}\n{markdown(gain)}\n{markdown(_of_sets(streams))}"


def _of_sets(streams: int) -> list[list[str]]:
    """The lines of the table of several challengers."""
    lines = [["four challengers, apart on", "replaced in 365 nights, any pair", "model confidence set"]]
    lines[0] += ["nights, mean, any pair", "model confidence set"]
    for case in (NULLS[1], GAINS[1], GAINS[3]):
        found = by_sets(case, streams)
        shares = [f"{100 * float((nights <= NIGHTS).mean()):.1f} %" for nights in found]
        means = ["–", "–"] if case.won == case.lost else [f"{nights.mean():.0f}" for nights in found]
        what = "all equal" if case.won == case.lost else "one a point better, three equal"
        lines.append([f"{case}: {what}", *shares, *means])
    return lines


def main() -> int:
    """Write the tables into the page, or print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        print(tables(_AT_ONCE, 0))
        return 0
    write_between(PAGE, BEGIN, END, tables(10_000, _BANDS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
