"""The first screen of the report: what to ship, with which error to plan, what else is as good, and what to do next."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from heldout import baseline
from tasks.outcome.suspicious_record import Suspicious
from tasks.report.next_steps import next_steps
from tasks.report.summary import Summary, shown_count


@dataclass(frozen=True)
class Fact:
    """An answer in large letters: the question, the answer, and what it rests on."""

    question: str
    answer: str
    rests_on: str


@dataclass(frozen=True)
class Headline:
    """The verdict in one line, three facts, and at most three things to do next."""

    verdict: str
    facts: Sequence[Fact]
    steps: Sequence[str]


def headline(summary: Summary) -> Headline:
    """The first screen."""
    return Headline(
        _verdict(summary), [plan_with(summary), _as_good_as(summary), _baseline(summary)], next_steps(summary)
    )


def _verdict(summary: Summary) -> str:
    if Suspicious.read(summary.selection) is not None:
        return f"{summary.selected} is too good to be true: check the data before you ship it"
    beaten = summary.selection["beats_baseline"]
    if beaten:
        return f"Ship {summary.selected}"
    verb = "does not beat" if beaten is False else "is not shown to beat"
    return f"Do not ship yet: {summary.selected} {verb} the baseline"


def plan_with(summary: Summary) -> Fact:
    """The error to expect: of the test part, or else the bound, or else the interval of E_cv."""
    for estimate, what in (
        ("E_test", "on {n} rows that no choice has used"),
        ("E_bbc", "by cross-validation, corrected for the choice"),
        ("E_cv", "by cross-validation; it was chosen by such numbers, so plan for more"),
    ):
        lines = summary.estimates[summary.estimates["estimate"] == estimate]
        lines = lines[lines["candidate"] == summary.selected]
        if lines.empty or lines["low"].isna().all():
            continue
        line = lines.iloc[0]
        error = _between(summary, line["low"], line["high"])
        where = what.format(n=shown_count(int(line["n_tested"])))
        known = f"{estimate} = {summary.amount(line['value'])}{_roots(summary, line)}, {where}, at {summary.level}"
        if estimate != "E_test" and (bound := summary.selection["bound"]) is not None:
            known += f"; at most {summary.amount(bound)}, with all comparisons counted"
        if summary.settings.data.picked_blindly:
            known += "; the labelled rows were picked (sampling: active), so it is about another population"
        return Fact("Plan with an error of", error, known)
    value = summary.value(summary.selected, summary.selection["criterion"])
    shown = "unknown" if value is None else _one(summary, value)
    return Fact("Plan with an error above", shown, f"{summary.selection['criterion']}; no interval can be claimed")


def _between(summary: Summary, low: float, high: float) -> str:
    """An interval in large letters: of a squared loss its root, which has the unit of the target."""
    if not _squared(summary):
        return f"{summary.number(low)}–{summary.amount(high)}"
    return f"RMSE {math.sqrt(low):.3g}–{math.sqrt(high):.3g}"


def _squared(summary: Summary) -> bool:
    return summary.loss.power == 2


def _one(summary: Summary, value: float) -> str:
    return f"RMSE {math.sqrt(value):.3g}" if _squared(summary) else summary.amount(value)


def _roots(summary: Summary, line: "pd.Series[Any]") -> str:
    """RMSE and R^2 of a squared loss, in brackets; for another loss of numbers the unit."""
    of_baseline = summary.value(baseline.NAME, line["estimate"])
    roots = "" if of_baseline is None else summary.loss.root_and_share(line["value"], of_baseline)
    return f" ({roots.replace('R^2', 'R²')})" if roots else ""


def _as_good_as(summary: Summary) -> Fact:
    others = [name for name in summary.selection["indistinguishable"] if name != summary.selected]
    count = len(summary.selection["candidates"]) - len(summary.failures) - 1
    if not others:
        known = f"none of the {count} others is shown to be as good" if count else "there is no other candidate"
        return Fact("As good as", "no other", f"{known}, at {summary.level}")
    return Fact(
        "As good as",
        f"{len(others)} of {count} others",
        f"{', '.join(others)}: not shown to err more, at {summary.level}",
    )


def _baseline(summary: Summary) -> Fact:
    target = summary.settings.data.target or "the target"
    unit = "" if summary.percent else f"; RMSE is in units of {target}" if _squared(summary) else f"; {summary.scale}"
    about = f"E_cv where every answer is {summary.loss.constant.says}{unit}"
    return Fact("Baseline", _one(summary, summary.selection["baseline"]), about)
