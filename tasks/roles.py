"""Columns that say something of a row, but are no features: its group, its time, its weight."""

import pandas as pd

from tasks.errors import UserError
from tasks.params import Settings


def named(settings: Settings) -> dict[str, str]:
    """The column of each role that the parameters name."""
    data = settings.data
    roles = {"group": data.groups, "time": data.time, "weight": data.weight}
    return {role: column for role, column in roles.items() if column is not None}


def read(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """A column for each named role, in the rows of `table`: groups and weights as they stand, times in an order.

    Raises UserError for a column that is not there, or times that are neither numbers nor dates.
    """
    found = {}
    for role, column in named(settings).items():
        key = "data.groups" if role == "group" else f"data.{role}"
        if column not in table.columns:
            known = ", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else "")
            raise UserError(f"{key} is {column!r}, which is no column of {settings.data.source}; it has {known}")
        values = table[column]
        found[role] = {"group": _groups, "time": _times}.get(role, lambda own, _: own)(values, column)
    return pd.DataFrame(found, index=table.index)


def check_complete(roles: pd.DataFrame, settings: Settings) -> None:
    """Raise UserError for a row with a label whose group, time or weight is missing."""
    for role, column in named(settings).items():
        missing = int(roles[role].isna().sum())
        if missing:
            key = "data.groups" if role == "group" else f"data.{role}"
            raise UserError(
                f"{key} is {column!r}, which is missing in {missing} of {len(roles)} rows with a label; fill it, or "
                "take those rows out"
            )


def _groups(values: pd.Series, _column: str) -> pd.Series:
    return values.astype("str").where(values.notna()) if values.dtype == object else values


def _times(values: pd.Series, column: str) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        return values
    try:
        return pd.to_datetime(values, format="ISO8601")
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UserError(
            f"data.time is {column!r}, which holds neither numbers nor dates of the form 2026-11-22 ({reason}); "
            "write the dates so, year first"
        ) from None
