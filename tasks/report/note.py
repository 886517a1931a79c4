"""What a run in MLflow is called, and the note at the top of its page: the choice, the table, and links."""

from collections.abc import Iterator

from heldout.display import about_race
from heldout.display.text_table import Row
from heldout.printable import printable
from tasks.outcome.items import PAGE, RUN_NAME, Note, Tag
from tasks.report.decision_strip import origin
from tasks.report.estimates_table import columns_and_rows
from tasks.report.headline import headline
from tasks.report.markdown import in_markdown
from tasks.report.outcome_page import strip
from tasks.report.sentences import FOUND, sentences
from tasks.report.summary import Summary

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
BETWEEN = " · "  # the parts of the name of a run
_GAP = " | &ensp;"  # the pages leave no space between columns
_NEXT_LINE = "  \n"
_LONGEST_NAME, _LONGEST_FACT, _LONGEST_SENTENCE, _LONGEST_ORIGIN, _MOST_SENTENCES = 80, 150, 270, 270, 8
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
    return Tag(RUN_NAME, BETWEEN.join([*error, winner, summary.settings.source_name]))


def note(summary: Summary, written: str = "") -> Note:
    """The note; candidates that it has no room for are counted. `written` as in `origin`."""
    told = sentences(summary)
    names = [name for name in told if name in _SENTENCES or name.startswith(FOUND)]
    lines = [f"- **{in_markdown(name)}**: {in_markdown(_cut(told[name]))}" for name in names[:_MOST_SENTENCES]]
    links = " · ".join(f"[{text}]({PAGE}/artifacts/{path})" for text, path in _FILES.items())
    scale = f"{in_markdown(summary.scale)}, with intervals at {in_markdown(summary.level)}"
    # the pages fold a note after four or five lines, and lists of versions show its first, with its Markdown
    screen = headline(summary)
    facts = [f"**{label}** {in_markdown(_cut(text, _LONGEST_FACT))}" for label, text in screen.facts.items()]
    caveats = [f"**caveat** {in_markdown(_cut(text))}" for text in screen.caveats]
    below = [in_markdown(_cut(screen.others))] if screen.others else []
    first = _NEXT_LINE.join([f"**{in_markdown(_cut(screen.advice))}**", *below, *caveats, *facts])
    about = in_markdown(_cut(origin(summary, written), _LONGEST_ORIGIN))
    drawn = ["```", *strip(summary), "```"]  # the pages allow no style, with which HTML would be drawn
    return Note("\n".join([first, "", *drawn, "", *_table(summary), "", f"{scale} · {links}", "", about, "", *lines]))


def _table(summary: Summary) -> Iterator[str]:
    """The candidates, the least error by the criterion first, then those dropped or failed, and the baseline."""
    columns, rows = columns_and_rows(summary, about_race.FEW, whole=False)
    yield f"| candidate | {_GAP.join(map(in_markdown, columns))} |"
    yield f"|---|{'---:|' * len(columns)}"
    *lines, of_baseline = [_line(row, len(columns)) for row in rows]
    letters = len(of_baseline)
    for place, line in enumerate(lines):
        letters += len(line)
        if letters > _MOST_LETTERS:
            yield f"| and {len(lines) - place} more{' |' * (len(columns) + 1)}"
            break
        yield line
    yield of_baseline


def _line(row: Row, columns: int) -> str:
    name = in_markdown(row.name)
    shown = [f"{value} [{interval}]" if interval else value for value, interval in row.cells]
    if row.note:
        shown = [in_markdown(_cut(row.note, _LONGEST_FACT)), *[""] * (columns - 1)]
    return f"| {_GAP.join([f'**{name}**' if row.selected else name, *shown])} |"


def _cut(text: str, most: int = _LONGEST_SENTENCE) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
