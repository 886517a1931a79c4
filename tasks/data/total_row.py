"""A last row that is the sum of the others, as spreadsheets end: it is left out; one with a label is asked about."""

import numpy as np
import pandas as pd

from tasks.storage.findings import RecordedFinding

_WORDS = {
    *("total", "totals", "grand total", "sum", "sums", "summe", "gesamt", "gesamtsumme", "insgesamt", "summa"),
    *("somme", "total général", "total general", "suma", "totale", "totaal"),
}
_FEWEST_ROWS = 5  # above a total that no word names
_CLOSE = 1e-9  # of the sum of absolute values: rounding of floats
_MOST_NAMES = 5


def without(table: pd.DataFrame, target: str | None) -> tuple[pd.DataFrame, tuple[RecordedFinding, ...]]:
    """The table without a last row that is a total and has no value of `target`, and the finding about such a row."""
    why = reason(table)
    if why is None:
        return table, ()
    if target in table.columns and pd.notna(table[target].iloc[-1]):
        kept = "it has a value of the target, so it is used as a row with a label"
        decide = "take it out of the file, then start again"
        return table, (RecordedFinding("found", f"{why}; {kept}", severity="care", decide=decide),)
    rest = table.iloc[:-1]
    whole = {name: rest[name].astype("int64") for name in table.columns if _was_whole(table[name])}
    return rest.assign(**whole), (RecordedFinding("found", why, done="left out of the unlabelled rows"),)


def reason(table: pd.DataFrame) -> str | None:
    """Why the last row is a total, None if it is not.

    Its first string is a word such as "Total", which its column has nowhere else, and a number is the sum of those
    above, or a cell is empty in a column without gaps, or there are no numbers. Without such a word at least two
    numbers, and half of them, are the sums of those above.
    """
    if len(table) < 3 or not table.columns.is_unique:
        return None
    above, last = table.iloc[:-1], table.iloc[-1]
    is_number = [dtype.kind in "iuf" and bool(pd.notna(value)) for dtype, value in zip(table.dtypes, last, strict=True)]
    numbers = table.loc[:, is_number]
    sums = _sums(numbers)
    named = _named(table)
    if named is None:
        if len(sums) < max(2, numbers.shape[1] / 2) or len(above) < _FEWEST_ROWS:
            return None
        return f"the last row is a total: its {_listed(sums)} are the sums of the rows above"
    empty = any(pd.isna(last[name]) and above[name].notna().all() for name in table.columns)
    if not sums and not empty and any(is_number):
        return None
    return f"the last row is a total: it has {named[1]!r} in {named[0]}"


def _named(table: pd.DataFrame) -> tuple[str, str] | None:
    """The column of the last row's first string, and that, if it names a total and no other row has it."""
    for name in table.columns:
        values = table[name]
        if isinstance(value := values.iloc[-1], str):
            word = value.strip().rstrip(":").casefold()
            return (str(name), value) if word in _WORDS and int((values == value).sum()) == 1 else None
    return None


def _sums(numbers: pd.DataFrame) -> list[str]:
    """The columns whose last number is the sum of those above, of which at least two are not 0."""
    above, last = numbers.iloc[:-1], numbers.iloc[-1].astype("float64")
    with np.errstate(invalid="ignore"):  # infinities of both signs have no sum
        close = (above.sum() - last).abs() <= _CLOSE * above.abs().sum()
    several = (above.notna() & (above != 0)).sum() > 1
    return [str(name) for name in numbers.columns[(close & several).to_numpy(dtype=bool)]]


def _was_whole(values: pd.Series) -> bool:
    """Whether the gap in the last row alone made floats of whole numbers."""
    if values.dtype.kind != "f" or pd.notna(values.iloc[-1]):
        return False
    above = values.iloc[:-1]
    return bool(above.notna().all() and (above % 1 == 0).all() and above.abs().max() < 2**53)


def _listed(names: list[str]) -> str:
    return ", ".join(map(str, names[:_MOST_NAMES])) + (", …" if len(names) > _MOST_NAMES else "")
