"""The profile of a table before any fit: what it holds, what to leave out and why."""

import difflib
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from heldout.checks import target_kind
from heldout.checks.examination import examine
from heldout.errors import BadArgument
from tasks.data import column_types, dates, foreign_strings, loose_numbers, number_strings
from tasks.data import target as targets
from tasks.data.column_types import Column
from tasks.data.dates import ColumnError
from tasks.data.text_form import USUAL, TextForm
from tasks.init import loose_columns
from tasks.params.sections import ColumnKind
from tasks.runtime.errors import UserError
from tasks.storage.findings import RecordedFinding

_LONGEST_MARKER = 10


@dataclass(frozen=True)
class Dropped:
    """A column that is left out, and why; a leak has a line of its own among the findings."""

    column: str
    why: str

    @property
    def is_leak(self) -> bool:
        """Whether the column gives the target away."""
        return self.why.startswith("leak: ")


@dataclass(frozen=True)
class Profile:
    """What a table holds. `classes` is empty for a target of numbers; `kinds` are the kinds of the features that stay.

    `read_as` are the kinds that data.columns must name, `missing` strings that mean a gap, `time` the column that
    orders the rows as a stream, `groups` the column whose values repeat, `proposed` a comment for `time`, `groups`,
    `duplicates` and `loss`, `characters` the mean length of a row's texts, `findings` the lines to print.
    """

    rows: int
    labeled: int
    target: str
    classes: tuple[tuple[str, int], ...]
    kinds: Mapping[str, ColumnKind]
    read_as: Mapping[str, str]
    dropped: tuple[Dropped, ...]
    missing: tuple[str, ...]
    time: str | None
    groups: str | None
    proposed: Mapping[str, str]
    characters: float
    findings: tuple[RecordedFinding, ...]
    positive: str | int | float | bool | None = (
        None  # the class of two that the type of the column has last, if that is not by name
    )


def look(table: pd.DataFrame, target: str, text: TextForm = USUAL, unlabeled: pd.DataFrame | None = None) -> Profile:
    """Look at every column of `table`, whose strings have the form `text`, and at the order of its rows.

    `unlabeled` are rows of the user's unlabelled files; None takes the rows of the table without a label.
    Raises UserError where the target is no column, has fewer than two values, is neither classes nor numbers, or where
    no feature is left.
    """
    _check(table, target)
    table, parsed = _with_numbers(table, target, text)
    table, read, missing = _without_markers(table, target, text)
    written = table.drop(columns=target)
    read, loose, read_as = loose_columns.look(written, read, text)
    labeled = table[table[target].notna()]
    y = labeled[target].infer_objects()
    classes = _is_class(y, target)
    typed, columns, refused = read
    unusable = {name: f"cannot be used as it is: it {why}" for name, why in refused.items()}
    try:
        found = examine(
            typed,
            y,
            classes=classes,
            written=written,
            unlabeled=written[table[target].isna()] if unlabeled is None else unlabeled,
            refused=unusable,
            missing=missing,
            loose=[*loose],
        )
    except BadArgument as error:
        raise UserError(str(error)) from None
    dropped = {**unusable, **found.useless, **found.leaks}
    kept = [str(name) for name in typed.columns if name not in found.useless]
    parsed += [line for name in kept if (line := _parsed(written[name], typed[name], columns[name])) is not None]
    texts = [name for name, kind in found.kinds.items() if kind == "text"]
    return Profile(
        rows=len(table),
        labeled=len(labeled),
        target=target,
        classes=tuple((str(value), int(count)) for value, count in y.value_counts().items()) if classes else (),
        kinds=found.kinds,
        read_as={name: kind for name, kind in read_as.items() if name in found.kinds},
        dropped=tuple(Dropped(name, dropped[name]) for name in map(str, table.columns) if name in dropped),
        missing=missing,
        time=found.time,
        groups=found.groups,
        proposed=found.proposed,
        characters=sum(float(typed.loc[labeled.index, name].str.len().mean()) for name in texts),
        findings=(
            *(RecordedFinding("parsed", line) for line in parsed),
            *(finding for name, finding in loose.items() if name in found.kinds),
            *map(RecordedFinding.of, found.findings),
        ),
        positive=targets.last_by_type(y),
    )


def _parsed(strings: pd.Series, values: pd.Series, column: Column) -> str | None:
    """What was made of strings that are numbers, or dates that do not start with the year."""
    form = column.format
    if form is None or form == dates.ISO or loose_numbers.is_loose(form) or foreign_strings.is_foreign(form):
        return None
    present = strings.dropna().astype("str")
    disguised = ~present.str.fullmatch(r"[-+0-9.]+").to_numpy(dtype=bool)
    place = int(disguised.argmax())
    value = values[strings.notna()].iloc[place]
    what = f"dates: {value.date()}" if column.kind == "date" else f"numbers: {value:.12g}"
    return f"{strings.name}: strings such as {present.iloc[place]!r} are {what}"


def _with_numbers(table: pd.DataFrame, target: str, text: TextForm) -> tuple[pd.DataFrame, list[str]]:
    """The table with the target as numbers where it has numbers written as strings, and a line that says so."""
    try:
        decimal = targets.decimal_of(table[target], text)
    except ColumnError as error:
        raise UserError(f"--target: {target} {error}") from None
    if decimal is None:
        wide = targets.wide_target(table[target])
        return table if wide is table[target] else table.assign(**{target: wide}), []
    values = number_strings.parsed(table[target], decimal)
    line = _parsed(table[target], values, Column("numeric", "strings", values.dtype, decimal))
    return table.assign(**{target: values}), [line] if line else []


def _check(table: pd.DataFrame, target: str) -> None:
    if target not in table.columns:
        names = [str(name) for name in table.columns]
        near = difflib.get_close_matches(target, names, n=1, cutoff=0.0)
        raise UserError(f"--target is {target!r}, which is no column; did you mean {near[0] if near else '…'!r}?")
    if not table[target].notna().any():
        raise UserError(f"--target: {target} is missing in all {len(table)} rows; at least two classes are needed")
    values = table[target].dropna()
    if values.nunique() < 2:
        raise UserError(f"--target: {target} has the single value {values.unique().tolist()}; at least two are needed")
    if table.shape[1] < 2:
        raise UserError(f"--target: {target} is the only column; there is no feature")


def _is_class(y: pd.Series, target: str) -> bool:
    try:
        classes = target_kind.are_classes(y)
    except (BadArgument, ValueError) as error:
        raise UserError(f"--target: {target}: {error}") from None
    if classes and (reason := targets.too_many_classes(y)) is not None:
        raise UserError(f"--target: {target} {reason}; else name a column of classes or of numbers, or merge classes")
    return classes


def _without_markers(
    table: pd.DataFrame, target: str, text: TextForm
) -> tuple[pd.DataFrame, loose_columns.Read, tuple[str, ...]]:
    """The table with gaps for infinities, and for the only string among the numbers of a column; its columns in their
    dtypes; and these strings, also of the infinities."""
    read = column_types.separated(table.drop(columns=target), text=text)
    answers = {*table[target].dropna().astype(str)}
    strings: dict[str, None] = {}
    infinite: dict[str, None] = {}
    for name in read[2]:
        values = table[name].dropna()
        if values.dtype.kind == "f":
            infinite |= dict.fromkeys(str(value) for value in values[np.isinf(values.to_numpy())].unique())
        elif values.map(lambda value: isinstance(value, str | numbers.Real)).all():
            strings |= dict.fromkeys(_marker(values.astype(str).unique()))
    strings, infinite = ({marker: None for marker in found if marker not in answers} for found in (strings, infinite))
    if not strings and not infinite:
        return table, read, ()
    table = table.replace([*strings, *map(float, infinite)], None)
    as_numbers = {name: pd.to_numeric(table[name], errors="coerce") for name in read[2]}
    table = table.assign(
        **{
            name: values
            for name, values in as_numbers.items()
            if values.notna().any() and values.isna().equals(table[name].isna())
        }
    )
    return table, column_types.separated(table.drop(columns=target), text=text), (*strings, *infinite)


def _marker(distinct: Iterable[str]) -> list[str]:
    """The only string among numbers, if there is one, and it is short."""
    alike = [(string, number_strings.looks_like_a_number(string)) for string in distinct]
    others = [string for string, number in alike if not number]
    if not len(others) == 1 < len(alike) or loose_numbers.is_range(others[0]):
        return []
    return others if len(others[0]) <= _LONGEST_MARKER else []
