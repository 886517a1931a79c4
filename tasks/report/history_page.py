"""reports/history.html: all nights of a data source on one screen, in one file that needs no script."""

from functools import partial
from pathlib import Path

from markupsafe import Markup, escape

from heldout.printable import printable
from tasks.outcome.nights import Morning, shown_day
from tasks.report import history_lines, history_picture
from tasks.report.section import Table
from tasks.report.style import drawing, element
from tasks.runtime.own_code import COMMAND
from tasks.storage import files

MOST_NIGHTS = 366
_MOST_SHOWN = 3  # matters in view; the first is the headline


def write_history(made: Morning) -> None:
    """history.html."""
    files.write_text(files.HISTORY, page(made))


def page(made: Morning) -> str:
    """The text of history.html."""
    from jinja2 import Environment, FileSystemLoader

    shown = made.newest(MOST_NIGHTS)
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, finalize=_shown)
    environment.filters |= {"coded": _coded}
    left_out = len(made.nights) - len(shown.nights)
    return environment.get_template("history.html.j2").render(
        title=f"{made.of.name}: nights",
        over=f"{history_lines.standing(made)}; as of {shown_day(made.now)} UTC",
        first_line=f"{made.first_line}.",
        further=[f"{matter}." for matter in made.matters[1:_MOST_SHOWN]],
        folded=[f"{matter}." for matter in made.matters[_MOST_SHOWN:]],
        pictures=_pictures(shown) if shown.nights else [],
        table=_table(shown),
        left_out=f"The last {len(shown.nights)} of {len(made.nights)} nights." if left_out else "",
        entries=made.entries,
        command=COMMAND,
    )


def _pictures(made: Morning) -> list[Markup]:
    """The wide picture, and the one for a telephone."""
    said = history_picture.alternative(made)
    with drawing():
        return [
            element("nights", partial(history_picture.draw, made), said, history_picture.hints(made)),
            element("narrow", partial(history_picture.draw, made, narrow=True), said),
        ]


def _table(made: Morning) -> Table:
    """The newest night first."""
    happened = history_lines.happened_at(made)
    nights = reversed(made.nights)
    rows = [[*history_lines.cells(night, made), "; ".join(happened[night.time])] for night in nights]
    columns = (*history_lines.COLUMNS, history_lines.HAPPENED)
    return Table("Each night, the newest first", columns, rows, words=history_lines.WORDS)


def _coded(said: str) -> Markup:
    """A text of ours, in which commands stand between backticks."""
    parts = enumerate(printable(said).split("`"))
    return Markup().join(Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in parts)


def _shown(value: object) -> object:
    """A value as the page shows it; the template's own HTML is no plain text."""
    return printable(value) if type(value) is str else value
