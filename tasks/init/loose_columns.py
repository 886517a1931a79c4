"""Columns of strings that are mostly numbers in one form: read as numbers, named in data.columns, a finding each."""

import pandas as pd

from tasks.data import column_types, loose_numbers
from tasks.data.column_types import Column
from tasks.data.dates import ColumnError
from tasks.data.text_form import TextForm
from tasks.storage.findings import RecordedFinding

Read = tuple[pd.DataFrame, dict[str, Column], dict[str, str]]  # of `column_types.separated`
_FEW, _SAMPLE = 20, 500  # distinct values that a category may have; values that show whether a unit is frequent
_ROUGHLY = 0.8  # of the sample


def look(features: pd.DataFrame, read: Read, text: TextForm) -> tuple[Read, dict[str, RecordedFinding]]:
    """What was `read` of the features, with loose columns as numbers; and these columns, a finding about each."""
    typed, columns, refused = read
    chosen = [
        str(name)
        for name in features.columns
        if (_is_mixed(features[name], text) if name in refused else _has_a_unit(features[name], columns[name], text))
    ]
    if not chosen:
        return read, {}
    again, found, _ = column_types.separated(features[chosen], dict.fromkeys(chosen, "numeric"), text)
    together = pd.concat([typed.drop(columns=[*found], errors="ignore"), again], axis=1)
    names = [str(name) for name in features.columns if name in together.columns]
    reasons = {name: why for name, why in refused.items() if name not in found}
    about = {name: _finding(features[name], name, column.format or "") for name, column in found.items()}
    return (together[names], {name: {**columns, **found}[name] for name in names}, reasons), about


def _finding(values: pd.Series, name: str, form: str) -> RecordedFinding:
    tally = loose_numbers.tally(values, form)
    all_read = f"{name}: strings such as {str(values.dropna().iloc[0])!r} are numbers in {tally.unit}"
    text = tally.sentence(name) if tally.others else all_read
    return RecordedFinding("parsed", text, columns=(name,), done="numeric in data.columns")


def _is_mixed(values: pd.Series, text: TextForm) -> bool:
    """Whether a column that is refused has numbers in one form almost everywhere."""
    try:
        if column_types.value_type_of(values) != "strings":
            return False
        return loose_numbers.form_of(values, text.decimal, loose_numbers.MOST) is not None
    except ColumnError:
        return False


def _has_a_unit(values: pd.Series, column: Column, text: TextForm) -> bool:
    """Whether strings that could be used as they are have numbers with one unit: almost all, and all if they are few.

    Numbers without a unit among such strings may be codes.
    """
    if column.source != "strings" or column.kind not in ("category", "text"):
        return False
    if isinstance(values.dtype, pd.CategoricalDtype):
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
