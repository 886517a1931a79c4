"""The findings of the studies: `docs/studies/NAME.csv`, pictures, and the tables of `docs/studies/NAME.md`.

The words of a page are written by hand. Its table, and `docs/studies.md`, which lists all pages, are made here.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

from studies.catalogue import GROUPS, NAMES
from studies.made_tables import markdown
from studies.study import LEVEL, Finding, Study
from tasks.storage import files
from tasks.storage.atomic import replacing_file

COLUMNS = ("study", "finding", "published", "ours", "low", "high", "verdict", "command")
WHOLE, QUICK, INDEX = Path("docs/studies"), Path("reports/studies"), Path("docs/studies.md")
WIDTH = 110  # characters of a verdict in a page; the tables of commas have all of it
_TABLE = re.compile(r"<!-- findings: (?P<shown>[^\n]+) -->\n.*?<!-- end of findings -->", re.DOTALL)
_HEAD = re.compile(r"# (?P<question>[^\n]+)\n\n\*\*Answer\.\*\* (?P<answer>.+?)\n\n", re.DOTALL)
_STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "figure.dpi": 150,
    "font.size": 9,
    "legend.frameon": False,
}


def write(name: str, study: Study, results: pd.DataFrame, quick: bool) -> None:
    """The table and the pictures of a study, from the results of its units."""
    folder = QUICK if quick else WHOLE
    command = f"python -m studies {name}{' --quick' if quick else ''}"
    if study.NEEDS_DATA and not quick:
        command += " --data FOLDER"
    lines = [_line(name, finding, f"{command} # seed {study.SEED}") for finding in study.findings(results)]
    mpl.use("agg")
    with mpl.rc_context(_STYLE):
        for picture, figure in study.pictures(results).items():
            with replacing_file(_picture(folder, name, picture)) as draft:
                figure.savefig(draft, format="png", metadata={"Software": None}, bbox_inches="tight")
    files.write_csv(folder / f"{name}.csv", pd.DataFrame(lines, columns=list(COLUMNS)))


def write_pages() -> None:
    """The tables of all pages, and the list of the pages."""
    for name in NAMES:
        files.write_text(WHOLE / f"{name}.md", page(name))
    files.write_text(INDEX, "\n".join(index()))


def page(name: str) -> str:
    """The page of a study with the table of its findings, up to the last line feed."""
    text = (WHOLE / f"{name}.md").read_text(encoding="utf-8").rstrip()
    return _TABLE.sub(lambda asked: "\n".join(_table(name, asked["shown"])), text)


def index() -> Iterator[str]:
    """The list of all pages: each question, and its answer."""
    everything = pd.concat(map(_read, NAMES))
    differ = int(everything["verdict"].str.startswith("differs").sum())
    yield "# The studies: questions and answers\n"
    yield "The experiments of the sources, run again, and those by which our methods were chosen. A page has the claim,"
    yield f"how it was tried, what was found, and what that does not show. All have {len(everything)} findings, of"
    yield f"which {differ} differ from what a source says or a study expects. Intervals are at level {LEVEL:g}, over"
    yield "repeats with other random numbers. `python -m studies NAME` makes the table of a page."
    for group, names in GROUPS.items():
        yield f"\n## {group}\n"
        for name in names.split():
            head = _HEAD.match((WHOLE / f"{name}.md").read_text(encoding="utf-8"))
            if head is None:
                raise ValueError(f"docs/studies/{name}.md does not begin with '# QUESTION' and '**Answer.**'")
            yield f"- [{head['question']}](studies/{name}.md) {' '.join(head['answer'].split())}"


def _table(name: str, shown: str) -> Iterator[str]:
    """The findings that fit one of the patterns."""
    lines = _read(name)
    rows = [_cells(line) for line in lines.to_dict("records") if _fits(line, shown.split())]
    head = ["finding", "published", "ours", "verdict"]
    if not any(published for _, published, *_ in rows):
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    yield f"<!-- findings: {shown} -->\n{markdown([head, *rows])}"
    yield f"Made by `{lines['command'].iloc[0]}`: {len(rows)} of {len(lines)} findings of [{name}.csv]({name}.csv)."
    yield "<!-- end of findings -->"


def _fits(line: dict[Any, Any], patterns: Sequence[str]) -> bool:
    """Of its name, or of the first word of its verdict."""
    texts = (line["finding"], line["verdict"].partition(":")[0])
    return any(fnmatchcase(text, pattern) for text in texts for pattern in patterns)


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(WHOLE / f"{name}.csv", dtype=str, keep_default_na=False)


def _line(name: str, finding: Finding, command: str) -> tuple[float | str, ...]:
    ends = ("" if end is None else plain(end) for end in (finding.low, finding.high))
    return name, finding.finding, plain(finding.published), plain(finding.ours), *ends, finding.verdict, command


def plain(value: float | str) -> float | str:
    """A number with four digits, a whole one without a point; texts as they are."""
    if isinstance(value, str):
        return value
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() else rounded


def _picture(folder: Path, name: str, picture: str) -> Path:
    return folder / f"{name}{'-' if picture else ''}{picture}.png"


def _cells(line: dict[Any, Any]) -> list[str]:
    interval = f" ({line['low']} to {line['high']})" if line["low"] else ""
    return [f"`{line['finding']}`", line["published"], f"{line['ours']}{interval}", _short(line["verdict"])]


def _short(verdict: str) -> str:
    """As many clauses as fit into a line of a page, and the first in any case."""
    kept = verdict
    while len(kept) > WIDTH and "; " in kept:
        kept = kept.rpartition("; ")[0]
    return kept if kept == verdict else f"{kept} …"
