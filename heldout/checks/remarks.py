"""What is worth a line of any table: rows that repeat, columns with gaps, and values that may mean a gap."""

from collections.abc import Sequence

import pandas as pd

from heldout.checks.recorded_twice import RecordedTwice
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.findings.words import percent

_MARKERS = ("?", "-", ".", "*", "missing", "unknown", "Unknown")  # reported, not decided: each may be a value
INFINITE = ("inf", "-inf")


def of_copies(
    features: pd.DataFrame, y: pd.Series, twice: RecordedTwice | None, left_out: pd.DataFrame, *, classes: bool
) -> list[Finding]:
    """How many rows repeat an earlier row, or its features alone. All have the rows with a label.

    In the columns that are `left_out` such rows may differ, as one text of two products does, and the line says so.
    """
    rows = pd.DataFrame({"features": pd.util.hash_pandas_object(features, index=False), "label": y})
    equal = int(rows.duplicated().sum())
    other_label = int(rows["features"].duplicated().sum()) - equal
    remarks = []
    if equal:
        whole = pd.util.hash_pandas_object(left_out, index=False) if left_out.shape[1] else 0
        differ = int(rows.assign(left_out=whole).duplicated().sum()) < equal
        said = f"{equal} rows repeat an earlier row exactly{', but for columns that are left out' * differ}"
        remark = Finding("found", said, code=checks.EQUAL_ROWS.code)
        remarks.append(remark if twice is None else twice.asked(remark))
    if other_label:
        why = "label: no learner can be right on both" if classes else "number: the features do not determine it"
        said = f"{other_label} rows repeat the features of an earlier row with another {why}"
        remarks.append(Finding("found", said, code=checks.EQUAL_ROWS.code))
    return remarks


def of_gaps(features: pd.DataFrame, missing: Sequence[str]) -> list[Finding]:
    """The columns with gaps, the strings (`missing`) that were taken for gaps, and categories that may be some."""
    remarks = [_taken_for_a_gap(marker) for marker in missing]
    shares = features.isna().mean()
    gappy = shares[shares > 0].sort_values(ascending=False, kind="stable")
    if len(gappy):
        listing = ", ".join(f"{name} {percent(share)}" for name, share in gappy.iloc[:5].items())
        counted = "1 column has" if len(gappy) == 1 else f"{len(gappy)} columns have"
        said = f"{counted} gaps: {listing}{', …' if len(gappy) > 5 else ''}"
        remarks.append(Finding("found", said, code=checks.MISSING.code))
    marked: dict[str, list[str]] = {}
    for name in features.columns:
        if isinstance(features[name].dtype, pd.CategoricalDtype):
            for marker in features[name].cat.categories.intersection(list(_MARKERS)):
                marked.setdefault(marker, []).append(str(name))
    for marker, names in sorted(marked.items()):
        listing = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        said = f"{marker!r} is a value of {len(names)} columns ({listing}) and counts as one more category"
        asked = "if it means missing, add it to data.missing"
        remarks.append(
            Finding(
                "found",
                said,
                decide=asked,
                in_python="if it means missing, make a gap of it",
                code=checks.MISSING.code,
            )
        )
    return remarks


def _taken_for_a_gap(marker: str) -> Finding:
    why = "no learner takes an infinite number" if marker in INFINITE else ""
    return Finding(
        "found",
        f"{marker!r} among numbers means missing",
        decide="data.missing" + (f"; {why}" if why else ""),
        in_python=why or "make a gap of it",
        code=checks.MISSING.code,
    )
