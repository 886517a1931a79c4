"""What a run in MLflow is called, and the note at the top of its page: the choice, the table, and links."""

from collections.abc import Iterator

from heldout.estimates import ESTIMATES, SHOWN
from heldout.fits import baseline
from heldout.printable import printable
from tasks.outcome.items import PAGE, RUN_NAME, Note, Tag
from tasks.report.headline import Fact, headline
from tasks.report.markdown import in_markdown
from tasks.report.outcome_page import strip
from tasks.report.sentences import DECISION, FOUND, sentences
from tasks.report.summary import Summary

# what a bound implies, and a training error, stay in the report
_COLUMNS = tuple(name for name in SHOWN if ESTIMATES[name].kind in ("error", "disagreement"))
_SENTENCES = (
    "baseline",
    "not ruled out",
    "margin",
    "race",
    "not credible",
    "bound",
    "bound_joint",
    "E_test",
    "findings",
)
_BETWEEN = " | &ensp;"  # the pages leave no space between columns
_NEXT_LINE = "  \n"
_LONGEST_NAME, _LONGEST_FACT, _LONGEST_SENTENCE, _MOST_SENTENCES = 80, 150, 270, 8
_MOST_LETTERS = 1800  # of the lines of the table, so that the note fits into a tag of 5000
_FILES = {
    "report": "report.html",
    "estimates": "estimates.csv",
    "choice": "selection.json",
    "pictures": "plots",
}


def run_name(summary: Summary) -> Tag:
    """The error to plan with, the winner, the data: E_test 1.7 % · rbf-svm · digits.

    The number is first, since lists cut names after some fifteen letters.
    """
    planned = summary.planned
    estimate = summary.ordered_by if planned is None else planned.record.estimate
    value = summary.value(summary.selected, estimate)
    error = [] if value is None else [f"{estimate} {summary.amount(value)}"]
    winner = printable(summary.selected)[:_LONGEST_NAME]
    return Tag(RUN_NAME, " · ".join([*error, winner, summary.settings.source_name]))


def note(summary: Summary) -> Note:
    """The note; candidates that it has no room for are counted."""
    told = sentences(summary)
    names = [name for name in told if name in _SENTENCES or name.startswith(FOUND)]
    lines = [f"- **{in_markdown(name)}**: {in_markdown(_cut(told[name]))}" for name in names[:_MOST_SENTENCES]]
    choice = f"**{in_markdown(_cut(told[DECISION]))}**. Winner: {in_markdown(told['selected'])}"
    links = " · ".join(f"[{text}]({PAGE}/artifacts/{path})" for text, path in _FILES.items())
    scale = f"{in_markdown(summary.scale)}, with intervals at {in_markdown(summary.level)}"
    # the pages fold a note after four or five lines, and lists of versions show its first, with its Markdown
    first = _NEXT_LINE.join([choice, *map(_fact, headline(summary).facts)])
    drawn = ["```", *strip(summary), "```"]  # the pages allow no style, with which HTML would be drawn
    return Note("\n".join([first, "", *drawn, "", *_table(summary), "", f"{scale} · {links}", "", *lines]))


def _fact(fact: Fact) -> str:
    return f"**{fact.question}** {in_markdown(_cut(f'{fact.answer}: {fact.rests_on}', _LONGEST_FACT))}"


def _table(summary: Summary) -> Iterator[str]:
    """The candidates, the least error by the criterion first, then those dropped or failed, and the baseline."""
    shown = [column for column in _COLUMNS if (summary.estimates["estimate"] == column).any()]
    yield f"| candidate | {_BETWEEN.join(map(in_markdown, shown))} |"
    yield f"|---|{'---:|' * len(shown)}"
    baseline_line = _line(summary, baseline.NAME, shown)
    names, letters = [*summary.ranked, *summary.dropped, *summary.failures], len(baseline_line)
    for place, name in enumerate(names):
        line = _line(summary, name, shown)
        letters += len(line)
        if letters > _MOST_LETTERS:
            yield f"| and {len(names) - place} more{' |' * (len(shown) + 1)}"
            break
        yield line
    yield baseline_line


def _line(summary: Summary, name: str, shown: list[str]) -> str:
    text = in_markdown(name)
    cells = [f"**{text}**" if name == summary.selected else text]
    for column in shown:
        value, interval = summary.cell(name, column)
        cells.append(f"{value} [{interval}]" if interval else value or "–")
    if name in summary.failures or name in summary.dropped:
        cells[1:] = ["failed" if name in summary.failures else "dropped", *[""] * (len(shown) - 1)]
    return f"| {_BETWEEN.join(cells)} |"


def _cut(text: str, most: int = _LONGEST_SENTENCE) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
