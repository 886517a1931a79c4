"""The target: separated from the features of a source, checked, and converted to plain values."""

import numpy as np
import pandas as pd

from heldout.errors import BadArgument
from heldout.losses import choose_loss
from heldout.losses.choice import unlearnable
from heldout.rows.class_order import last_of_two
from heldout.rows.wide import wide
from heldout.splits import class_shares
from tasks.data import number_strings, row_roles
from tasks.data.column_types import value_type_of
from tasks.data.dates import ColumnError
from tasks.data.text_form import TextForm
from tasks.params import Settings
from tasks.params.sections import Decimal
from tasks.runtime.errors import UserError, one_line
from tasks.storage.files import TARGET


def with_target(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The features of a source without dropped columns and roles, then the target under its prepared name.

    Raises UserError for a key of `data` that names no column, and for a table without rows or features.
    """
    data = settings.data
    name = data.target or TARGET
    columns = one_line(", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else ""))
    if name not in table.columns:
        raise UserError(f"data.target is {name!r}, which is no column of {data.source}; it has {columns}")
    for column, key in data.left_out.items():
        if column not in table.columns or column == name:
            raise UserError(f"{key} names {column!r}, which is no feature of {data.source}; it has {columns}")
    features = table.drop(columns=list({name, *data.left_out, *row_roles.named(settings).values()}))
    if TARGET in features.columns:
        raise UserError(
            f"data.source: a feature is called {TARGET!r}, the name of the prepared target; rename or drop it"
        )
    if features.empty:
        raise UserError(
            f"data.source: {data.source} has {len(table)} rows and {features.shape[1]} features; needs both"
        )
    for column in data.columns or {}:
        if column not in features.columns:
            raise UserError(f"data.columns names {column!r}, which is no feature of {data.source}; it has {columns}")
    labels = _positive(_plain(table[name], name, settings), name, settings)
    return pd.concat([features, labels.rename(TARGET)], axis=1)  # `assign` warns of many columns


def last_by_type(target: pd.Series) -> str | int | float | bool | None:
    """The last of two classes by the order that the type of the column has, where another one is the last by name."""
    last = last_of_two(target)
    if last is None or last == max(target.dropna().unique().tolist()):
        return None
    plain: str | int | float | bool = last.item() if isinstance(last, np.generic) else last
    return plain


def _positive(target: pd.Series, name: str, settings: Settings) -> pd.Series:
    """The target, as 1 and 0 if data.positive names a class."""
    positive = settings.data.positive
    if positive is None:
        return target
    if not (target == positive).any():
        values = ", ".join(repr(value) for value in sorted(target.dropna().unique().tolist(), key=str)[:20])
        raise UserError(f"data.positive is {positive!r}, which no row of {name} has; it has {values}")
    return (target == positive).astype("int64").where(target.notna())


def _plain(target: pd.Series, name: str, settings: Settings) -> pd.Series:
    """The target as plain values. Raises UserError for nested or infinite values, and numbers that may be two."""
    try:
        decimal = decimal_of(target, TextForm.of(settings.data))
    except ColumnError as error:
        raise UserError(f"data.target: the column {name!r} {error}") from None
    if isinstance(target.dtype, pd.CategoricalDtype):
        target = target.astype(target.cat.categories.dtype if target.notna().all() else "object").infer_objects()
    if decimal is not None and not isinstance(settings.data.positive, str):
        target = number_strings.parsed(target, decimal)
    if target.dtype.kind == "f" and np.isinf(target).any():
        row = int(np.isinf(target).to_numpy().argmax())
        raise UserError(
            f"data.target: {name} is infinite in row {row} (counted from 0); write a finite number, or leave it empty"
        )
    try:
        return wide_target(target)
    except BadArgument as error:
        raise UserError(f"data.target: the column {name!r}: {error}") from None


def wide_target(target: pd.Series) -> pd.Series:
    """Numbers in a type whose differences do not wrap, as `heldout.rows.wide` has them; also next to gaps.

    Raises BadArgument for whole numbers beyond int64.
    """
    if target.dtype.kind not in "iufO":
        return target
    there = target.dropna()
    values = wide(there.to_numpy(), str(target.name))
    if values.dtype == there.to_numpy().dtype:
        return target
    if len(there) == len(target):
        return pd.Series(values, target.index, name=target.name)
    return target.astype("Int64" if values.dtype.kind == "i" else "float64")


def decimal_of(target: pd.Series, text: TextForm) -> Decimal | None:
    """The decimal mark of a target of numbers written as strings, else None. Raises ColumnError as for a feature."""
    if value_type_of(target) != "strings" or isinstance(target.dtype, pd.CategoricalDtype):
        return None
    distinct = target.dropna().astype("str").unique().tolist()
    return number_strings.decimal_of(distinct, text.decimal)


def too_many_classes(target: pd.Series) -> str | None:
    """Why a target of classes has too many of them to learn, as a clause that follows its name; None if not."""
    if (reason := unlearnable(target.dropna().to_numpy())) is None:
        return None
    distinct = pd.Series(target.dropna().unique())
    numbers = distinct.astype("str").map(number_strings.looks_like_a_number).astype("bool")
    if not numbers.all() and numbers.mean() >= 0.5:
        return (
            f"mixes numbers with strings such as {distinct[~numbers].iloc[0]!r}; leave gaps empty, or name their "
            "string in data.missing"
        )
    return reason


def without_gaps(target: pd.Series) -> pd.Series:
    """Labels without gaps, as integers again if a gap turned them into floats."""
    target = target.infer_objects()
    if pd.api.types.is_integer_dtype(target.dtype):
        return pd.Series(target.to_numpy(), target.index, name=target.name)  # Int64: beyond 2^53, next to gaps
    whole = target.dtype.kind == "f" and bool((target % 1 == 0).all())
    return target.astype("int64") if whole else target


def check_same_kind(part: pd.Series, whole: pd.Series, settings: Settings) -> None:
    """Raise UserError where `part`, drawn by split.rows, would be taken as classes and `whole` as numbers."""
    kinds = {choose_loss(settings.judged_by, rows.to_numpy()).of_classes for rows in (part, whole)}
    if len(kinds) > 1:
        raise UserError(
            f"split.rows is {settings.split.rows}, and so few rows hold only {part.nunique()} whole numbers, which "
            f"would count as classes; all {len(whole)} rows hold {whole.nunique()}; use more rows, or null"
        )


def stratified(target: pd.Series, settings: Settings) -> bool:
    """Whether the parts of these rows are stratified: as split.stratify says, if the target holds classes."""
    name = settings.data.target or TARGET
    if target.nunique() < 2:
        values = target.unique().tolist()
        raise UserError(
            f"data.target: {name} has the single value {values}; at least two classes or numbers are needed"
        )
    try:
        loss = choose_loss(settings.judged_by, target.to_numpy(), called=name)
    except (BadArgument, ValueError) as error:
        about_loss = isinstance(error, BadArgument) and error.argument == "loss"
        raise UserError(str(error) if about_loss else f"data.target: {name}: {error}") from None
    if settings.loss is None and loss.of_classes and (reason := too_many_classes(target)) is not None:
        raise UserError(
            f"data.target: {name} {reason}; else name a column of classes, or a class in data.positive, or set loss to "
            "zero_one to keep them all"
        )
    return loss.of_classes and class_shares.stratified(target.to_numpy(), settings.split.stratify)
