"""What a study is: a module with these functions, its units of work, and the findings that become lines of a table.

A study is one file, `studies/NAME.py`; its docstring describes the experiment, and its numbers stand at its top.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from scipy import stats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]  # a line of a study's results: texts and numbers
LEVEL = 0.95  # of the interval of every finding


class Study(Protocol):
    """The contents of a study's file. A unit is anything that can be pickled, and whose `repr` says what it is."""

    SEED: int
    NEEDS_DATA: bool  # whether the whole form reads the folder of real data sets; the quick form never does

    def units(self, quick: bool) -> Sequence[Any]:
        """Pieces of work of a second or more, none of which depends on another."""

    def measure(self, unit: Any, data: Path | None) -> list[Record]:
        """The results of a unit, from its own seed; `data` is the folder of the real data sets."""

    def findings(self, results: pd.DataFrame) -> list["Finding"]:
        """What the records of all units say, in the order of `units`."""

    def pictures(self, results: pd.DataFrame) -> Mapping[str, "Figure"]:
        """Pictures by name; the empty name is the study's own."""


@dataclass(frozen=True)
class Finding:
    """A line of `docs/studies/NAME.csv`: what a source says, what we find, and whether both agree.

    `ours` and `published` are numbers, or texts as 3/4 and 16-5-5; `low` and `high` are the interval at `LEVEL`, both
    or neither. `because` says why it differs; it may say more where it agrees. Raises ValueError otherwise.
    """

    finding: str
    ours: float | str
    agrees: bool
    because: str = ""
    published: float | str = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if not (self.agrees or self.because):
            raise ValueError(f"{self.finding} differs: say why")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.finding} has one end of an interval; give both or neither")
        if self.low is None or self.high is None or isinstance(self.ours, str):
            return
        if not self.low <= self.ours <= self.high:
            raise ValueError(f"{self.finding}: {self.ours} is outside of its own interval {self.low}, {self.high}")

    @classmethod
    def of(
        cls,
        finding: str,
        ours: float,
        low: float,
        high: float,
        *,
        published: float | str,
        exact: float | None = None,
        rounding: float = 0.0,
        otherwise: str = "outside of the interval",
    ) -> "Finding":
        """Agrees if the interval, wider by half of `rounding` at both ends, holds the published number.

        `rounding` is the unit of its last printed digit; `exact` is the number itself where it is a text as 3/4.
        """
        number = float(published) if exact is None else exact
        agrees = low - rounding / 2 <= number <= high + rounding / 2
        return cls(finding, ours, agrees, "" if agrees else otherwise, published, low, high)

    @property
    def verdict(self) -> str:
        """In words."""
        words = "agrees" if self.agrees else "differs"
        return f"{words}: {self.because}" if self.because else words


def at_most(bound: float) -> str:
    """What a source or a rule claims of a number that it only bounds."""
    return f"at most {bound:.4g}"


def mean_interval(values: "np.typing.ArrayLike") -> tuple[float, float, float]:
    """The mean of independent repeats, and the ends of Student's interval; one repeat does not say how they spread."""
    values = np.asarray(values, dtype=float)
    mean = float(values.mean())
    if len(values) == 1:
        return mean, -math.inf, math.inf
    margin = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5)
    return mean, mean - margin, mean + margin


def share_interval(successes: int, n: int) -> tuple[float, float, float]:
    """A share of independent repeats, and the ends of Wilson's interval."""
    ends = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return successes / n, float(ends.low), float(ends.high)
