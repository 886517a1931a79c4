"""The outcome of a validation for pages of others, such as Prefect's: a table, and sentences in Markdown."""

import re
from typing import Any

import pandas as pd

from heldout.estimates import SHOWN
from heldout.fits import baseline
from heldout.printable import printable
from heldout.shown import strip_text
from tasks.report.decision_strip import decision_strip
from tasks.report.sentences import sentences
from tasks.report.summary import Summary

_WIDTH = 100
_SIGNS = re.compile(r"[!-/:-@\[-`{-~]")


def rows(summary: Summary) -> list[dict[str, Any]]:
    """A line for each candidate in the order of all tables, then those dropped or failed, and the baseline."""
    names = (*summary.ranked, *summary.dropped, *summary.failures, baseline.NAME)
    return [_row(summary, name) for name in names]


def headline(summary: Summary) -> str:
    """The winner, the error to plan with and its interval: rbf-svm, E_test 1.7 % [0.6–3.6]."""
    estimate = summary.ordered_by if summary.planned is None else summary.planned.record.estimate
    value, interval = summary.cell(summary.selected, estimate)
    level = f" [{interval}], level {summary.level}" if interval else ""
    return printable(f"{summary.selected}, {estimate} {summary.with_unit(value)}{level}")


def strip(summary: Summary) -> list[str]:
    """The lines of the decision strip, in signs that every font has in one width; none where it has no length."""
    return [line.translate(strip_text.PLAIN) for line in strip_text.lines(decision_strip(summary), _WIDTH)]


def text(summary: Summary) -> str:
    """The decision, the strip, the headline, and all sentences as a list."""
    lines = [f"- **{in_markdown(name)}**: {in_markdown(sentence)}" for name, sentence in sentences(summary).items()]
    verdict = f"# {in_markdown(summary.decision.advice)}"
    return "\n".join([verdict, "", "```", *strip(summary), "```", "", in_markdown(headline(summary)), "", *lines])


def in_markdown(text: str) -> str:
    """The text as it is written; Prefect's pages show an entity as its letters."""
    return _SIGNS.sub(r"\\\g<0>", printable(text))


def _row(summary: Summary, name: str) -> dict[str, Any]:
    marked = f"{printable(name)} (selected)" if name == summary.selected else printable(name)
    cells = {estimate: _cell(summary, name, estimate) for estimate in SHOWN if _computed(summary.estimates, estimate)}
    gone = {**dict.fromkeys(summary.failures, "failed"), **dict.fromkeys(summary.dropped, "dropped")}
    return {"candidate": marked, **(dict.fromkeys(cells, gone[name]) if name in gone else cells)}


def _cell(summary: Summary, name: str, estimate: str) -> str:
    value, interval = summary.cell(name, estimate)
    return f"{value} [{interval}]" if interval else value


def _computed(estimates: pd.DataFrame, estimate: str) -> bool:
    return bool((estimates["estimate"] == estimate).any())
