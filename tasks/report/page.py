"""report.html: one file that holds its pictures, needs no script, and can be mailed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from markupsafe import Markup, escape

from heldout.display import strip_html
from heldout.losses.amounts import margin_text
from heldout.printable import printable
from tasks.report import provenance, sections
from tasks.report.decision_strip import decision_strip, origin
from tasks.report.estimates_table import first_table
from tasks.report.glossary import GLOSSARY, by_margin
from tasks.report.headline import headline
from tasks.report.section import Section
from tasks.report.sentences import sentences
from tasks.report.style import drawing, element
from tasks.report.summary import Summary
from tasks.storage import files


@dataclass(frozen=True, eq=False)
class Shown:
    """A section with its pictures, drawn: those in view, and `further` ones."""

    section: Section
    pictures: Sequence[Markup]
    further: Sequence[Markup]


def write_report(summary: Summary) -> None:
    """report.html."""
    files.write_text(files.REPORT, page(summary))


def page(summary: Summary) -> str:
    """The text of report.html."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, finalize=_shown)
    margin, glossary = summary.margin, GLOSSARY
    if margin is not None:
        glossary = by_margin(GLOSSARY, margin_text(margin, summary.loss))
    environment.filters |= {"explained": partial(explained, glossary=glossary)}
    of_words = [
        provenance.section(summary),
        Section("sentences", "In full sentences", terms=sentences(summary)),
        Section("glossary", "What the names mean", terms=glossary),
    ]
    with drawing():
        made = [*sections.made(summary), *of_words]
        shown = [Shown(section, *_pictures(section)) for section in sorted(made, key=lambda one: not one.opened)]
    return environment.get_template("report.html.j2").render(
        title=f"{summary.selected} · {summary.settings.data.source}",
        headline=headline(summary),
        origin=origin(summary),
        first=first_table(summary),
        strip=Markup(strip_html.html(decision_strip(summary))),  # noqa: S704 (each text in it is escaped)
        shown=shown,
    )


def dated(text: str, summary: Summary, written: str) -> str:
    """The text of a report with what `origin` says of a page that DVC does not track."""
    before, after = (escape(printable(origin(summary, one))) for one in ("", written))
    return text.replace(f"{before}</p>", f"{after}</p>", 1)


def _shown(value: object) -> object:
    """A value as the page shows it; the template's own HTML is no plain text."""
    return printable(value) if type(value) is str else value


def explained(text: str, glossary: Mapping[str, str] = GLOSSARY) -> Markup:
    """A text of ours, or the head of a column, with what its names mean where the pointer rests on them."""

    def marked(found: re.Match[str]) -> str:
        return str(Markup('<abbr title="{}">{}</abbr>').format(glossary[found[0]], found[0]))

    pattern = rf"(?<![\w-])({'|'.join(map(re.escape, sorted(glossary, key=len, reverse=True)))})(?![\w-])"
    parts, names = re.split(pattern, printable(text)), re.finditer(pattern, printable(text))
    made = "".join(str(escape(part)) if place % 2 == 0 else marked(next(names)) for place, part in enumerate(parts))
    return Markup(made)  # noqa: S704 (escaped part by part)


def _pictures(section: Section) -> tuple[list[Markup], list[Markup]]:
    """The pictures of a section in view, and further ones, as elements of the page."""
    made = [
        element(f"{section.name}-{place}", picture.draw, picture.alt)
        for place, picture in enumerate([*section.pictures, *section.further])
    ]
    count = len(section.pictures)
    return made[:count], made[count:]
