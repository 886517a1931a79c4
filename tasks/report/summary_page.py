"""reports/summary.md: the winner, the table and the sentences, for a comment on a pull request.

A text of the user's stands in code alone, where no reader of Markdown looks for markup, addresses, mentions or HTML:
names in code spans, sentences in a code block.
"""

import re
from collections.abc import Iterator

from heldout.fits import baseline
from heldout.printable import printable
from heldout.shown import about_winner, strip_text
from heldout.shown.cells import marks
from heldout.shown.text_table import MARK
from tasks.outcome.gate_verdict import OF_BASELINE, ValidatedRun, upper_end
from tasks.report.decision_strip import decision_strip
from tasks.report.estimates_table import columns_and_rows
from tasks.report.labelled_lines import labelled_lines
from tasks.report.sentences import sentences
from tasks.report.summary import Summary
from tasks.runtime.errors import UserError
from tasks.storage import files

_WIDTH = 100


def write_summary(summary: Summary) -> None:
    """Write the page; it is the same for the same results."""
    files.write_text(files.SUMMARY, "\n".join(lines(summary)))


def lines(summary: Summary) -> Iterator[str]:
    """The page, line by line."""
    yield f"# {code(summary.selected)}"
    yield ""
    yield f"**{code(summary.decision.advice)}**"
    yield ""
    for caveat in summary.decision.further:
        yield f"- {code(caveat)}"
    if summary.decision.further:
        yield ""
    yield _decide_by(summary)
    yield ""
    if strip := [*strip_text.lines(decision_strip(summary), _WIDTH)]:
        yield from _block(strip)
        yield ""
    yield from _table(summary)
    yield ""
    yield "<details><summary>What is known, and what that rests on</summary>"
    yield ""
    yield from _block([label + text for label, text in labelled_lines(sentences(summary), _WIDTH)])
    yield ""
    yield "</details>"


def code(text: str) -> str:
    r"""A code span, also for a cell of a table: a bar would end the cell, so it is written as \x7c."""
    shown = printable(text).replace("|", r"\x7c")
    fence = "`" * (_longest_run(shown) + 1)
    space = " " if "`" in shown or shown[:1] + shown[-1:] == "  " else ""
    return f"{fence}{space}{shown or ' '}{space}{fence}"


def _decide_by(summary: Summary) -> str:
    """The upper end that a decision to ship rests on, and the same estimate of the baseline."""
    results = ValidatedRun(summary.selection, summary.estimates)
    try:
        end = upper_end(results, summary.settings.selection.level, summary.rows.kind)
    except UserError:
        return "No interval is claimed for it."
    against = OF_BASELINE.get(end.estimate, end.estimate)
    constant, differ = summary.value(baseline.NAME, against), summary.against_baseline.get(against)
    of_baseline = "" if constant is None else f"; {against} of the baseline is {summary.amount(constant)}"
    error = summary.value(summary.selected, against)
    if differ is not None and error is not None:
        of_baseline += f", {about_winner.from_baseline(differ, error, summary.loss)}"
    value = "" if end.value is None else f" {summary.amount(end.value)},"
    what = "The bound:" if end.estimate == "bound" else f"{end.estimate}:{value}"
    return f"{what} at most **{summary.amount(end.upper)}** ({end.interval}, at {100 * end.level:g} %){of_baseline}."


def _table(summary: Summary) -> Iterator[str]:
    columns, rows = columns_and_rows(summary)
    yield (
        f"{code(summary.scale)}, below each its interval at {summary.level}; \\{MARK} is selected"
        f"{marks(bool(summary.not_credible))}:"
    )
    yield ""
    yield _row("", "candidate", *columns)
    yield _row(":-", ":-", *["-:"] * len(columns))
    for row in rows:
        mark = f"**\\{MARK}**" if row.selected else ""
        cells = [code(row.note)] if row.note else ["<br>".join(filter(None, cell)) for cell in row.cells]
        yield _row(mark, code(row.name), *cells)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _block(texts: list[str]) -> Iterator[str]:
    fence = "`" * max(3, 1 + max(map(_longest_run, texts)))
    yield f"{fence}text"
    yield from texts
    yield fence


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
