"""Numbers that may stand for a missing value, as -999 and 9999: nines far from all other values of their columns."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from heldout.findings import checks
from heldout.findings.finding import Finding

_NINES = re.compile(r"-?9{2,}(?:\.9+)?")
_FEWEST_ROWS, _FEWEST_KINDS = 3, 5  # that have the value; different other values
_MOST_NAMES = 3
_MAKE_A_GAP = "if it means missing, make a gap of it"


def look(table: pd.DataFrame, names: Iterable[str]) -> list[Finding]:
    """A finding for each such number among the columns `names` of `table` that hold numbers.

    It is the least or the most of its column, in three rows or more, and further from the next value than the others
    are from each other; a negative number also where no other is negative. Its column has five other values or more.
    """
    numbers = table[[name for name in names if table[name].dtype.kind in "iuf"]]
    found: dict[str, list[str]] = {}
    for extreme in (numbers.min(), numbers.max()):
        for name, value in extreme.items():
            if _NINES.fullmatch(text := f"{value:.12g}") and (said := _said(numbers[name], float(value))) is not None:
                found.setdefault(text, []).append(said)
    return [_finding(numbers, text, said) for text, said in found.items()]


def _finding(numbers: pd.DataFrame, text: str, said: list[str]) -> Finding:
    listed = "; ".join(said[:_MOST_NAMES]) + (f"; and in {len(said) - _MOST_NAMES} more" if said[_MOST_NAMES:] else "")
    holding = int((numbers == float(text)).any().sum()) - len(said)
    also = "" if not holding else f", also in {holding} where it may be a number" if holding > 0 else ""
    decide = f'if it means missing, add "{text}" to data.missing, which makes a gap of it in every column{also}'
    return Finding(
        "found",
        f"{text} is far from all other values: {listed}",
        decide=decide,
        in_python=_MAKE_A_GAP,
        code=checks.SENTINELS.code,
    )


def _said(values: pd.Series, number: float) -> str | None:
    present = values.dropna().to_numpy(dtype=np.float64)
    others = present[present != number]
    rows = len(present) - len(others)
    if rows < _FEWEST_ROWS or len(np.unique(others)) < _FEWEST_KINDS:
        return None
    least, most = float(others.min()), float(others.max())
    gap = max(least - number, number - most)
    if gap <= most - least and not (number < 0 <= least):
        return None
    counted = f"{rows:,} of {len(present):,} values"
    return f"{counted} of {values.name}, the others are {least:.6g} to {most:.6g}"
