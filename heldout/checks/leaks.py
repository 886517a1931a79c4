"""The columns that give the target away, alone or together, with a finding about each."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pandas as pd

from heldout.checks import leakage, leaking_dates, leaking_sums, leaking_text
from heldout.checks.column_kind import kind_of_dtype
from heldout.checks.leakage import Leak
from heldout.findings import checks
from heldout.findings.finding import Finding, Topic
from heldout.findings.words import known_before, leave_out

_MOST_NAMES = 12  # in one line
_KEPT = "kept, since no other column is left"
_TAKE_OUT = "take out of it what is known only with the target, then start again"
_UNSURE = "too few rows to be sure, so it stays"


def look(
    columns: pd.DataFrame, useless: Collection[str], y: pd.Series, *, classes: bool
) -> tuple[list[Leak], list[Finding]]:
    """The columns that give the target away, and the findings about them and about columns that may do so and stay.

    `columns` are all columns but the target, `useless` those that are left out anyway, `y` the target without gaps.
    """
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
    sure += _of_identifiers(columns[[name for name in columns.columns if name in useless]], y, classes=classes)
    findings = [_finding("leak", "", leak, done="left out, in data.drop", undone="stop") for leak in sure]
    findings += [
        _finding("leak", "", leak, severity="stop", done=_KEPT, decide=_TAKE_OUT, in_python=_TAKE_OUT) for leak in kept
    ]
    may = " may give the target away"
    findings += [
        _finding("found", may, leak, severity="care", done=_UNSURE, decide=known_before(leak.columns))
        for leak in doubtful
    ]
    return sure, findings


def _finding(topic: Topic, verb: str, leak: Leak, **named: Any) -> Finding:
    return Finding(
        topic,
        f"{_names(leak)}{verb}: {leak.why}",
        columns=leak.columns,
        evidence=leak.evidence,
        keys=("data.known_after",),
        asked="" if named.get("decide") else known_before(leak.columns),
        code=leak.code,
        **{"in_python": leave_out(leak.columns), **named},
    )


def _of_identifiers(identifiers: pd.DataFrame, y: pd.Series, *, classes: bool) -> list[Leak]:
    """The columns that are left out as identifiers, and that have the order or the name of the target."""
    kinds = {str(name): kind_of_dtype(dtype) for name, dtype in identifiers.dtypes.items()}
    strings = [name for name, kind in kinds.items() if kind in ("text", "category") and identifiers[name].nunique() > 1]
    numbers = [name for name, kind in kinds.items() if kind == "numeric" and identifiers[name].nunique() > 1]
    leaks = leakage.of_single_columns(identifiers[numbers], y, classes=classes, ease=leakage.OF_IDENTIFIERS)
    leaks += leaking_text.of_texts(identifiers, y, strings, classes=classes)
    said = "an identifier that follows the target"
    return [replace(leak, why=f"{said}: {leak.why}", code=checks.TEXT.code) for leak in leaks]


def _names(leak: Leak) -> str:
    more = len(leak.columns) - _MOST_NAMES
    return ", ".join(leak.columns[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
