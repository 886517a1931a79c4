"""The lines that a run ends with, about ten: what to plan with, what speaks against it, what to do, what to ship.

They say what the first screen of the page says. What asks for something is whole: the decision, the gravest caveat,
what to do next (a night has this in its last line), and the sealed test set. Further caveats are shown where ten lines
have room for them, and counted; of the facts the first line is, and more where there is room. The decision is last,
with who is not ruled out below it.
All that a run knows besides is in the page, in summary.md, and printed with --verbose.
"""

import textwrap
from collections.abc import Iterator

from heldout.printable import printable
from tasks.outcome.contest import Promotion
from tasks.report.headline import Headline, headline
from tasks.report.summary import Summary
from tasks.runtime.own_code import COMMAND, MAKE
from tasks.storage import files

MOST = 10
_INDENT, _CUT = 14, " …"
_LONGEST = 900  # letters of what is whole: a name may be as long as a stranger likes


def closing_lines(summary: Summary, promotion: Promotion, width: int) -> Iterator[tuple[str, str]]:
    """Labels and texts, each a line; the last lines are the decision, without a label."""
    screen = headline(summary)
    room = max(width - _INDENT, _INDENT)
    decision, to_do = (
        [line for text in (screen.advice, screen.others) if text for line in _whole(text, width)],
        [(label, _whole(text, room)) for label, text in _to_do(summary, screen, promotion)],
    )
    facts = list(_facts(summary, screen, promotion))
    spare = MOST - len(decision) - len(facts) - sum(len(lines) for _, lines in to_do)
    caveats = []
    for place, lines in enumerate(_whole(caveat, room) for caveat in screen.caveats):
        if place and len(lines) > spare:
            break
        spare -= len(lines)
        caveats.append((f"caveat {place + 1}/{len(screen.caveats)}" if len(screen.caveats) > 1 else "caveat", lines))
    told = []
    for label, text in facts:
        lines = _wrapped(text, room, 1 + max(spare, 0))
        spare -= len(lines) - 1
        told.append((label, lines))
    for label, (first, *others) in [*told, *caveats, *to_do]:
        yield label.ljust(_INDENT), first
        for line in others:
            yield " " * _INDENT, line
    for line in decision:
        yield "", line


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """Its lines, cut after the `most`."""
    return textwrap.wrap(printable(text), width, max_lines=most, placeholder=_CUT) or [""]


def _whole(text: str, width: int) -> list[str]:
    return _wrapped(text, width, max(1, _LONGEST // width))


def _facts(summary: Summary, screen: Headline, promotion: Promotion) -> Iterator[tuple[str, str]]:
    yield from screen.facts.items()
    if not promotion.trial:
        yield "promoted", f"{promotion.promoted}: {promotion.reason}"
        if promotion.champion is not None:
            yield "champion", promotion.champion.sentence(summary.loss)


def _to_do(summary: Summary, screen: Headline, promotion: Promotion) -> Iterator[tuple[str, str]]:
    if sealed := summary.selection["test_sealed"]:
        yield "test set", f"sealed: {sealed} rows; when you have decided, once: {COMMAND} open-test"
    if promotion.trial:  # what a night asks for is in its last line
        first, *others = screen.steps
        yield "next", f"{first.rstrip('.')} (and {len(others)} more in the report)" if others else first
    yield "all else", f"{files.REPORT}, {files.SUMMARY}, {files.MODEL}; {MAKE} ui; --verbose"
