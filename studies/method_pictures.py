"""Pictures of docs/coverage.md, from docs/coverage.csv, and the tables of the method's pages, from the code.

python -m studies.method_pictures             # after the coverage study
python -m studies.method_pictures --tables    # the tables alone
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from heldout.estimates.methods import DEFAULTS
from heldout.intervals.method import IntervalMethod
from studies import coverage_page, method_tables
from studies.colours import BLUE, GREY, ORANGE
from studies.judgements import LEVEL

PICTURES = Path("docs/method")
OWN, OF_G = "its own target", "g, retrained on all rows"
# the lines of each picture: estimate, column of docs/coverage.csv, name in the legend
LINES = {
    **{name: ((name, "covers", OWN), (name, "covers_g", OF_G)) for name in ("E_val", "E_cv", "E_prog", "E_2cv")},
    # a disagreement is no error, so that g has none to be covered
    "disagreement": (
        ("disagreement", "covers", OWN),
        ("half models", "covers", "half models: their error is above its least"),
    ),
}
TASKS = ("classes", "numbers")


def default(estimate: str, task: str) -> IntervalMethod:
    """The default interval method of an estimate, for classes or for numbers."""
    return DEFAULTS[estimate].zero_one if task == "classes" else DEFAULTS[estimate].other


def draw(cells: Any, estimate: str, path: Path) -> None:
    """Coverage against n: median over populations and learners, in the band from the least to the greatest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 2.6), layout="constrained")
    panels = figure.subplots(1, len(TASKS), sharey=True)
    lowest = LEVEL
    for axes, task in zip(panels, TASKS, strict=True):
        for colour, (name, column, label) in zip((BLUE, ORANGE), LINES[estimate], strict=True):
            method = "least mean error" if name == "half models" else default(name, task).name
            lines = cells[(cells["estimate"] == name) & (cells["task"] == task) & (cells["method"] == method)]
            by_size = lines.groupby("n")[column].agg(["median", "min", "max"])
            lowest = min([lowest, *by_size["min"]])
            axes.fill_between(by_size.index, by_size["min"], by_size["max"], alpha=0.18, color=colour, lw=0)
            axes.vlines(by_size.index, by_size["min"], by_size["max"], color=colour, lw=0.8, alpha=0.5)
            axes.plot(by_size.index, by_size["median"], "-o", color=colour, ms=3.5, lw=1.6, label=label)
        sizes = sorted(cells["n"].unique())
        axes.set_xscale("log")
        axes.set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
        axes.set_xticks(sizes, [str(n) for n in sizes])
        axes.minorticks_off()
        axes.axhline(LEVEL, color=GREY, lw=0.8, ls="--", zorder=0)
        axes.set_title(f"{task}: {default(estimate, task).name}", fontsize=9, loc="left", color=GREY)
        axes.set_xlabel("labelled rows n", fontsize=8, color=GREY)
        axes.tick_params(labelsize=8, colors=GREY)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["bottom", "left"]].set_color(GREY)
    panels[0].set_ylim(max(0, 0.1 * int(10 * lowest) - 0.02), 1.01)
    panels[0].set_ylabel(f"coverage of {estimate}", fontsize=8, color=GREY)
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=8, frameon=False, labelcolor=GREY)
    figure.savefig(path, dpi=100, transparent=True, metadata={"Software": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Bring the tables up to date, and draw every picture unless the tables alone are wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true", help="write the tables alone")
    method_tables.write()
    if not parser.parse_args(arguments).tables:
        PICTURES.mkdir(parents=True, exist_ok=True)
        cells = pd.read_csv(coverage_page.TABLE)
        for estimate in LINES:
            draw(cells, estimate, PICTURES / f"{estimate}.png")


if __name__ == "__main__":
    main()
