"""A first line that is a row of values: where it is read as the names of the columns, init asks for a line of names."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tasks.data import dates, number_strings
from tasks.storage.findings import RecordedFinding

_ALIKE = 0.8  # share of the names that are like the values below them, of the columns that can show it
_BEYOND = 0.1  # of the range
_FEW = 20  # different strings that a column of categories has
_MOST_COLUMNS, _SHOWN, _DATES = 200, 6, 50  # columns that are looked at, names, values
_EMPTY = "Unnamed: "


def look(table: pd.DataFrame, written: Sequence[str], file: str) -> RecordedFinding | None:
    """The finding about the names of `table` as `file` has them, if they look like one more row.

    A name is like the values of its column if it is a number in their range, a date as they are, or one of few strings
    that repeat. Names that count (0, 1, 2, … or years) are names.
    """
    written = written[:_MOST_COLUMNS]
    columns = [table.iloc[:, place] for place in range(len(written))]
    repeated = _equals_header(columns, written)
    if repeated is not None:  # files that were put together: their lines of names are no values
        columns = [values[~repeated] for values in columns]
    alike = {
        name_and_place: one
        for name_and_place, values in zip(enumerate(written), columns, strict=True)
        if name_and_place[1] and not name_and_place[1].startswith(_EMPTY)
        if (one := _is_alike(name_and_place[1], values)) is not None
    }
    agreeing = [(place, name) for (place, name), one in alike.items() if one]
    of_strings = [place for place, _ in agreeing if not _is_numeric(columns[place])]
    if len(agreeing) < max(1, _ALIKE * len(alike)) or not (of_strings or len(agreeing) > 1):
        return None
    if not of_strings and _counts([name for _, name in agreeing]):
        return None
    shown = ", ".join(written[:_SHOWN]) + (", …" if len(written) > _SHOWN else "")
    text = f"{file}: the first line looks like a row, and is read as the names of the columns: {shown}"
    evidence: Mapping[str, float] = {"columns": len(alike), "alike": len(agreeing)}
    decide = "if it is a row, put a line of names above it, and start again"
    return RecordedFinding("found", text, severity="care", evidence=evidence, decide=decide)


def _is_alike(name: str, values: pd.Series) -> bool | None:
    """Whether a name is like the values of its column; None where these cannot show it."""
    present = values.dropna()
    if present.empty:
        return None
    number = _number(name)
    if present.dtype.kind == "b":
        return name.lower() in ("true", "false")
    if _is_numeric(present):
        least, most = float(present.min()), float(present.max())
        beyond = _BEYOND * (most - least)  # the first row of a stream is its least
        return number is not None and least - beyond <= number <= most + beyond
    strings = present.astype("str")
    if bool((strings == name).any()):
        return True if strings.nunique() < len(strings) else None
    distinct = strings.unique().tolist()
    if _are_dates(distinct):
        return _are_dates([name, *distinct[:_DATES]])
    if len(distinct) <= _FEW < len(strings):
        return False
    return number is not None if _are_numbers(distinct[:1000]) else None


def _is_numeric(values: pd.Series) -> bool:
    return values.dtype.kind in "iuf"


def _are_numbers(strings: Sequence[str]) -> bool:
    return bool(2 * sum(map(number_strings.looks_like_a_number, strings)) > len(strings))


def _are_dates(strings: Sequence[str]) -> bool:
    try:
        return dates.common_format(pd.Series(strings[:_DATES], dtype="str"), dayfirst=True) is not None
    except dates.ColumnError:
        return False


def _number(name: str) -> float | None:
    found = (number_strings.value(name, decimal) for decimal in ("point", "comma"))
    return next((number for number in found if number is not None), None)


def _equals_header(columns: Sequence[pd.Series], written: Sequence[str]) -> pd.Series | None:
    """The rows that have the name of each column of strings as its value; None if there are none."""
    equal = None
    for values, name in zip(columns, written, strict=True):
        if values.dtype == object or isinstance(values.dtype, pd.StringDtype):
            here = (values == name).fillna(False).astype("bool")
            equal = here if equal is None else equal & here
            if not equal.any():
                return None
    return equal


def _counts(names: Sequence[str]) -> bool:
    """Whether names are whole numbers with the same step, as 0, 1, 2 or 1990, 1995, 2000."""
    if not all(name.isdecimal() for name in names):
        return False
    steps = np.diff([int(name) for name in names])
    return bool((steps > 0).all() and (steps == steps[0]).all())
