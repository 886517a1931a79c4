"""The kind of each column, and its one dtype: all later code reads the kind from the dtype.

| kind | dtype | which values |
|---|---|---|
| numeric | int or float | numbers, also as strings such as "$5,000"; durations, as days; with gaps float64 |
| boolean | bool | truth values without gaps; with gaps they become the category "False"/"True" |
| category | pandas category of strings | strings of few distinct values; whole numbers, if the user says so |
| date | datetime64[us], in UTC | timestamps; strings that are all dates in one format |
| text | str | all other strings |

Strings of a kind that a package of others adds are numeric where the user names it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from pandas.api import types

from heldout.checks.column_kind import are_categories, kind_of_dtype
from heldout.rows import foreign_kinds
from tasks.data import cast, dates, foreign_strings, loose_numbers, number_strings
from tasks.data.blocks import in_blocks
from tasks.data.cast import ValueType
from tasks.data.dates import ColumnError
from tasks.data.text_form import USUAL, TextForm
from tasks.params.sections import ColumnKind
from tasks.runtime.errors import UserError

KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
MOST_ERRORS = 10

_VALUE_TYPES: dict[str, ValueType] = {
    "boolean": "truth values",
    "integer": "numbers",
    "floating": "numbers",
    "mixed-integer-float": "numbers",
    "decimal": "numbers",
    "string": "strings",
    "date": "dates",
    "datetime": "dates",
    "datetime64": "dates",
    "timedelta": "durations",
    "timedelta64": "durations",
    "empty": "nothing",
}
# the value types that a shard may hold for a kind, next to the type in the labelled rows
_NATURAL: Mapping[ColumnKind, tuple[ValueType, ...]] = {
    "numeric": ("numbers",),
    "boolean": ("truth values", "strings"),
    "category": ("strings",),
    "date": ("dates", "strings"),
    "text": ("strings",),
}
_EMPTY: Mapping[ColumnKind, Any] = {
    "numeric": "float64",
    "boolean": "float64",
    "category": pd.CategoricalDtype(pd.Index([], dtype="str")),
    "date": "datetime64[us]",
    "text": pd.StringDtype(na_value=float("nan")),
}


@dataclass(frozen=True)
class Column:
    """A column of the source after conversion; the same column of each shard is converted to it.

    `source` is the type of the values before, `dtype` the dtype now, `format` the format of dates in strings, or the
    form of numbers in strings: the decimal mark, or that of `loose_numbers` or `foreign_strings`.
    """

    kind: ColumnKind
    source: ValueType
    dtype: Any
    format: str | None = None


def kinds(
    table: pd.DataFrame, chosen: Mapping[str, str] | None = None, text: TextForm = USUAL
) -> dict[str, ColumnKind]:
    """The kind of each column of `table`; `chosen` wins where it names the column, one of `KINDS` or a foreign kind.

    Raises UserError, a line for each column that has no kind (nested, mixed, dates in two formats).
    """
    return {name: kind_of_dtype(column.dtype) for name, column in typed(table, chosen, text)[1].items()}


def typed(
    table: pd.DataFrame, chosen: Mapping[str, str] | None = None, text: TextForm = USUAL
) -> tuple[pd.DataFrame, dict[str, Column]]:
    """The table with each column in the dtype of its kind, and a record for each column.

    Raises UserError, a line for each column that has no kind or an infinite value.
    """
    usable, columns, reasons = separated(table, chosen, text)
    if reasons:
        errors = [f"data.source: the column {name!r} {reason}" for name, reason in reasons.items()]
        more = [f"… and {len(errors) - MOST_ERRORS} more"] if len(errors) > MOST_ERRORS else []
        raise UserError("\n".join(errors[:MOST_ERRORS] + more))
    return usable, columns


def separated(
    table: pd.DataFrame, chosen: Mapping[str, str] | None = None, text: TextForm = USUAL
) -> tuple[pd.DataFrame, dict[str, Column], dict[str, str]]:
    """The columns that have a kind, in its dtype, a record for each; and why each of the others has none.

    A reason is a clause that follows the column's name.
    """
    series, columns, reasons = {}, {}, {}
    for name, values in table.items():
        try:
            series[name], columns[str(name)] = _typed(values, (chosen or {}).get(str(name)), text)
        except ColumnError as error:
            reasons[str(name)] = str(error)
    usable = pd.DataFrame(series, index=table.index, columns=list(series), copy=False)
    return in_blocks(usable), columns, reasons


def unread(table: pd.DataFrame, columns: Mapping[str, Column]) -> dict[str, loose_numbers.Tally]:
    """For each of `columns` whose other strings are missing, and that has such strings in `table`: how many."""
    forms = {name: column.format for name, column in columns.items() if name in table.columns}
    tallies = {
        name: (foreign_strings if foreign_strings.is_foreign(form) else loose_numbers).tally(table[name], form)
        for name, form in forms.items()
        if form is not None
        and (foreign_strings.is_foreign(form) or loose_numbers.is_loose(form))
        and value_type_of(table[name]) == "strings"
    }
    return {name: tally for name, tally in tallies.items() if tally.others}


def kind_of(values: pd.Series) -> ColumnKind:
    """The kind of one column. Raises ColumnError, a ValueError, with the reason if it has none."""
    return kind_of_dtype(_typed(values, None, USUAL)[1].dtype)


def conform(values: pd.Series, column: Column) -> pd.Series:
    """The column of a shard in the dtype of the labelled rows; categories that those rows lack come last.

    Where a gap forbids whole numbers or truth values the dtype is float64 (0 and 1). Raises ColumnError if
    the values are of another kind.
    """
    value_type = value_type_of(values)
    if value_type == "nothing":
        return cast.nothing(values, column.dtype)
    if value_type not in (column.source, *_NATURAL[column.kind]):
        raise ColumnError(f"holds {value_type}, but {column.source} in the labelled rows; write the same type")
    converted, _ = cast.as_kind(values, value_type, column.kind, column.format)
    if column.kind == "boolean":
        return cast.truth_like(converted, column.dtype)
    if column.kind == "category":
        known, present = column.dtype.categories, converted.cat.categories
        return converted.cat.set_categories([*known, *present[~present.isin(known)]], ordered=column.dtype.ordered)
    if column.kind == "numeric":
        return cast.number_like(converted, column.dtype)
    return converted


def _typed(values: pd.Series, wanted: str | None, text: TextForm) -> tuple[pd.Series, Column]:
    value_type = value_type_of(values)
    kind, form = _infer(values, value_type, text) if wanted is None else _chosen(values, value_type, wanted, text)
    if value_type == "nothing":
        converted = cast.nothing(values, _EMPTY[kind])
    else:
        converted, form = cast.as_kind(values, value_type, kind, form)
    return converted, Column(kind, value_type, converted.dtype, form)


def _chosen(values: pd.Series, value_type: ValueType, wanted: str, text: TextForm) -> tuple[ColumnKind, str | None]:
    if wanted in foreign_kinds.KINDS:
        if value_type not in ("strings", "nothing"):
            raise ColumnError(f"holds {value_type}, and {wanted} is a kind of strings; remove it from data.columns")
        return "numeric", foreign_strings.form_of(wanted)
    kind = next(own for own in KINDS if own == wanted)
    return kind, _form(values, value_type, kind, text)


def _form(values: pd.Series, value_type: ValueType, kind: ColumnKind, text: TextForm) -> str | None:
    """The format of strings that the user declares to be dates or numbers; None if they have none."""
    if value_type != "strings" or kind not in ("date", "numeric"):
        return None
    distinct = _distinct(values)
    if kind == "date":
        return dates.common_format(distinct.str.strip(), text.dayfirst)
    decimal = number_strings.decimal_of(distinct.tolist(), text.decimal)
    return decimal or loose_numbers.form_of(values, text.decimal, loose_numbers.HALF)


def _distinct(values: pd.Series) -> pd.Series:
    return pd.Series(values.dropna().astype("str").unique())


def value_type_of(values: pd.Series) -> ValueType:
    """The type of the values. Raises ColumnError for nested values and other types without a kind."""
    dtype: Any = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf":  # as below, in a tenth of the time
        return "nothing" if np.isnan(values.to_numpy()).all() else "numbers"
    if isinstance(dtype, pd.CategoricalDtype):
        return "strings" if values.notna().any() else "nothing"
    if values.isna().all():
        return "nothing"
    if types.is_bool_dtype(dtype):
        return "truth values"
    if types.is_datetime64_any_dtype(dtype):
        return "dates"
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return "numbers"
    if isinstance(dtype, pd.StringDtype):
        return "strings"
    inferred = types.infer_dtype(values, skipna=True)
    if inferred in _VALUE_TYPES:
        return _VALUE_TYPES[inferred]
    if (
        inferred in ("mixed", "mixed-integer")
        and values.dropna().map(lambda item: isinstance(item, str | int | float)).all()
    ):
        return "strings"
    what = "nested values" if inferred == "mixed" else f"{inferred} values"
    raise ColumnError(
        f"holds {what} ({type(values.dropna().iloc[0]).__name__}), which are none of {', '.join(KINDS)}; "
        "write it as one of them, or name it in data.drop"
    )


def _infer(values: pd.Series, value_type: ValueType, text: TextForm) -> tuple[ColumnKind, str | None]:
    if value_type in ("numbers", "durations", "nothing"):
        return "numeric", None
    if value_type == "truth values":
        return "boolean", None
    if value_type == "dates":
        return "date", None
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "category", None
    distinct = _distinct(values)
    decimal = number_strings.decimal_of(distinct.tolist(), text.decimal)
    if decimal is not None:
        return "numeric", decimal
    form = dates.common_format(distinct, text.dayfirst)
    if form is not None:
        return "date", form
    present = int(values.notna().sum())
    if are_categories(len(distinct), present):
        return "category", None
    _refuse_mixed(distinct)
    return "text", None


def _refuse_mixed(distinct: pd.Series) -> None:
    """Numbers mixed with strings, or in several forms, are no text: the user must say what they mean."""
    alike = distinct.map(number_strings.looks_like_a_number).astype("bool")
    if not alike.all() and alike.mean() >= 0.5:
        raise ColumnError(
            f"mixes numbers with strings such as {distinct[~alike].iloc[0]!r}; set its kind in data.columns to numeric "
            "(a range is read as its middle, what is no number is missing), category or text, or add the strings that "
            "mean a gap to data.missing"
        )
    if alike.all() and not distinct.str.fullmatch("[0-9]+").all():
        first = distinct.iloc[0]
        other = next((value for value in distinct if number_strings.decimal_of([first, value], "point") is None), first)
        raise ColumnError(
            f"has numbers in more than one form, as {first!r} and {other!r}; write all in one, or set its kind in "
            "data.columns to numeric (those in the most frequent form are read, others are missing), category or text"
        )
