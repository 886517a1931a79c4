"""The order of the rows in the file: sorted by class, or a stream."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tasks.init.leakage import percent

_FEWEST_ROWS = 50
_ALIKE, _STREAM = 0.1, 0.3  # limits of the likeness of neighbours beyond chance, as a share of the possible
_IN_ORDER = 0.95  # Spearman's correlation of a time stamp with the position in the file
_NAMED_LIKE_TIME = re.compile(r"date|time|timestamp|year|month|day|hour|minute|second|epoch", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """Remarks on the order, and the time column if the rows are a stream."""

    remarks: tuple[str, ...]
    time: str | None


def of_rows(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> Order:
    """How alike neighbouring labels are, compared with shuffled rows, and which column has the time.

    `features` are the features of the rows with a label, in file order. The time column holds dates, or numbers
    under the name of a time, and rises down the file (Spearman's correlation of 0.95 or more).
    """
    if len(target) < _FEWEST_ROWS:
        return Order((), None)
    alike, possible = _likeness(target, classes=classes)
    if classes:
        runs = 1 + int((target.to_numpy()[1:] != target.to_numpy()[:-1]).sum())
        if runs <= 2 * target.nunique() and alike > _STREAM:
            return Order(
                (f"the file is sorted by class ({runs} runs): parts are drawn at random, so this is harmless",), None
            )
    if alike < max(_ALIKE, 4 / np.sqrt(len(target))):  # four standard errors of the likeness of shuffled rows
        return Order((), None)
    time = _time(features)
    remark = f"labels of neighbouring rows are alike: {possible} (0 is no order, 1 is complete)"
    if time is not None:
        remark += f", and {time} rises down the file: the rows are a stream, and are split in the order of {time}"
    elif alike >= _STREAM:
        remark += (
            "; if rows near each other stay together in use (time, place, person), name the column in data.time or "
            "data.groups: random parts put neighbours on both sides"
        )
    return Order((remark,), time)


def _likeness(target: pd.Series, *, classes: bool) -> tuple[float, str]:
    if not classes:
        values = target.to_numpy(dtype=np.float64)
        with np.errstate(invalid="ignore"):
            correlation = float(np.nan_to_num(np.corrcoef(values[1:], values[:-1])[0, 1]))
        return correlation, f"autocorrelation {correlation:.2f}"
    values = pd.factorize(target)[0]
    same = float((values[1:] == values[:-1]).mean())
    chance = float(((np.bincount(values) / len(values)) ** 2).sum())
    excess = (same - chance) / (1 - chance)
    return excess, f"{percent(same)} share the class, {percent(chance)} if shuffled, an excess of {excess:.2f}"


def _time(features: pd.DataFrame) -> str | None:
    if features.shape[1] < 2:  # the time is no feature, and a feature must be left
        return None
    position = pd.Series(np.arange(len(features), dtype=np.float64), index=features.index)
    for name in sorted(features.columns, key=lambda name: not pd.api.types.is_datetime64_any_dtype(features[name])):
        column = features[name]
        dates = pd.api.types.is_datetime64_any_dtype(column)
        if not dates and not (pd.api.types.is_numeric_dtype(column) and _NAMED_LIKE_TIME.search(str(name))):
            continue
        if column.notna().all() and column.nunique() >= _FEWEST_ROWS and column.rank().corr(position) >= _IN_ORDER:
            return str(name)
    return None
