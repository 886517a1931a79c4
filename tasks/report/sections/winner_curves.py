"""The winner on rows that it was not trained on: calibration and ROC of classes, residuals of numbers."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from heldout.display import number_axis
from heldout.display.svg import ACCENT, GRID, MUTED
from heldout.printable import plain
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import figure, short
from tasks.report.summary import Summary, shown_count

_FALSE_ALARMS = (0.01, 0.05, 0.1, 0.2)
_MANY = 300  # points that cover one another
_PARTS = 5  # of the residuals, by the prediction


def section(summary: Summary) -> Section | None:
    """Nothing where the hypothesis answers neither with numbers nor with what ranks the rows."""
    tables = summary.tables
    if len(tables.residuals):
        return _residuals(summary, tables.residuals)
    if tables.calibration.empty and tables.roc.empty:
        return None
    about, reading = _about(tables.calibration if len(tables.calibration) else tables.roc), ""
    pictures, shown = [], []
    if len(tables.calibration):
        pictures.append(
            PagePicture(partial(_draw_calibration, tables.calibration), "Calibration curve, as in the table")
        )
        shown.append(_calibration_table(summary, tables.calibration))
        reading += (
            "Calibration: of the rows with a probability of about p, a share of p should come true. "
            f"{_off_the_diagonal(tables.calibration)} Larger points have more rows."
        )
    if len(tables.roc):
        pictures.append(PagePicture(partial(_draw_roc, tables.roc), "ROC curve, as in the table"))
        shown.append(_roc_table(tables.roc))
        reading += " ROC: how many rows of a class are found, for so many false alarms among the other rows."
    names = [picture.alt.split()[0] for picture in pictures]
    title = f"{' and '.join(names)} of the winner"
    return Section(
        "winner-curves",
        title,
        about,
        pictures,
        reading=reading.strip(),
        numbers=shown,
        opened=True,
    )


def _off_the_diagonal(lines: pd.DataFrame) -> str:
    """What a point off the diagonal says: a probability is too sure if it is farther from not knowing than the share.

    Of one of two classes not to know is 1/2, so that a probability near 0 is sure of the other class.
    """
    if pd.isna(lines["class_name"].iloc[0]):
        return "A point below the diagonal is too sure of itself, a point above it not sure enough."
    return (
        "A point below the diagonal has too high a probability, a point above it too low a one: too sure of itself is "
        "the model at points that are below it on the right of 0.5, or above it on the left of 0.5."
    )


def _about(lines: pd.DataFrame) -> str:
    """Which hypothesis, on which rows."""
    candidate, hypothesis, part = lines[["candidate", "hypothesis", "part"]].iloc[0]
    of = f"Of {candidate} ({hypothesis}), on the {part}"
    if part == "test set":
        return f"{of}: rows that no choice has used."
    return f"{of}: rows that did not train it; candidates were compared on them, so that it may look a little too good."


def _draw_calibration(lines: pd.DataFrame) -> Any:
    made, axes = _square()
    x, y = lines["probability"].to_numpy(), lines["share"].to_numpy()
    low, high = (lines[end].fillna(lines["share"]).to_numpy() for end in ("low", "high"))
    axes.errorbar(x, y, yerr=np.clip([y - low, high - y], 0, None), fmt="none", lw=1, color=MUTED)
    axes.scatter(x, y, s=15 + 100 * lines["rows"] / lines["rows"].max(), color=ACCENT, lw=0, zorder=3)
    name = lines["class_name"].iloc[0]
    of = "the most probable class" if pd.isna(name) else f"class {short(name, 14)}"
    axes.set_xlabel(f"probability of {of}")
    axes.set_ylabel("share that came true")
    axes.set_title("Calibration")
    return made


def _draw_roc(lines: pd.DataFrame) -> Any:
    """The curve of each class; of several the curve with the least area stands out."""
    made, axes = _square()
    areas = {name: _area(curve) for name, curve in lines.groupby("class_name", sort=False)}
    least = min(areas, key=areas.__getitem__)
    for name, curve in lines.groupby("class_name", sort=False):
        colour, width = (ACCENT, 1.8) if name == least else (MUTED, 0.8)
        axes.plot(
            curve["false_positive_rate"],
            curve["true_positive_rate"],
            lw=width,
            color=colour,
            zorder=2 + (name == least),
        )
    name = f"class {short(str(least), 14)}"
    which = name if len(areas) == 1 else f"{name}: the least of {len(areas)}"
    axes.text(0.97, 0.05, f"{which}\narea {areas[least]:.3f}", ha="right", color=ACCENT, transform=axes.transAxes)
    axes.set_xlabel("false alarms: share of the other rows")
    axes.set_ylabel("found: share of the class's rows")
    axes.set_title("ROC")
    return made


def _square() -> tuple[Any, Any]:
    """Axes from 0 to 1 with their diagonal."""
    made, axes = figure(3.1, 3.1)
    axes.plot([0, 1], [0, 1], color=GRID, lw=1.4, zorder=0)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    return made, axes


def _area(curve: pd.DataFrame) -> float:
    return float(np.trapezoid(curve["true_positive_rate"], curve["false_positive_rate"]))


def _calibration_table(summary: Summary, lines: pd.DataFrame) -> Table:
    rows = [
        [
            f"{line['bin_low']:.1f} to {line['bin_high']:.1f}",
            shown_count(line["rows"]),
            f"{line['probability']:.3f}",
            f"{line['share']:.3f}",
            "–" if pd.isna(line["low"]) else f"{line['low']:.3f} to {line['high']:.3f}",
        ]
        for line in lines.to_dict("records")
    ]
    head = ["probability", "rows", "mean probability", "came true", f"interval at {summary.level}"]
    return Table("Calibration", head, rows)


def _roc_table(lines: pd.DataFrame) -> Table:
    rows = []
    for name, curve in lines.groupby("class_name", sort=False):
        x, y = curve["false_positive_rate"], curve["true_positive_rate"]
        found = [float(y[x <= most].max()) for most in _FALSE_ALARMS]
        rows.append([str(name), *(f"{100 * share:.1f}" for share in found), f"{_area(curve):.3f}"])
    head = ["class", *(f"at {100 * most:g} %" for most in _FALSE_ALARMS), "area"]
    return Table("Rows of the class that are found, in %, at so many false alarms", head, rows)


def _residuals(summary: Summary, lines: pd.DataFrame) -> Section:
    rows = []
    for places in np.array_split(np.arange(len(lines)), _PARTS):
        part = lines.iloc[places]
        if len(part):
            ends = f"{plain(part['predicted'].min())} to {plain(part['predicted'].max())}"
            size = float(np.sqrt((part["residual"] ** 2).mean()))
            rows.append([ends, shown_count(len(part)), plain(part["residual"].mean()), plain(size)])
    table = Table("Residuals by the prediction", ["predicted", "rows", "mean residual", "RMS residual"], rows)
    reading = (
        "Points around 0 everywhere are what one hopes for: a bend is a part of the target that the model misses, a "
        "wedge an error that grows with the prediction, a far point a row to look at."
    )
    alt = "Residuals against predictions, as in the table"
    return Section(
        "winner-curves",
        "Residuals of the winner",
        _about(lines),
        [PagePicture(partial(_draw_residuals, summary, lines), alt)],
        reading=reading,
        numbers=[table],
        opened=True,
    )


def _draw_residuals(summary: Summary, lines: pd.DataFrame) -> Any:
    made, axes = figure(4.7, 3.3)
    axes.axhline(0, color=GRID, lw=1.4, zorder=0)
    axes.plot(
        lines["predicted"],
        lines["residual"],
        "o",
        ms=4.5,
        alpha=0.8 if len(lines) < _MANY else 0.35,
        mew=0,
        color=ACCENT,
    )
    of_x, of_y = (
        number_axis.set_ticks(axis, float(lines[name].abs().max()))
        for axis, name in ((axes.xaxis, "predicted"), (axes.yaxis, "residual"))
    )
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel(f"predicted {short(summary.settings.data.target or 'the target')}{of_x}")
    axes.set_ylabel(f"actual less predicted{of_y}")
    return made
