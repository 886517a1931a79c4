"""The smaller of two estimates is too low, although each of them is right on average.

Abu-Mostafa, lecture 13: two hypotheses have the true error 1/2, and their estimates are uniform on [0, 1]. The one with
the smaller estimate is selected. How often is its estimate below 1/2, and what is it on average?
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.decision.select import select
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
DRAWS, QUICK_DRAWS = 40_000, 4_000
IN_A_UNIT = 2_000
BELOW, MEAN = 3 / 4, 1 / 3  # exact: the smaller of two is above 1/2 if both are; the mean of Beta(1, 2)


def units(quick: bool) -> Sequence[int]:
    """Numbers of batches of draws."""
    return range((QUICK_DRAWS if quick else DRAWS) // IN_A_UNIT)


def measure(unit: int, data: Path | None) -> list[Record]:  # noqa: ARG001
    """The estimate of the selected hypothesis, in each draw."""
    draws = np.random.default_rng([SEED, unit]).random((IN_A_UNIT, 2))
    return [{"estimate": _selected(float(first), float(second))} for first, second in draws]


def _selected(first: float, second: float) -> float:
    values = {"first": first, "second": second}
    return values[select(values, "E_val", "minimum").selected]


def findings(results: pd.DataFrame) -> list[Finding]:
    """The share of estimates below 1/2, and their mean."""
    below, below_low, below_high = share_interval(int((results["estimate"] < 1 / 2).sum()), len(results))
    mean, low, high = mean_interval(results["estimate"])
    return [
        Finding.of("min-of-two-below-half", below, below_low, below_high, published="3/4", exact=BELOW),
        Finding.of("min-of-two-mean", mean, low, high, published="1/3", exact=MEAN),
    ]


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: two numbers need no picture."""
    return {}
