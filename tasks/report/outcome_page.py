"""The outcome of a validation for pages of others, such as Prefect's: a table, and sentences in Markdown."""

import re
from collections.abc import Sequence

from heldout.display import strip_text
from heldout.printable import printable
from tasks.report.decision_strip import decision_strip, origin
from tasks.report.estimates_table import columns_and_rows
from tasks.report.headline import headline
from tasks.report.sentences import sentences
from tasks.report.summary import Summary

_WIDTH = 100
_SIGNS = re.compile(r"[!-/:-@\[-`{-~]")


def rows(summary: Summary) -> list[dict[str, str]]:
    """A line for each candidate in the order of all tables, then those dropped or failed, and the baseline."""
    columns, found = columns_and_rows(summary)
    blank = [("", "")] * (len(columns) - 1)
    return [
        {
            "candidate": f"{row.name} (selected)" if row.selected else row.name,
            **dict(zip(columns, map(_cell, row.cells or [(row.note, ""), *blank]), strict=True)),
        }
        for row in found
    ]


def first(summary: Summary) -> str:
    """The decision, who is not ruled out, and the strip."""
    screen = headline(summary)
    return "\n".join([printable(screen.advice), printable(screen.others), *strip(summary)])


def strip(summary: Summary) -> list[str]:
    """The lines of the decision strip, in signs that every font has in one width; none where it has no length."""
    return [line.translate(strip_text.PLAIN) for line in strip_text.lines(decision_strip(summary), _WIDTH)]


def text(summary: Summary, written: str = "") -> str:
    """The decision, the strip, on what the number rests, and all sentences as a list. `written` as in `origin`."""
    screen = headline(summary)
    lines = [f"- **{in_markdown(name)}**: {in_markdown(sentence)}" for name, sentence in sentences(summary).items()]
    facts = [in_markdown(f"{label} {fact}") for label, fact in screen.facts.items()]
    above = [f"# {in_markdown(screen.advice)}", "", in_markdown(screen.others), "", "```", *strip(summary), "```", ""]
    return "\n".join([*above, *facts, "", in_markdown(origin(summary, written)), "", *lines])


def in_markdown(text: str) -> str:
    """The text as it is written; Prefect's pages show an entity as its letters."""
    return _SIGNS.sub(r"\\\g<0>", printable(text))


def _cell(shown: Sequence[str]) -> str:
    value, interval = shown
    return f"{value} [{interval}]" if interval else value
