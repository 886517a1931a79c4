"""Durations as a clock shows them, in seconds: '1:23' is 83, '01:02:03' is 3723."""

import re

import numpy as np

from heldout.rows.column_kind import ColumnKind

_CLOCK = re.compile(r"([0-9]+:[0-5][0-9]|[0-9]+):[0-5][0-9]")


def _seconds(text):
    if _CLOCK.fullmatch(text) is None:
        return np.nan
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return float(total)


def convert(values):
    """The seconds of each string, shape (n,); NaN for a string that is no duration."""
    return np.array([_seconds(text) for text in values], dtype=np.float64)


def recognises(values):
    """Whether nine in ten of the strings are durations."""
    return bool(len(values)) and bool(np.isfinite(convert(values)).mean() >= 0.9)


KIND = ColumnKind("seconds", "1:23", recognises, convert)
