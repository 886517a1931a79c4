"""The files of reports/plots: tables for DVC, and pictures for MLflow and the README."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from heldout.losses.amounts import error_label
from tasks.report.sections import estimates, families, more_rows, progressive
from tasks.report.style import drawing, drawn, png
from tasks.report.summary import Summary, shown_steps
from tasks.storage import files
from tasks.storage.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECTIONS = {"progressive.png": progressive, "more_rows.png": more_rows}


def draw(summary: Summary) -> list[Path]:
    """Write all plots and their tables; returns their paths."""
    with replacing(files.PLOTS) as folder, drawing():
        files.write_csv(
            folder / "estimates.csv", _as_read(summary, summary.estimates, value="", low="_low", high="_high")
        )
        files.write_csv(folder / "progressive.csv", _curves(summary))
        if len(summary.tuned.chosen):
            values = [*map(_number, summary.tuned.paths["value"])]
            files.write_csv(folder / "families.csv", summary.tuned.paths.assign(value=pd.Series(values, dtype=object)))
        figures: dict[str, Callable[[], Figure | None]] = {
            "estimates.png": partial(estimates.overview, summary),
            "families.png": partial(families.overview, summary),
        }
        for name, module in _SECTIONS.items():
            if (section := module.section(summary)) is not None:
                figures[name] = section.pictures[0].draw
        for name, figure in figures.items():
            if content := drawn(name, partial(png, figure)):
                (folder / name).write_bytes(content)
    return sorted(files.PLOTS.iterdir())


def _curves(summary: Summary) -> pd.DataFrame:
    columns = ["candidate", "tested", "error"]
    tables = []
    for name, errors in summary.curves.progressive_errors.items():
        places = shown_steps(len(errors))
        tables.append(pd.DataFrame({"candidate": name, "tested": places + 1, "error": errors[places]}))
    return _as_read(summary, pd.concat(tables, ignore_index=True)[columns], error="")


def _as_read(summary: Summary, table: pd.DataFrame, **ends: str) -> pd.DataFrame:
    """The table with its losses as people read them, their unit, and which lines are the winner's."""
    shown = {f"shown{end}": summary.shown(table[column]) for column, end in ends.items()}
    selected = table["candidate"].eq(summary.selected).map({True: "yes", False: ""})
    return table.assign(**shown, unit=error_label(summary.loss), selected=selected)


def _number(text: str) -> float | str:
    """The number that a text is, or the text itself."""
    for kind in (int, float):
        with suppress(ValueError):
            if str(kind(text)) == text:
                return kind(text)
    return text
