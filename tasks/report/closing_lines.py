"""The lines that a run ends with, at most ten: what to plan with, what speaks against it, what to do, what to ship.

They say what the first screen of the page says. What is longer than a line of the terminal goes on in the next as long
as there is room, and is cut then. The decision is the last. All that a run knows besides is in the page, in summary.md,
and printed with --verbose.
"""

import textwrap
from collections.abc import Iterator

from heldout.printable import printable
from tasks.outcome.contest import Promotion
from tasks.report.headline import Fact, Headline, headline
from tasks.report.summary import Summary
from tasks.runtime.own_code import COMMAND, MAKE
from tasks.storage import files

MOST, _MOST_CAVEATS, _MOST_OF_DECISION = 10, 3, 3
_LABELS, _BY_MARGIN = ("plan with", "as good as", "baseline"), "alike"
_INDENT, _CUT = 12, " …"


def closing_lines(summary: Summary, promotion: Promotion, width: int) -> Iterator[tuple[str, str]]:
    """Labels and texts, each a line; the last lines are the decision, without a label."""
    screen = headline(summary)
    decision = _wrapped(screen.verdict, width, _MOST_OF_DECISION - (len(screen.facts) - len(_LABELS)))
    texts = [*_texts(summary, screen, promotion)]
    caveats = [*_caveats(screen, min(_MOST_CAVEATS, MOST - len(decision) - len(texts)))]
    facts = len(screen.facts)
    items = [*texts[:facts], *caveats, *texts[facts:]]
    spare = MOST - len(decision) - len(items)
    for label, text in items:
        first, *others = _wrapped(text, max(width - _INDENT, _INDENT), 1 + spare)
        spare -= len(others)
        yield label.ljust(_INDENT), first
        for line in others:
            yield " " * _INDENT, line
    for line in decision:
        yield "", line


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """Its lines, cut after the `most`."""
    return textwrap.wrap(printable(text), width, max_lines=most, placeholder=_CUT) or [""]


def _texts(summary: Summary, screen: Headline, promotion: Promotion) -> Iterator[tuple[str, str]]:
    for label, fact in zip((*_LABELS, _BY_MARGIN), screen.facts, strict=False):
        yield label, _fact(fact)
    if sealed := summary.selection["test_sealed"]:
        yield "test part", f"sealed: {sealed} rows; when you have decided, once: {COMMAND} open-test"
    elif not promotion.trial:
        yield "promoted", f"{promotion.promoted}: {promotion.reason}"
        if promotion.champion is not None:
            yield "champion", promotion.champion.sentence(summary.loss)
    first, *others = screen.steps
    yield "next", f"{first.rstrip('.')} (and {len(others)} more in the report)" if others else first
    yield "all else", f"{files.REPORT}, {files.SUMMARY}, {files.MODEL}; {MAKE} ui; --verbose"


def _fact(fact: Fact) -> str:
    above = "above " if fact.question.endswith("above") else ""
    return f"{above}{fact.answer}: {fact.rests_on}"


def _caveats(screen: Headline, most: int) -> Iterator[tuple[str, str]]:
    """As many caveats as there is room for; the last of them counts the others."""
    shown, more = screen.caveats[:most], len(screen.caveats) - most
    for place, caveat in enumerate(shown, 1):
        yield "caveat", f"(and {more} more in the report) {caveat}" if place == len(shown) and more > 0 else caveat
