"""Columns that are filled for the labelled rows and missing in the unlabelled ones: known only after the label is.

What no table shows, when a column was known, its unlabelled rows show: nobody fills in the reason of a cancellation
that has not happened. A model that asks for such a column answers as if nobody will ever cancel.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from heldout.findings import checks
from heldout.findings.finding import Finding, Topic
from heldout.findings.words import known_before, leave_out, percent
from heldout.unlabelled.populations import chances_of_gaps

_GONE, _EXPECTED = 0.1, 20  # at most this part of the labelled rows' share is left, where so many values are expected
_OTHER, _NO_CHANCE = 0.2, 1e-6  # difference of the shares in other rows, and a p-value that no chance has
_MOST_NAMES = 3  # in one line


def look(labeled: pd.DataFrame, unlabeled: pd.DataFrame, missing: Sequence[str]) -> list[Finding]:
    """Up to three findings: columns that the unlabelled rows lack, that are hardly ever filled there, and less often.

    `labeled` are the features, and `missing` further strings that mean a gap in the unlabelled rows.
    """
    if labeled.empty or unlabeled.empty:
        return []
    both = [name for name in labeled.columns if name in unlabeled.columns]
    lacking = [name for name in labeled.columns if name not in unlabeled.columns and labeled[name].notna().any()]
    there, others = labeled[both].notna(), _filled(unlabeled[both], missing)
    chances = chances_of_gaps((~there).sum(), len(there), (~others).sum(), len(others))
    shares = pd.DataFrame({"labeled": there.mean(), "unlabeled": others.mean()})
    p, q = shares["labeled"], shares["unlabeled"]
    gone = (q <= _GONE * p) & (p * len(unlabeled) >= _EXPECTED)
    other = ((p - q).abs() >= _OTHER) & (chances < _NO_CHANCE) & ~gone
    findings = []
    if lacking:
        findings.append(_of_lacking([str(name) for name in lacking]))
    if gone.any():
        findings.append(_of_gone(shares[gone], len(unlabeled)))
    if other.any():
        findings.append(_of_other(shares[other], len(unlabeled)))
    return findings


def _filled(rows: pd.DataFrame, missing: Sequence[str]) -> pd.DataFrame:
    there = rows.notna()
    return there & ~rows.astype("str").isin(list(missing)) if missing else there


def _of_lacking(names: Sequence[str]) -> Finding:
    shown = ", ".join(names[:_MOST_NAMES]) + _and_more(len(names))
    return Finding(
        "leak",
        f"no unlabelled row has the column{'s' * (len(names) > 1)} {shown}",
        severity="stop",
        columns=tuple(names),
        done="a run refuses such files",
        decide=known_before(names),
        keys=("data.known_after",),
        in_python=leave_out(names),
        code=checks.UNLABELED.code,
    )


def _of_gone(shares: pd.DataFrame, rows: int) -> Finding:
    return _finding(
        "leak",
        f"filled in the labelled rows and hardly in {rows} without a label",
        shares,
        severity="stop",
        done="it stays" if len(shares) == 1 else "they stay",
        decide=known_before([*map(str, shares.index)]),
        in_python=leave_out([*map(str, shares.index)]),
    )


def _of_other(shares: pd.DataFrame, rows: int) -> Finding:
    return _finding(
        "found",
        f"filled in another share of the labelled rows than of {rows} without a label",
        shares,
        severity="care",
        decide="are these rows of another population, or is it filled in after the label (data.known_after)?",
        in_python="are these rows of another population, or is it filled in after the label? Then leave it out of X",
    )


def _finding(topic: Topic, what: str, shares: pd.DataFrame, **named: Any) -> Finding:
    """The shares of the columns, those that differ most first."""
    apart = (shares["labeled"] - shares["unlabeled"]).abs().sort_values(ascending=False, kind="stable")
    shares = shares.loc[apart.index]
    told = [f"{name} {percent(row.labeled)} against {percent(row.unlabeled)}" for name, row in shares.iterrows()]
    return Finding(
        topic,
        f"{what}: {', '.join(told[:_MOST_NAMES])}{_and_more(len(told))}",
        columns=tuple(map(str, shares.index)),
        evidence={
            f"{name}, share filled {of}": float(row[key])
            for name, row in shares[:_MOST_NAMES].iterrows()
            for of, key in (("with a label", "labeled"), ("without", "unlabeled"))
        },
        keys=("data.known_after",),
        code=checks.UNLABELED.code,
        **named,
    )


def _and_more(count: int) -> str:
    return f" and {count - _MOST_NAMES} more" if count > _MOST_NAMES else ""
