"""docs/coverage.png: how often our intervals and those of others held, a panel a question, a dot a cell.

Each panel has the default of an estimate in our colour, and below it what others give for the same question, measured
on the same samples. The worst cell of each method is named. There is one picture for light pages and one for dark ones.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from heldout.estimates.methods import DEFAULTS
from studies.colours import COLOURS
from studies.judgements import LEVEL


class Palette(NamedTuple):
    """The colours of ours, of others, of names and of what is said about them, on the colour of the page."""

    ours: str
    theirs: str
    name: str
    remark: str
    page: str


LIGHT = Palette(COLOURS["blue"], "0.45", "black", "0.35", "white")
DARK = Palette(COLOURS["sky"], "0.72", "0.95", "0.78", "#1e2429")
LEAST = 0.75  # where the axis begins; a cell below it is an arrow with its number
ORACLE = 3.92  # the width of an interval that knows the normal distribution of the estimate, in its standard deviations


class Peer(NamedTuple):
    """What others give for a question: the method's name in the table, what people call it, and who gives it."""

    method: str
    called: str
    by: str


# The sources of mlr3inferr are R/MeasureCi*.R of mlr-org/mlr3inferr: `ci.wald_cv` is z times the standard deviation of
# all losses over sqrt(n). Its `ci.holdout` takes z where Student's t is wider, and its `ci.ncv` shifts the estimate
# towards the retrained model. MAPIE's bounds of a risk are in doc/theory/risk-control.md of scikit-learn-contrib/MAPIE.
PEERS: dict[str, tuple[Peer, ...]] = {
    "E_val": (
        Peer("Student t", "t of the losses", "mlr3inferr ci.holdout, with z"),
        Peer("studentised bootstrap", "bootstrap t", ""),
        Peer("betting", "betting", "MAPIE risk control"),
        Peer("Hoeffding", "Hoeffding", "MAPIE risk control"),
    ),
    "E_cv": (
        Peer("Bayle all pairs", "naive z", "mlr3inferr ci.wald_cv"),
        Peer("corrected t", "corrected t, as published", "mlr3inferr ci.cor_t"),
        Peer("nested", "nested", "mlr3inferr ci.ncv"),
        Peer("conservative z", "conservative z", "mlr3inferr ci.con_z"),
    ),
    "E_prog": (
        Peer("martingale CLT", "z of the losses", ""),
        Peer("Student t", "t of the losses", ""),
        Peer("Hoeffding", "Hoeffding", ""),
    ),
}
QUESTIONS = {
    "E_val": "What does one model err, tested on held-out rows?",
    "E_cv": "What does a model err, by ten folds?",
    "E_prog": "What do the models of a stream err?",
}
TASKS = {"classes": "right or wrong", "numbers": "squared losses"}


class Row(NamedTuple):
    """A method in a panel: its cells, and how it is drawn."""

    called: str
    by: str
    colour: str
    cells: pd.DataFrame


def rows(cells: pd.DataFrame, estimate: str, task: str, palette: Palette = LIGHT) -> list[Row]:
    """The methods of a panel that the table has cells of, ours first."""
    default = DEFAULTS[estimate].zero_one if task == "classes" else DEFAULTS[estimate].other
    of_panel = cells[(cells["estimate"] == estimate) & (cells["task"] == task)]
    asked = [(default.name, default.name, "heldout", palette.ours)]
    asked += [(peer.method, peer.called, peer.by, palette.theirs) for peer in PEERS[estimate]]
    found = [Row(called, by, colour, of_panel[of_panel["method"] == method]) for method, called, by, colour in asked]
    return [row for row in found if not row.cells.empty]


def named(cell: pd.Series) -> str:
    """A cell in words: its coverage, population, learner and rows."""
    coverage = f"{cell['covers']:.3f}".removeprefix("0")
    return f"worst {coverage}: {str(cell['population']).replace('_', ' ')}, {cell['learner']}, {cell['n']} rows"


def figure(cells: pd.DataFrame, palette: Palette = LIGHT) -> Figure:
    """Two columns, the kinds of losses; a question below the other."""
    panels = [[rows(cells, estimate, task, palette) for task in TASKS] for estimate in QUESTIONS]
    heights = [max(len(panel) for panel in line) for line in panels]
    tall = 0.55 * sum(heights) + 0.95 * len(panels) + 0.25
    drawn = Figure(figsize=(13, tall), facecolor=palette.page)
    drawn.subplots_adjust(left=0.175, right=0.96, wspace=0.62, hspace=0.95 / 0.55 / (sum(heights) / len(heights)))
    drawn.subplots_adjust(top=1 - 0.62 / tall, bottom=0.55 / tall)
    grid = drawn.subplots(len(panels), len(TASKS), squeeze=False, gridspec_kw={"height_ratios": heights})
    for estimate, line, most, of_line in zip(QUESTIONS, panels, heights, grid, strict=True):
        for task, panel, axes in zip(TASKS, line, of_line, strict=True):
            _panel(axes, panel, most, palette)
            title = f"{QUESTIONS[estimate]}  {estimate}, {TASKS[task]}"
            axes.set_title(title, x=-0.48, fontsize=11, color=palette.name, loc="left", pad=14)
    for axes in grid[-1]:
        axes.set_xlabel("share of samples whose interval contains the truth", fontsize=9, color=palette.name)
    return drawn


def _panel(axes: Axes, panel: list[Row], most: int, palette: Palette) -> None:
    axes.set_facecolor(palette.page)
    across = axes.get_yaxis_transform()  # from left to right 0 to 1, from the top a row each
    for place, row in enumerate(panel):
        covers, weight = row.cells["covers"], "bold" if row.colour == palette.ours else "normal"
        inside = covers[covers >= LEAST]
        axes.plot(inside, [place] * len(inside), "o", ms=5, color=row.colour, alpha=0.3, mew=0, clip_on=False)
        axes.plot([covers.mean()] * 2, [place - 0.22, place + 0.22], color=row.colour, lw=2.5)
        worst = row.cells.sort_values("covers", kind="stable").iloc[0]
        at = max(float(worst["covers"]), LEAST)
        if worst["covers"] < LEAST:
            axes.plot(LEAST + 0.004, place, "<", ms=8, color=row.colour, clip_on=False)
        else:
            axes.plot(at, place, "o", ms=6, mfc=palette.page, mec=row.colour, mew=1.5)
        axes.text(min(at - 0.003, 0.842), place + 0.4, named(worst), fontsize=8, color=row.colour, va="center")
        axes.plot(
            [LEVEL] * 2, [place - 0.45, place + 0.27], color=palette.theirs, lw=0.9, ls="--", zorder=0
        )  # not through words
        axes.text(
            -0.025,
            place,
            row.called,
            transform=across,
            fontsize=10,
            color=palette.name,
            weight=weight,
            va="center",
            ha="right",
        )
        count = ", ".join(filter(None, (row.by, f"{len(covers)} cells")))
        axes.text(
            -0.025, place + 0.37, count, transform=across, fontsize=8, color=palette.remark, va="center", ha="right"
        )
        width = f"{row.cells['relative'].mean():.1f}"
        axes.text(
            1.09,
            place,
            width,
            transform=across,
            fontsize=10,
            color=palette.name,
            weight=weight,
            va="center",
            ha="right",
        )
    axes.text(1.09, -0.62, "width", transform=across, fontsize=8, color=palette.remark, va="center", ha="right")
    axes.set_xlim(LEAST, 1)
    axes.set_ylim(most - 0.35, -0.4)
    axes.set_xticks([0.75, 0.8, 0.85, 0.9, 0.95, 1], [".75", ".80", ".85", ".90", ".95", "1"], fontsize=9)
    axes.set_yticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(palette.name)
    axes.tick_params(colors=palette.name)


def draw(cells: pd.DataFrame, path: Path, palette: Palette = LIGHT) -> None:
    """The picture of a table like docs/coverage.csv, in colours that few bytes hold."""
    from io import BytesIO

    from PIL import Image

    sharp = BytesIO()
    figure(cells, palette).savefig(sharp, dpi=110, metadata={"Software": None})
    Image.open(sharp).convert("RGB").quantize(64).save(path, optimize=True)
