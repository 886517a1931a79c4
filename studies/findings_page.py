"""The findings of the studies: `docs/studies/NAME.csv`, pictures, and `docs/studies.md`, made from these tables."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

from studies.catalogue import CALLED, NAMES, load
from studies.made_tables import markdown
from studies.study import LEVEL, Finding, Study
from tasks.storage import files
from tasks.storage.atomic import replacing_file

COLUMNS = ("study", "finding", "published", "ours", "low", "high", "verdict", "command")
_STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "figure.dpi": 150,
    "font.size": 9,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Place:
    """Where a form of the studies writes."""

    folder: Path
    page: Path


WHOLE = Place(Path("docs/studies"), Path("docs/studies.md"))
QUICK = Place(Path("reports/studies"), Path("reports/studies.md"))


def write(name: str, study: Study, results: pd.DataFrame, quick: bool) -> None:
    """The table and the pictures of a study, from the results of its units."""
    folder = (QUICK if quick else WHOLE).folder
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


def write_page(quick: bool) -> None:
    """The page, from the tables of all studies that are there."""
    place = QUICK if quick else WHOLE
    tables = {name: place.folder / f"{name}.csv" for name in NAMES}
    there = {name: path for name, path in tables.items() if path.exists()}
    found = {name: pd.read_csv(path, dtype=str, keep_default_na=False) for name, path in there.items()}
    files.write_text(place.page, "\n".join(_page(found, place)))


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


def _page(found: dict[str, pd.DataFrame], place: Place) -> Iterator[str]:
    everything = pd.concat(found.values())
    yield "# What the sources found, and what we find\n"
    yield f"Made by `python -m studies` from the tables in `{place.folder}`: {len(everything)} findings, of which"
    yield f"{_differ(everything)} differ from what a source says or a study expects. An interval is at level {LEVEL:g},"
    yield "over repeats with other random numbers. This table has the first finding of each study; all are below.\n"
    head = ["study", "findings", "differ", "the first of them", "published", "ours", "verdict"]
    yield markdown([head, *(_summary(name, lines) for name, lines in found.items())])
    for name, lines in found.items():
        first, _, rest = (inspect.getdoc(inspect.getmodule(load(name))) or "").partition("\n\n")
        yield f'## {CALLED[name]} <a id="{name}"></a>\n\n**{first}**\n\n{rest}\n'
        yield f"`{lines['command'].iloc[0]}`: [{name}.csv]({place.folder.name}/{name}.csv)\n"
        yield markdown([["finding", "published", "ours", "verdict"], *map(_cells, lines.to_dict("records"))])
        for picture in sorted(place.folder.glob(f"{name}*.png")):
            if picture.stem == name or picture.stem.startswith(f"{name}-"):
                yield f"![{picture.stem}]({place.folder.name}/{picture.name})\n"


def _summary(name: str, lines: pd.DataFrame) -> list[str]:
    finding, published, ours, _ = _cells(lines.iloc[0].to_dict())
    verdict = lines["verdict"].iloc[0].split(":")[0]
    return [f"[{CALLED[name]}](#{name})", str(len(lines)), str(_differ(lines)), finding, published, ours, verdict]


def _differ(lines: pd.DataFrame) -> int:
    return int(lines["verdict"].str.startswith("differs").sum())


def _cells(line: dict[Any, Any]) -> list[str]:
    interval = f" ({line['low']} to {line['high']})" if line["low"] else ""
    return [f"`{line['finding']}`", line["published"], f"{line['ours']}{interval}", line["verdict"]]
