"""Unlabelled shards: read, compared with the labelled rows, and yielded one at a time.

Only one shard is in memory, however many there are. The findings in each shard are a `ShardReport`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.data import read_source
from tasks.data.column_types import MOST_ERRORS, Column, conform, unread
from tasks.data.dates import ColumnError
from tasks.data.text_form import TextForm
from tasks.runtime.errors import UserError
from tasks.storage.shard_report import ShardReport

OnBad = Literal["fail", "skip"]
_MOST_NAMED = 5  # columns
_RARE = 0.01  # share of a shard's rows below which columns with values out of range are only named


@dataclass(frozen=True, eq=False)
class Schema:
    """The features of the labelled rows: each column, its range or categories, and the names of label columns."""

    columns: Mapping[str, Column]
    ranges: Mapping[str, tuple[object, object]]
    categories: Mapping[str, frozenset[str]]
    gapless: frozenset[str]
    labels: tuple[str, ...]  # columns of labels: dropped and reported where a shard has them
    left_out: frozenset[str]  # columns that were left out of the labelled rows too

    @classmethod
    def of(
        cls, features: pd.DataFrame, columns: Mapping[str, Column], labels: Sequence[str], left_out: Iterable[str]
    ) -> "Schema":
        """The schema of the labelled rows' features."""
        dtypes = features.dtypes
        ranges: dict[str, tuple[object, object]] = {}
        for dtype in {dtype for dtype in dtypes if dtype.kind in "iufM"}:
            values = features.loc[:, dtypes == dtype].dropna(axis=1, how="all")
            least, most = values.min(), values.max()
            ranges |= {str(name): (low, high) for name, low, high in zip(values.columns, least, most, strict=True)}
        ranges = {name: ranges[name] for name in features.columns if name in ranges}
        categories = {
            str(name): frozenset(features[name].dropna().unique().tolist())
            for name, dtype in dtypes.items()
            if isinstance(dtype, pd.CategoricalDtype)
        }
        return cls(
            columns={name: columns[name] for name in features.columns},
            ranges=ranges,
            categories=categories,
            gapless=frozenset(features.columns[features.notna().all()]),
            labels=tuple(labels),
            left_out=frozenset(left_out),
        )

    def characters(self) -> set[str]:
        """The columns that a CSV must not read as numbers."""
        return {name for name, column in self.columns.items() if column.source == "strings"}


@dataclass(frozen=True, eq=False)
class Shards:
    """Iterates over the usable shards; each is read on access. Iterating raises UserError like `checked`."""

    readers: Sequence[Callable[[], tuple[pd.DataFrame | None, ShardReport]]]
    on_bad: OnBad = "fail"

    def checked(self) -> Iterator[tuple[pd.DataFrame | None, ShardReport]]:
        """Each shard, None for a bad shard, with its report.

        At the end raises UserError, a line for each bad shard and at most ten, if `on_bad` is fail or no
        shard is left.
        """
        bad = []
        for read in self.readers:
            frame, report = read()
            if report.bad is not None:
                bad.append(f"data.unlabeled: the shard {report.file} {report.bad}")
            yield frame, report
        if not bad or (self.on_bad == "skip" and len(bad) < len(self.readers)):
            return
        remedy = (
            "no shard is left; fix at least one"
            if self.on_bad == "skip"
            else "fix it, or set data.on_bad_shard to skip"
        )
        more = [f"… and {len(bad) - MOST_ERRORS} more"] if len(bad) > MOST_ERRORS else []
        raise UserError("\n".join([f"{bad[0]}; {remedy}", *bad[1:MOST_ERRORS], *more]))

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return (frame for frame, _ in self.checked() if frame is not None)


def from_rows(hidden: pd.DataFrame, parts: Sequence[NDArray[np.intp]]) -> Shards:
    """Shards of rows of the source whose label is hidden; `parts` are the places of each shard's rows."""

    def reader(part: NDArray[np.intp]) -> Callable[[], tuple[pd.DataFrame | None, ShardReport]]:
        rows = np.sort(part)
        return lambda: (hidden.iloc[rows].reset_index(drop=True), ShardReport(None, len(rows)))

    return Shards([reader(part) for part in parts])


def from_files(paths: Sequence[Path], schema: Schema, missing: Sequence[str], on_bad: OnBad, text: TextForm) -> Shards:
    """Shards of the user's files, each compared with the labelled rows."""

    def reader(path: Path) -> Callable[[], tuple[pd.DataFrame | None, ShardReport]]:
        return lambda: _read(path, schema, missing, text)

    return Shards([reader(path) for path in paths], on_bad)


def summary(reports: Sequence[ShardReport]) -> str:
    """How many unlabelled rows there are, in how many shards."""
    used = [report for report in reports if report.bad is None]
    return f"{sum(report.rows or 0 for report in used)} unlabelled in {len(used)} shard{'s' * (len(used) != 1)}"


def messages(reports: Sequence[ShardReport]) -> list[str]:
    """A line for each skipped shard, with the rows lost, and for all shards with the same notes."""
    lines, alike = [], dict[tuple[str, ...], list[str]]()
    for report in reports:
        if report.bad is not None:
            lost = "its rows" if report.rows is None else f"{report.rows} rows"
            lines.append(f"{report.file} was skipped, {lost} lost: it {report.bad}")
        elif report.notes:
            alike.setdefault(report.notes, []).append(str(report.file))
    for notes, (first, *others) in alike.items():
        more = f" and {len(others)} more" if others else ""
        lines.append(f"{first}{more}: {'; '.join(notes)}")
    return lines


def _read(
    path: Path, schema: Schema, missing: Sequence[str], text: TextForm
) -> tuple[pd.DataFrame | None, ShardReport]:
    try:
        rows = read_source.read_shard(path, missing, schema.characters(), text)
    except UserError as error:
        message = str(error).replace(f"data.unlabeled is {path}", "cannot be read")
        reason = message.removeprefix("data.unlabeled: ").removeprefix(f"the shard {path} ").removeprefix(f"{path} ")
        return None, ShardReport(str(path), None, bad=reason)
    shard, report = _check(rows.frame, str(path), schema)
    lines = (finding.line.removeprefix(f"{path.name} ").removeprefix(f"{path.name}: ") for finding in rows.findings)
    return shard, replace(report, notes=(*lines, *report.notes))


def _check(frame: pd.DataFrame, path: str, schema: Schema) -> tuple[pd.DataFrame | None, ShardReport]:
    """The shard in the columns of the labelled rows; its report notes repairs and values out of range."""
    conformed, faults = _conformed(frame, schema)
    if faults:
        more = f", and {len(faults) - 1} more faults" if len(faults) > 1 else ""
        return None, ShardReport(path, len(frame), bad=f"{faults[0]}{more}")
    shard = pd.DataFrame(conformed, index=frame.index, copy=False)
    outside, range_notes = _out_of_range(shard, schema)
    not_numbers = [tally.sentence(repr(name)) for name, tally in unread(frame, schema.columns).items()]
    notes = (*_repairs(frame, schema), *not_numbers, *range_notes)
    return shard, ShardReport(path, len(shard), noted=int(outside.sum()), notes=notes)


def _conformed(frame: pd.DataFrame, schema: Schema) -> tuple[dict[str, pd.Series], list[str]]:
    """The columns of the labelled rows, and why some cannot be used; missing columns come first."""
    lacking = [name for name in schema.columns if name not in frame.columns]
    faults = [f"lacks the column {name!r} of the labelled rows" for name in lacking]
    conformed = {}
    for name, column in schema.columns.items():
        if name in frame.columns:
            try:
                conformed[name] = conform(frame[name], column)
            except ColumnError as error:
                faults.append(f"has the column {name!r}, which {error}")
    return conformed, faults


def _out_of_range(shard: pd.DataFrame, schema: Schema) -> tuple[NDArray[np.bool_], list[str]]:
    """The rows with a value outside of the labelled rows' range or categories, and notes on gaps and such values."""
    notes = []
    outside = np.zeros(len(shard), dtype=bool)
    rare = []
    for name in shard.columns:
        values = shard[name]
        if name in schema.gapless and (gaps := int(values.isna().sum())):
            share = f"{100 * gaps / len(shard):.1f} %"
            notes.append(f"{name!r} has gaps in {share} of the rows, but none in the labelled rows")
        beyond, what = _beyond(values, name, schema)
        if beyond.any():
            outside |= beyond
            if beyond.mean() < _RARE:
                rare.append(name)
            else:
                notes.append(f"{name!r} {what} in {100 * beyond.mean():.1f} % of the rows")
    if rare:
        notes.append(
            f"values outside of the labelled rows' range or categories, in under {100 * _RARE:.0f} % of the rows: "
            + (_listed(rare) if len(rare) <= _MOST_NAMED else f"more than {_MOST_NAMED} columns")
        )
    return outside, notes


def _repairs(frame: pd.DataFrame, schema: Schema) -> list[str]:
    notes = [f"the column of labels {name!r} was dropped" for name in schema.labels if name in frame.columns]
    extra = [
        name
        for name in frame.columns
        if name not in schema.columns and name not in schema.labels and name not in schema.left_out
    ]
    if extra:
        notes.append(f"{len(extra)} columns that the labelled rows do not have were left out ({_listed(extra)})")
    if [name for name in frame.columns if name in schema.columns] != list(schema.columns):
        notes.append("the columns were put in the order of the labelled rows")
    return notes


def _beyond(values: pd.Series, name: str, schema: Schema) -> tuple[NDArray[np.bool_], str]:
    """The rows whose value lies outside of the labelled rows' range or categories, and a clause that says so."""
    if name in schema.categories:
        unseen = values.notna() & ~values.isin(list(schema.categories[name]))
        return unseen.to_numpy(dtype=bool), "has categories that no labelled row has"
    if name in schema.ranges:
        low, high = schema.ranges[name]
        out = (values < low) | (values > high)
        return out.to_numpy(dtype=bool), f"lies outside of {_short(low)} to {_short(high)}"
    return np.zeros(len(values), dtype=bool), ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_MOST_NAMED])) + (", …" if len(names) > _MOST_NAMED else "")


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float | int | np.number) else str(value)
