"""docs/coverage.md and docs/coverage.png, from the shards of the coverage study."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.intervals import DEFAULTS, METHODS

LEVEL = 0.95
REGRESSION = ("california_housing", "heavy_tails")
PAGE, PICTURE, TABLE = Path("docs/coverage.md"), Path("docs/coverage.png"), Path("docs/coverage.csv")
_COLUMNS = ["estimate", "task", "method", "population", "learner", "n", "samples", "covers", "covers_g", "relative"]
ORDER = ("E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "half models")
FURTHER_FITS = {"subsamples": "25", "repeated_folds": "20", "half_subsamples": "300", "fold_pairs": "45", None: "0"}


def read(cache: Path) -> pd.DataFrame:
    """Every line of every shard, with its population, learner and n."""
    tables = []
    for path in sorted(cache.glob("*/*/*/*.parquet")):
        population, learner, n = path.parent.name, path.parent.parent.name, int(path.parent.parent.parent.name)
        tables.append(pd.read_parquet(path).assign(population=population, learner=learner, n=n))
    return pd.concat(tables, ignore_index=True)


def by_cell(lines: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the estimate's target and of g, relative width, and undercoverage beyond chance, for each cell."""
    lines = lines.assign(
        covers=(lines["low"] <= lines["truth"] + 1e-12) & (lines["truth"] <= lines["high"] + 1e-12),
        covers_g=(lines["low"] <= lines["final"]) & (lines["final"] <= lines["high"]),
        width=lines["high"] - lines["low"],
    )
    keys = ["estimate", "method", "population", "learner", "n"]
    cells = lines.groupby(keys, observed=True).agg(
        covers=("covers", "mean"),
        covers_g=("covers_g", "mean"),
        width=("width", "mean"),
        spread=("value", "std"),
        value=("value", "mean"),
        samples=("covers", "size"),
    )
    cells["relative"] = cells["width"] / cells["spread"]
    # average shortfall of a method with coverage LEVEL: E max(0, p - share) = sd / sqrt(2 pi), about
    chance = np.sqrt(LEVEL * (1 - LEVEL) / cells["samples"] / (2 * np.pi))
    cells["under"] = np.maximum(0, LEVEL - cells["covers"]) - chance
    cells["task"] = np.where(cells.index.get_level_values("population").isin(REGRESSION), "numbers", "classes")
    return cells.reset_index()


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """One line for each estimate, kind of task and method."""
    lines = cells.groupby(["estimate", "task", "method"], observed=True).agg(
        cells=("covers", "size"),
        mean=("covers", "mean"),
        least=("covers", "min"),
        under=("under", "mean"),
        relative=("relative", "mean"),
        of_g=("covers_g", "mean"),
    )
    return lines.reset_index()


def text(cells: pd.DataFrame) -> str:
    """The summary for a terminal."""
    return summary(cells).round(4).to_string(index=False)


def write(cache: Path) -> None:
    """The page, its picture, and the table of all cells. Cells with fewer samples than the others are left out."""
    cells = by_cell(read(cache))
    cells = cells[cells["samples"] == cells["samples"].max()]
    cells[_COLUMNS].to_csv(TABLE, index=False, float_format="%.4f", lineterminator="\n")
    PAGE.write_text("\n".join(_page(cells)) + "\n", encoding="utf-8")
    draw(cells, PICTURE)


def draw(cells: pd.DataFrame, path: Path) -> None:
    """Coverage against relative width: a panel for each estimate, a point for each method and sample size."""
    from matplotlib.figure import Figure

    shown = ("E_val", "E_cv", "E_prog")
    figure = Figure(figsize=(13, 8), layout="constrained")
    for axes, (task, estimate) in zip(
        figure.subplots(2, 3).ravel(), [(task, name) for task in ("classes", "numbers") for name in shown], strict=True
    ):
        panel = cells[(cells["estimate"] == estimate) & (cells["task"] == task)]
        for place, (name, lines) in enumerate(panel.groupby("method", observed=True)):
            means = lines.groupby("n")[["relative", "covers"]].mean()
            default = DEFAULTS[estimate].zero_one if task == "classes" else DEFAULTS[estimate].other
            bold = name == default.name
            axes.plot(
                means["relative"],
                means["covers"],
                "-o",
                color=f"C{place}" if place < 10 else f"C{place - 10}",
                ms=6 if bold else 3.5,
                lw=2.4 if bold else 0.9,
                mfc=None if place < 10 else "white",
                label=f"{name} (default)" if bold else str(name),
            )
        axes.axhline(LEVEL, color="0.4", lw=0.8, ls="--")
        axes.axvline(3.92, color="0.4", lw=0.8, ls=":")
        axes.set_title(f"{estimate}, {task}", fontsize=10, loc="left")
        axes.set_xlim(2, 8)
        axes.set_ylim(0.75, 1.005)
        axes.set_xlabel("width over the standard deviation of the estimate", fontsize=8)
        axes.set_ylabel("coverage of its own target", fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=6.5, frameon=False, ncols=2, loc="lower right")
    figure.savefig(path, dpi=100, metadata={"Software": None})


def _page(cells: pd.DataFrame) -> Iterator[str]:
    sizes = ", ".join(str(n) for n in sorted(cells["n"].unique()))
    samples = int(cells["samples"].min())
    yield "# How often each interval covers its target\n"
    populations, complete = cells["population"].nunique(), cells.groupby(["population", "learner", "n"]).ngroups
    every = populations * 2 * cells["n"].nunique()
    yield (
        f"Made by `studies/coverage.py` (`make studies`): {populations} finite populations, a stable and an unstable "
        f"learner, n = {sizes}, {complete} of these {every} cells. Each cell has at least {samples} samples, drawn "
        f"with replacement; the level is {LEVEL:g}. "
        "The truth is the mean loss, over the whole population, of the hypotheses that the estimate is about. "
        "*least* is the coverage in the worst cell; *under* is the mean over cells of max(0, level - coverage), minus "
        "the expected value by chance alone; *width* is the mean width divided by the standard deviation of the "
        "estimate (an oracle has 3.92); *of g* is how often the interval covers the error of the model retrained on "
        "all rows, which no interval claims. The default is in bold. Every cell is in [coverage.csv](coverage.csv).\n"
    )
    yield "![Coverage against width](coverage.png)\n"
    lines = summary(cells)
    fits = {method.name: FURTHER_FITS[method.needs] for method in METHODS}
    for estimate in ORDER:
        for task in ("classes", "numbers"):
            shown = lines[(lines["estimate"] == estimate) & (lines["task"] == task)]
            if shown.empty:
                continue
            default = DEFAULTS.get(estimate)
            bold = None if default is None else (default.zero_one if task == "classes" else default.other).name
            yield f"## {estimate}, {task}\n"
            yield "| method | cells | coverage | least | under | width | of g | further fits |"
            yield "|---|---|---|---|---|---|---|---|"
            for row in _rows(shown.sort_values("relative")):
                name = f"**{row.method}**" if row.method == bold else row.method
                width = f"{row.relative:.2f}" if np.isfinite(row.relative) else "one-sided"
                yield (
                    f"| {name} | {row.cells} | {row.mean:.3f} | {row.least:.3f} | {max(row.under, 0):.3f} | {width} "
                    f"| {row.of_g:.3f} | {fits.get(row.method, '0')} |"
                )
            yield ""
    yield from _least(cells)


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return table.itertuples()


def _least(cells: pd.DataFrame) -> Iterator[str]:
    """The cells in which a default covers less than 0.94."""
    yield "## Where the defaults fall short\n"
    yield (
        "The cells in which a default covers less than 0.94. Numbers fall short with few rows, since their losses are "
        "skewed. Two classes are stratified where each has a row for every fold; letters have plain parts, since "
        "stratified estimates of many classes are too low ([decision 5](decisions/0005-stratified-parts.md)).\n"
    )
    yield "| estimate | method | population | learner | n | coverage | width |"
    yield "|---|---|---|---|---|---|---|"
    for estimate, default in DEFAULTS.items():
        names = (default.zero_one.name, default.other.name)
        short = cells[(cells["estimate"] == estimate) & cells["method"].isin(names) & (cells["covers"] < 0.94)]
        default_name = np.where(short["task"] == "classes", names[0], names[1])
        for row in _rows(short[short["method"] == default_name].sort_values("covers")):
            yield (
                f"| {estimate} | {row.method} | {row.population.replace('_', ' ')} | {row.learner} | {row.n} "
                f"| {row.covers:.3f} | {row.relative:.2f} |"
            )
    yield ""
