"""Three points: leave-one-out takes a constant rather than a line, and is mostly right to do so.

Abu-Mostafa, lecture 13, "Model selection using CV": three points come from a constant with noise, the leave-one-out
errors of the constant and of the line are compared, and the constant wins. The points are not given as numbers.

Assumed: x = -1, 0, 1, and y = 1 + normal noise of standard deviation 1/2; for the example, y is rounded to tenths, so
that both errors are fractions. By hand: with y - mean = b (-1, 0, 1) / sqrt(2) + q (1, -2, 1) / sqrt(6), the constant
has E_cv = 3/4 (b^2 + q^2), the line 9/2 q^2. So the constant wins if b^2 < 5 q^2, with b and q independent, normal, and
of equal variance: the chance is 2/pi arctan(sqrt(5)) = 0.732. A slope of the truth adds to b alone.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

from heldout import shortcuts
from heldout.decision.select import select
from heldout.losses import SQUARED
from heldout.losses.tested_losses import CrossValidated
from heldout.splits.partition import draw_folds
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
X = np.array([-1.0, 0.0, 1.0])
LEVEL, DEVIATION = 1.0, 0.5  # of the constant, of the noise
SLOPE = 2.0  # of another truth, a line, where the constant should lose
DRAWS, QUICK_DRAWS, IN_A_UNIT = 10_000, 1_500, 500  # for each truth
MODELS = {"constant": np.ones((3, 1)), "line": np.column_stack([np.ones(3), X])}  # from simple to complex
CHANCE = 2 / np.pi * np.arctan(np.sqrt(5))  # that the constant wins


def units(quick: bool) -> Sequence[tuple[float, int]]:
    """The slope of the truth, and the number of a batch of draws."""
    return [(slope, batch) for slope in (0.0, SLOPE) for batch in range((QUICK_DRAWS if quick else DRAWS) // IN_A_UNIT)]


def measure(unit: tuple[float, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """The number of draws in which the constant wins; of the first draw from a constant, the points as the example."""
    slope, batch = unit
    rng = np.random.default_rng([SEED, int(slope > 0), batch])
    draws = LEVEL + slope * X + rng.normal(0, DEVIATION, (IN_A_UNIT, 3))
    wins = sum(_winner(E_cv(y)) == "constant" for y in draws)
    example = draws[0].round(1).tolist() if unit == (0.0, 0) else []
    return [{"slope": slope, "wins": wins, "example": example}]


def E_cv(y: NDArray[np.float64]) -> dict[str, float]:
    """The leave-one-out error of each model."""
    fold = draw_folds(y, len(y), stratify=False, random_state=0)
    found = {}
    for name, columns in MODELS.items():
        answers = shortcuts.find(LinearRegression(fit_intercept=False), columns, y).folds(fold)
        found[name] = CrossValidated(SQUARED.pointwise(y, answers), SQUARED, fold=fold).error
    return found


def _winner(values: Mapping[str, float]) -> str:
    return select(values, "E_cv", "minimum").selected


def findings(results: pd.DataFrame) -> list[Finding]:
    """How often the constant wins, and both errors in the example."""
    shares = {
        slope: share_interval(int(table["wins"].sum()), len(table) * IN_A_UNIT)
        for slope, table in results.groupby("slope")
    }
    share, low, high = shares[0.0]
    example = next(points for points in results["example"] if points)
    errors = {name: Fraction(value).limit_denominator(10_000) for name, value in E_cv(np.array(example)).items()}
    said = f"the constant wins in most draws; by hand, in {CHANCE:.4f} of them"
    points = ", ".join(f"({x:g}, {y:g})" for x, y in zip(X, example, strict=True))
    first = f"the first draw, {points}: the {_winner(E_cv(np.array(example)))} wins"
    line, line_low, line_high = shares[SLOPE]
    sloping = f"of draws from a line of slope {SLOPE:g}, {SLOPE / DEVIATION:g} times the noise: the line wins"
    return [
        Finding("three-points-constant-wins", share, 0.5 < low <= CHANCE <= high, said, "", low, high),
        Finding("three-points-constant-wins-against-a-line", line, line_high < 0.5, sloping, "", line_low, line_high),
        *(Finding(f"three-points-e-cv-{name}", str(error), True, first) for name, error in errors.items()),
    ]


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the lecture draws three points."""
    return {}
