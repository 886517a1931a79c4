"""The examination of a table whose columns have their types: every column, the order of its rows, and the target."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from heldout.checks import (
    dependence,
    leaking_gaps,
    leaks,
    recorded_twice,
    remarks,
    row_order,
    sentinels,
    strongest,
    target_remarks,
    unlabeled_gaps,
)
from heldout.checks.column_kind import ColumnKind, kind_of_dtype
from heldout.checks.leaking_gaps import LeakingGaps
from heldout.checks.recorded_twice import RecordedTwice
from heldout.checks.uninformative import useless
from heldout.errors import BadArgument
from heldout.findings import checks
from heldout.findings.finding import Finding


@dataclass(frozen=True)
class Examination:
    """What was found, and what the columns are.

    `useless` are the columns from which no learner can generalise, `leaks` those that give the target away, each with
    the reason; `kinds` are the kinds of the features that stay. `time` is the column that orders the rows as a stream,
    `groups` the column whose values repeat, `proposed` a comment for `time`, `groups`, `duplicates` and `loss`.
    """

    useless: Mapping[str, str]
    leaks: Mapping[str, str]
    kinds: Mapping[str, ColumnKind]
    time: str | None
    groups: str | None
    proposed: Mapping[str, str]
    findings: tuple[Finding, ...]


def examine(
    table: pd.DataFrame,
    y: pd.Series,
    *,
    classes: bool,
    written: pd.DataFrame | None = None,
    unlabeled: pd.DataFrame | None = None,
    refused: Mapping[str, str] | None = None,
    missing: Sequence[str] = (),
    loose: Collection[str] = (),
    skipped: Collection[str] = (),
) -> Examination:
    """Look at every column of `table`, the features of all rows, and at `y`, the target of those that have a label.

    `written` are the features before they got their types, `unlabeled` rows of the same form without a label,
    `refused` the columns that have no type and why, `missing` the strings that were taken for gaps, `loose` the columns
    of numbers that were strings in one form, `skipped` the codes of `heldout.findings.checks` that nobody asks for.

    Raises BadArgument where no feature is left.
    """
    written = table if written is None else written
    uninformative = useless(table)
    columns = table.loc[y.index]
    found, of_leaks = leaks.look(columns, uninformative, y, classes=classes)
    leaking = {name: f"leak: {leak.why}" for leak in found for name in leak.columns}
    features = columns.drop(columns=[*uninformative, *leaking], errors="ignore")
    if features.empty:
        why = {**(refused or {}), **uninformative, **leaking}
        reasons = "; ".join(f"{name}: {reason}" for name, reason in why.items())
        raise BadArgument("X", f"no feature is left next to the target {y.name} ({reasons})")
    all_gaps = leaking_gaps.of_gaps(features, y, classes=classes)
    gaps = [one.finding for one in all_gaps if one.finding is not None]
    order, proposed, along, groups = row_order.Order(), dict[str, str](), list[Finding](), None
    if not {*skipped} >= checks.OF_DEPENDENCE:
        order = row_order.of_rows(features.drop(columns=[*loose], errors="ignore"), y, classes=classes)
        proposed, along, groups = dependence.look(
            _without_leaking_dates(columns, leaking), _without_leaks(features, gaps), y, order, classes=classes
        )
    if groups is not None:  # of rows that belong together a group also names the class: it is no leak
        leaking.pop(groups, None)
        of_leaks = [finding for finding in of_leaks if finding.columns != (groups,)]
    staying = features.drop(columns=[name for name in (order.time, groups) if name in features])
    kinds = {str(name): kind_of_dtype(dtype) for name, dtype in staying.dtypes.items()}
    alone = order.time is None and groups is None and checks.TWICE.code not in skipped
    if (twice := recorded_twice.look(features, y, classes=classes) if alone else None) is not None:
        proposed["duplicates"] = "proposed: rows were recorded twice; allow, if each is a draw of its own"
    about_target = target_remarks.look(y, classes=classes)
    if about_target is not None:
        proposed["loss"] = about_target.proposed
    late = [] if unlabeled is None else unlabeled_gaps.look(written.loc[y.index, [*kinds]], unlabeled, missing)
    found_all = (
        *([] if about_target is None else [about_target.finding]),
        *_of_values(written[[*kinds]], y, classes=classes, skipped=skipped),
        *of_leaks,
        *gaps,
        *late,
        *along,
        *_strongest(_without_findings(staying, [*of_leaks, *gaps]), all_gaps, y, classes=classes, skipped=skipped),
        *_of_copies(features, y, twice, columns.drop(columns=features.columns), classes=classes, skipped=skipped),
        *([] if checks.MISSING.code in skipped else remarks.of_gaps(table[features.columns], missing)),
    )
    return Examination(
        useless=uninformative,
        leaks=leaking,
        kinds=kinds,
        time=order.time,
        groups=groups,
        proposed=proposed,
        findings=tuple(one for one in found_all if one.code not in skipped),
    )


def _of_values(written: pd.DataFrame, y: pd.Series, *, classes: bool, skipped: Collection[str]) -> list[Finding]:
    """The numbers that may stand for a gap; `written` are the features that stay."""
    if checks.SENTINELS.code in skipped:
        return []
    numbers = pd.concat([written, y.to_frame()], axis=1)
    return sentinels.look(numbers, [*([] if classes else [str(y.name)]), *map(str, written.columns)])


def _strongest(
    features: pd.DataFrame, gaps: Sequence[LeakingGaps], y: pd.Series, *, classes: bool, skipped: Collection[str]
) -> list[Finding]:
    most = None if checks.STRONGEST.code in skipped else strongest.look(features, gaps, y, classes=classes)
    return [] if most is None else [most]


def _of_copies(
    features: pd.DataFrame,
    y: pd.Series,
    twice: RecordedTwice | None,
    left_out: pd.DataFrame,
    *,
    classes: bool,
    skipped: Collection[str],
) -> list[Finding]:
    if twice is None and checks.EQUAL_ROWS.code in skipped:
        return []
    return remarks.of_copies(features, y, twice, left_out, classes=classes)


def _without_leaks(features: pd.DataFrame, gaps: list[Finding]) -> pd.DataFrame:
    """The features that show what depends on the rows: a leak that stays hides it."""
    honest = features.drop(columns=[name for finding in gaps for name in finding.columns])
    return features if honest.empty else honest


def _without_leaking_dates(columns: pd.DataFrame, leaking: Collection[str]) -> pd.DataFrame:
    """The columns that may be a time or groups: along a date that gives the target away, the others do so too."""
    return columns.drop(columns=[name for name in columns.select_dtypes("datetime") if name in leaking])


def _without_findings(features: pd.DataFrame, findings: Sequence[Finding]) -> pd.DataFrame:
    """The features without texts, and without those that a finding is about: their errors are said already."""
    texts = [name for name, dtype in features.dtypes.items() if kind_of_dtype(dtype) == "text"]
    return features.drop(columns=[*texts, *(name for one in findings for name in one.columns)], errors="ignore")
