"""The profile of a table before any fit: what it holds, what to leave out and why."""

import difflib
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from heldout.errors import BadArgument
from heldout.losses import ZERO_ONE, natural_loss
from tasks.data import column_types, dates, loose_numbers, number_strings
from tasks.data import target as targets
from tasks.data.column_kind import kind_of_dtype
from tasks.data.column_types import Column
from tasks.data.dates import ColumnError
from tasks.data.text_form import USUAL, TextForm
from tasks.init import (
    dependence,
    leakage,
    leaking_dates,
    leaking_gaps,
    leaking_sums,
    leaking_text,
    loose_columns,
    recorded_twice,
    row_order,
    sentinels,
    strongest,
    target_remarks,
    unlabeled_gaps,
)
from tasks.init.finding import Finding, known_before, percent
from tasks.init.leakage import Leak
from tasks.init.recorded_twice import RecordedTwice
from tasks.init.uninformative import why_useless
from tasks.params.sections import ColumnKind
from tasks.runtime.errors import UserError
from tasks.storage.finding import Topic

_MARKERS = ("?", "-", ".", "*", "missing", "unknown", "Unknown")  # reported, not decided: each may be a value
_LONGEST_MARKER = 10
_INFINITE = ("inf", "-inf")
_MOST_NAMES = 12  # in one line
_KEPT = "kept, since no other column is left"
_TAKE_OUT = "take out of it what is known only with the target, then start again"
_UNSURE = "too few rows to be sure, so it stays"


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
    read_as: Mapping[str, ColumnKind]
    dropped: tuple[Dropped, ...]
    missing: tuple[str, ...]
    time: str | None
    groups: str | None
    proposed: Mapping[str, str]
    characters: float
    findings: tuple[Finding, ...]


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
    read, loose = loose_columns.look(written, read, text)
    labeled = table[table[target].notna()]
    y = labeled[target].infer_objects()
    classes = _is_class(y, target)
    of_all_rows, dropped, parsed_features = _usable(written, read)
    columns = of_all_rows.loc[labeled.index]
    leaks, findings = _leaks(columns, dropped, y, classes=classes)
    dropped |= {name: f"leak: {leak.why}" for leak in leaks for name in leak.columns}
    features = columns.drop(columns=list(dropped), errors="ignore")
    if features.empty:
        reasons = "; ".join(f"{name}: {why}" for name, why in dropped.items())
        raise UserError(f"no feature is left next to the target {target} ({reasons})")
    all_gaps = leaking_gaps.of_gaps(features, y, classes=classes)
    gaps = [one.finding for one in all_gaps if one.finding is not None]
    order = row_order.of_rows(features.drop(columns=[*loose], errors="ignore"), y, classes=classes)
    proposed, along, groups = dependence.look(
        _without_leaking_dates(columns, leaks), _without_leaks(features, gaps), y, order, classes=classes
    )
    if groups is not None:  # of rows that belong together a group also names the class: it is no leak
        dropped.pop(groups, None)
        findings = [finding for finding in findings if finding.columns != (groups,)]
    features_that_stay = features.drop(columns=[name for name in (order.time, groups) if name in features])
    kinds = {str(name): kind_of_dtype(dtype) for name, dtype in features_that_stay.dtypes.items()}
    alone = order.time is None and groups is None
    if (twice := recorded_twice.look(features, y, classes=classes) if alone else None) is not None:
        proposed["duplicates"] = "proposed: rows were recorded twice; allow, if each is a draw of its own"
    if (about_target := target_remarks.look(y, classes=classes)) is not None:
        proposed["loss"] = about_target.proposed
    others = written[table[target].isna()] if unlabeled is None else unlabeled
    late = unlabeled_gaps.look(written.loc[labeled.index, features_that_stay.columns], others, missing)
    quiet = _without_findings(features_that_stay, [*findings, *gaps])
    most = strongest.look(quiet, all_gaps, y, classes=classes)
    remarks = (*_copies(features, y, twice, classes=classes), *_gaps(of_all_rows[features.columns], missing))
    return Profile(
        rows=len(table),
        labeled=len(labeled),
        target=target,
        classes=tuple((str(value), int(count)) for value, count in y.value_counts().items()) if classes else (),
        kinds=kinds,
        read_as={name: "numeric" for name in loose if name in kinds},
        dropped=tuple(Dropped(name, dropped[name]) for name in map(str, table.columns) if name in dropped),
        missing=missing,
        time=order.time,
        groups=groups,
        proposed=proposed,
        characters=sum(float(features[name].str.len().mean()) for name, kind in kinds.items() if kind == "text"),
        findings=(
            *(Finding("parsed", line) for line in (*parsed, *parsed_features)),
            *([] if about_target is None else [about_target.finding]),
            *(finding for name, finding in loose.items() if name in kinds),
            *sentinels.look(table, [*([] if classes else [target]), *kinds]),
            *findings,
            *gaps,
            *late,
            *along,
            *([] if most is None else [most]),
            *(Finding("found", remark) for remark in remarks),
        ),
    )


def _usable(features: pd.DataFrame, read: loose_columns.Read) -> tuple[pd.DataFrame, dict[str, str], list[str]]:
    """The columns in their dtypes; the reasons to leave out those from which no learner can generalise; and which
    strings of the others were read as numbers or dates."""
    typed, columns, refused = read
    unusable = {name: f"cannot be used as it is: it {why}" for name, why in refused.items()}
    useless = {str(name): why for name, values in typed.items() if (why := why_useless(values)) is not None}
    kept = [str(name) for name in typed.columns if name not in useless]
    parsed = [_parsed(features[name], typed[name], columns[name]) for name in kept if columns[name].format is not None]
    return typed, {**unusable, **useless}, [line for line in parsed if line is not None]


def _parsed(strings: pd.Series, values: pd.Series, column: Column) -> str | None:
    """What was made of strings that are numbers, or dates that do not start with the year."""
    if column.format is None or column.format == dates.ISO or loose_numbers.is_loose(column.format):
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
        return table, []
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
        classes = natural_loss(y.to_numpy()) is ZERO_ONE
    except (BadArgument, ValueError) as error:
        raise UserError(f"--target: {target}: {error}") from None
    if classes and y.is_unique and len(y) > 2:
        raise UserError(
            f"--target: {target} has another class in each of its {len(y)} rows, as {y.iloc[0]!r}: there is nothing to "
            "learn; name a column of classes or of numbers"
        )
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


def _leaks(
    columns: pd.DataFrame, useless: Mapping[str, str], y: pd.Series, *, classes: bool
) -> tuple[list[Leak], list[Finding]]:
    """The columns that give the target away, and the lines about them and about columns that may do so and stay."""
    features = columns.drop(columns=list(useless), errors="ignore")
    texts = [str(name) for name, dtype in features.dtypes.items() if kind_of_dtype(dtype) == "text"]
    single = leakage.of_single_columns(features.drop(columns=texts), y, classes=classes)
    sure = [leak for leak in single if leak.sure]
    doubtful = [leak for leak in single if not leak.sure]
    known = [name for leak in single for name in leak.columns]
    others = features.drop(columns=known)
    joint = leakage.of_indicators(features, y) if classes else []
    of_dates = leaking_dates.of_dates(others, y, classes=classes)
    doubtful += [leak for leak in of_dates if not leak.sure]
    joint += [leak for leak in of_dates if leak.sure]
    if not classes or kind_of_dtype(y.dtype) == "numeric":  # also counts, such as grades of 0 to 20
        joint += leaking_sums.of_sums(others, y)
    sure += [leak for leak in joint if not set(leak.columns) <= set(known)]
    sure += leaking_text.of_texts(features, y, texts, classes=classes)
    kept: list[Leak] = []
    if {name for leak in sure for name in leak.columns} == set(features.columns):  # nothing would be left to learn from
        kept = [leak for leak in sure if {*leak.columns} & {*texts}] or sure
        sure = [leak for leak in sure if leak not in kept]
    sure += _leaking_identifiers(columns[[name for name in columns.columns if name in useless]], y, classes=classes)
    findings = [_finding("leak", "", leak, done="left out, in data.drop") for leak in sure]
    findings += [_finding("leak", "", leak, severity="stop", done=_KEPT, decide=_TAKE_OUT) for leak in kept]
    may = " may give the target away"
    findings += [
        _finding("found", may, leak, severity="care", done=_UNSURE, decide=known_before(leak.columns))
        for leak in doubtful
    ]
    return sure, findings


def _without_leaks(features: pd.DataFrame, gaps: list[Finding]) -> pd.DataFrame:
    """The features that show what depends on the rows: a leak that stays hides it."""
    honest = features.drop(columns=[name for finding in gaps for name in finding.columns])
    return features if honest.empty else honest


def _without_leaking_dates(columns: pd.DataFrame, leaks: list[Leak]) -> pd.DataFrame:
    """The columns that may be a time or groups: along a date that gives the target away, the others do so too."""
    leaking = {name for leak in leaks for name in leak.columns}
    return columns.drop(columns=[name for name in columns.select_dtypes("datetime") if name in leaking])


def _without_findings(features: pd.DataFrame, findings: Sequence[Finding]) -> pd.DataFrame:
    """The features without texts, and without those that a finding is about: their errors are said already."""
    texts = [name for name, dtype in features.dtypes.items() if kind_of_dtype(dtype) == "text"]
    return features.drop(columns=[*texts, *(name for one in findings for name in one.columns)], errors="ignore")


def _finding(topic: Topic, verb: str, leak: Leak, **named: Any) -> Finding:
    text = f"{_names(leak)}{verb}: {leak.why}"
    return Finding(topic, text, columns=leak.columns, evidence=leak.evidence, keys=("data.known_after",), **named)


def _leaking_identifiers(identifiers: pd.DataFrame, y: pd.Series, *, classes: bool) -> list[Leak]:
    """The columns that are left out as identifiers, and that have the order or the name of the target."""
    kinds = {str(name): kind_of_dtype(dtype) for name, dtype in identifiers.dtypes.items()}
    strings = [name for name, kind in kinds.items() if kind in ("text", "category") and identifiers[name].nunique() > 1]
    numbers = [name for name, kind in kinds.items() if kind == "numeric" and identifiers[name].nunique() > 1]
    leaks = leakage.of_single_columns(identifiers[numbers], y, classes=classes, ease=leakage.OF_IDENTIFIERS)
    leaks += leaking_text.of_texts(identifiers, y, strings, classes=classes)
    return [replace(leak, why=f"an identifier that follows the target: {leak.why}") for leak in leaks]


def _names(leak: Leak) -> str:
    more = len(leak.columns) - _MOST_NAMES
    return ", ".join(leak.columns[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _copies(features: pd.DataFrame, y: pd.Series, twice: RecordedTwice | None, *, classes: bool) -> list[str]:
    rows = pd.DataFrame({"features": pd.util.hash_pandas_object(features, index=False), "label": y})
    equal = int(rows.duplicated().sum())
    other_label = int(rows["features"].duplicated().sum()) - equal
    remarks = []
    if equal:
        asked = "" if twice is None else f"; {twice.question()}"
        remarks.append(f"{equal} rows repeat an earlier row exactly{asked}")
    if other_label:
        why = "label: no learner can be right on both" if classes else "number: the features do not determine it"
        remarks.append(f"{other_label} rows repeat the features of an earlier row with another {why}")
    return remarks


def _gaps(features: pd.DataFrame, missing: tuple[str, ...]) -> list[str]:
    remarks = [
        f"{marker!r} among numbers means missing: data.missing"
        + ("" if marker not in _INFINITE else "; no learner takes an infinite number")
        for marker in missing
    ]
    shares = features.isna().mean()
    gappy = shares[shares > 0].sort_values(ascending=False, kind="stable")
    if len(gappy):
        listing = ", ".join(f"{name} {percent(share)}" for name, share in gappy.iloc[:5].items())
        remarks.append(f"{len(gappy)} columns have gaps: {listing}{', …' if len(gappy) > 5 else ''}")
    marked: dict[str, list[str]] = {}
    for name in features.columns:
        if isinstance(features[name].dtype, pd.CategoricalDtype):
            for marker in features[name].cat.categories.intersection(list(_MARKERS)):
                marked.setdefault(marker, []).append(str(name))
    for marker, names in sorted(marked.items()):
        listing = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        remarks.append(
            f"{marker!r} is a value of {len(names)} columns ({listing}) and counts as one more category; if it means "
            "missing, add it to data.missing"
        )
    return remarks
