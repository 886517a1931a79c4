"""Columns of strings that are mostly numbers in one form, or of a foreign kind: read as numbers, named in data.columns,
a finding each."""

import pandas as pd

from heldout.checks import foreign_columns
from heldout.errors import BadArgument
from heldout.rows.foreign_kinds import KINDS
from tasks.data import column_types, loose_numbers
from tasks.data.column_types import Column
from tasks.data.dates import ColumnError
from tasks.data.text_form import TextForm
from tasks.runtime.errors import UserError
from tasks.storage.findings import RecordedFinding

Read = tuple[pd.DataFrame, dict[str, Column], dict[str, str]]  # of `column_types.separated`
_FEW, _SAMPLE = 20, 500  # distinct values that a category may have; values that show whether a unit is frequent
_ROUGHLY = 0.8  # of the sample


def look(features: pd.DataFrame, read: Read, text: TextForm) -> tuple[Read, dict[str, RecordedFinding], dict[str, str]]:
    """What was `read` of the features, with loose columns as numbers; a finding about each of these, and its kind.

    Raises UserError for a foreign kind that cannot be used.
    """
    typed, columns, refused = read
    chosen = {
        str(name): kind
        for name in features.columns
        if (kind := _kind(features[name], columns.get(str(name)), text)) is not None
    }
    if not chosen:
        return read, {}, {}
    again, found, _ = column_types.separated(features[[*chosen]], chosen, text)
    together = pd.concat([typed.drop(columns=[*found], errors="ignore"), again], axis=1)
    names = [str(name) for name in features.columns if name in together.columns]
    reasons = {name: why for name, why in refused.items() if name not in found}
    about = {name: _finding(features[name], name, chosen[name], column.format or "") for name, column in found.items()}
    now = together[names], {name: {**columns, **found}[name] for name in names}, reasons
    return now, about, {name: chosen[name] for name in found}


def _kind(values: pd.Series, column: Column | None, text: TextForm) -> str | None:
    """The kind that data.columns must name; `column` is what was read without it, None for a column that is refused."""
    if (kind := _foreign(values, column)) is not None:
        return kind
    loose = _is_mixed(values, text) if column is None else _has_a_unit(values, column, text)
    return "numeric" if loose else None


def _foreign(values: pd.Series, column: Column | None) -> str | None:
    """The kind of a package of others that recognises strings which are else a category, a text, or refused."""
    if not KINDS or not (_holds_strings(values) if column is None else _are_strings(values, column)):
        return None
    try:
        kind = foreign_columns.kind_of(values)
    except BadArgument as error:
        raise UserError(str(error)) from None
    return None if kind is None else kind.name


def _finding(values: pd.Series, name: str, kind: str, form: str) -> RecordedFinding:
    if kind in KINDS:
        return RecordedFinding.of(foreign_columns.finding(values, KINDS[kind]))
    tally = loose_numbers.tally(values, form)
    all_read = f"{name}: strings such as {str(values.dropna().iloc[0])!r} are numbers in {tally.unit}"
    text = tally.sentence(name) if tally.others else all_read
    return RecordedFinding("parsed", text, columns=(name,), done="numeric in data.columns")


def _is_mixed(values: pd.Series, text: TextForm) -> bool:
    """Whether a column that is refused has numbers in one form almost everywhere."""
    try:
        return _holds_strings(values) and loose_numbers.form_of(values, text.decimal, loose_numbers.MOST) is not None
    except ColumnError:
        return False


def _holds_strings(values: pd.Series) -> bool:
    try:
        return column_types.value_type_of(values) == "strings"
    except ColumnError:
        return False


def _are_strings(values: pd.Series, column: Column) -> bool:
    """Whether strings could be used as they are, and the file does not say that they are categories."""
    kept = column.source == "strings" and column.kind in ("category", "text")
    return kept and not isinstance(values.dtype, pd.CategoricalDtype)


def _has_a_unit(values: pd.Series, column: Column, text: TextForm) -> bool:
    """Whether strings that could be used as they are have numbers with one unit: almost all, and all if they are few.

    Numbers without a unit among such strings may be codes.
    """
    if not _are_strings(values, column):
        return False
    present = values.dropna()
    if not _reads(present.sample(_SAMPLE, random_state=0) if len(present) > _SAMPLE else present, text, _ROUGHLY):
        return False
    return _reads(present, text, loose_numbers.MOST if present.astype("str").nunique() > _FEW else 1.0)


def _reads(values: pd.Series, text: TextForm, least: float) -> bool:
    try:
        form = loose_numbers.form_of(values, text.decimal, least)
    except ColumnError:
        return False
    return form is not None and loose_numbers.unit_of(form) != ""
