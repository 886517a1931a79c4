"""Columns that describe a row but are no features: its group, its time, its weight."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks import equal_rows
from heldout.errors import BadArgument
from heldout.rows.group_names import group_names
from heldout.splits.dependence import Dependence, distinct, joined
from heldout.splits.weights import check
from tasks.data import dates, duplicates
from tasks.data.dates import ColumnError
from tasks.params import Settings
from tasks.runtime.errors import UserError


def named(settings: Settings) -> dict[str, str]:
    """The column of each role that the parameters name."""
    data = settings.data
    roles = {"group": data.groups, "time": data.time, "weight": data.weight}
    return {role: column for role, column in roles.items() if column is not None}


def read(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """A column for each named role, for the rows of `table`: the groups' names, weights, times as sortable values.

    Raises UserError for a column that is not there, groups that are floats beyond 2^53, or times that are neither
    numbers nor dates.
    """
    roles = {}
    data = settings.data
    for role, column in named(settings).items():
        key = "data.groups" if role == "group" else f"data.{role}"
        if column not in table.columns:
            columns = ", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else "")
            raise UserError(f"{key} is {column!r}, which is no column of {data.source}; it has {columns}")
        values = table[column]
        if role == "time":
            roles[role] = _times(values, column, data.read.dayfirst)
        else:
            roles[role] = _groups(values, column) if role == "group" else values
    return pd.DataFrame(roles, index=table.index)


def check_complete(roles: pd.DataFrame, settings: Settings) -> None:
    """Raise UserError for a row with a label whose group, time or weight is missing, or whose weight is invalid."""
    for role, column in named(settings).items():
        missing = int(roles[role].isna().sum())
        if missing:
            key = "data.groups" if role == "group" else f"data.{role}"
            raise UserError(
                f"{key} is {column!r}, which is missing in {missing} of {len(roles)} rows with a label; fill it, or "
                "remove these rows"
            )
    if "weight" in roles:
        try:
            check(roles["weight"])
        except BadArgument as error:
            raise UserError(f"data.weight is {settings.data.weight!r}: {error}") from None


def with_copies(
    roles: pd.DataFrame, X: pd.DataFrame, y: pd.Series, settings: Settings
) -> tuple[pd.DataFrame, list[str]]:
    """The roles with copies of a row in one group, if split.duplicates is keep_together; and messages about copies.

    `X` and `y` are the features and labels of the rows with a label; `roles` may have further rows.
    """
    sets = equal_rows.sets(X)
    if sets is None:
        return roles, []
    rows, differing = duplicates.count(sets, y.to_numpy())
    finding = (
        f"{rows} of {len(X)} rows with a label have the features of another row, and "
        f"{differing or 'none'} of them have another label"
    )
    if settings.split.duplicates == "allow":
        return roles, [f"{finding}; split.duplicates keep_together would keep copies on one side of every split"]
    known = roles.loc[X.index]
    group = joined(distinct(known["group"].to_numpy()), sets) if "group" in known else sets
    others = roles.drop(columns="group", errors="ignore")
    together = others.assign(group=pd.Series(group, index=X.index).reindex(roles.index, fill_value=-1))
    return together, [f"{finding}; copies stay on one side of every split, as one group"]


def check_folds(dependence: Dependence, rows: int, settings: Settings) -> None:
    """Raise UserError where `rows` labelled rows, with copies kept together, are too few sets of rows for the folds."""
    split, group = settings.split, dependence.group
    if split.duplicates == "allow" or group is None or dependence.time is not None:
        return
    sets = len(np.unique(group))
    if sets >= 2 and (split.folds == "loo" or split.folds == rows or split.folds <= sets):
        return
    each = "rows of equal features" if settings.data.groups is None else "rows of equal features or of a group"
    found = f"{rows} labelled rows outside of the test set are {sets} set{'s' * (sets > 1)} of {each}"
    folds = f"use {f'2 to {sets}' if sets > 2 else sets} folds, or " if sets >= 2 else ""
    raise UserError(
        f"split.folds is {split.folds}, but split.duplicates is keep_together, and the {found}, each in one fold; "
        f"{folds}set split.duplicates to allow: right where equal rows are draws of few values, and not one row "
        "recorded twice"
    )


def dependence(roles: pd.DataFrame, settings: Settings) -> Dependence:
    """How rows with these `roles` depend on one another."""
    return dependence_of({name: roles[name].to_numpy() for name in roles.columns}, settings.split.gap)


def dependence_of(roles: Mapping[str, NDArray[Any]], gap: int) -> Dependence:
    """How rows depend on one another, from roles as they are read from a file."""
    return Dependence(
        group=distinct(roles["group"]) if "group" in roles else None,
        time=distinct(roles["time"]) if "time" in roles else None,
        gap=gap if "time" in roles else 0,
    )


def gap_messages(rows: int) -> list[str]:
    """The message about rows that are neither labelled nor tested, if there are any."""
    reason = "they lie in the gap before the test set, or their group is in it"
    return [f"{rows} rows with a label are left out: {reason}"] if rows else []


def _groups(values: pd.Series, column: str) -> pd.Series:
    try:
        return pd.Series(group_names(values), index=values.index, dtype="str")
    except ValueError as error:
        raise UserError(f"data.groups is {column!r}, which {error}") from None


def _times(values: pd.Series, column: str, dayfirst: bool | None) -> pd.Series:
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        naive: pd.Series = values.dt.tz_convert("UTC").dt.tz_localize(None)
        return naive
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        return values
    try:
        return pd.to_datetime(values, format="ISO8601")
    except (ValueError, TypeError):
        pass
    try:
        strings = pd.Series(values.dropna().astype("str").unique())
        return dates.parsed(values, already=False, form=dates.common_format(strings, dayfirst))[0]
    except ColumnError as error:
        raise UserError(f"data.time is {column!r}, which must hold numbers or dates; it {error}") from None
