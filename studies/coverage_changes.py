"""What changed in the coverage study since version 0.1: the first sections of docs/coverage.md."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.estimates.methods import DEFAULTS
from studies.judgements import LEVEL

SHORT, WIDER = 0.03, 1.15  # a cell is listed if its coverage is below LEVEL - SHORT, or if its width grew by more
BEFORE = Path("docs/coverage-0.1.csv")
ORDER = ("E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "half models")
_CELL = ["estimate", "task", "population", "learner", "n"]


def under(cells: pd.DataFrame) -> pd.Series:
    """The shortfall of each cell, less the average shortfall of a method that covers LEVEL: sd / sqrt(2 pi), about."""
    chance = np.sqrt(LEVEL * (1 - LEVEL) / cells["samples"] / (2 * np.pi))
    shortfall: pd.Series = (LEVEL - cells["covers"]).clip(lower=0) - chance
    return shortfall


def defaults(cells: pd.DataFrame) -> pd.DataFrame:
    """The lines of today's defaults, and what the half models err at least."""
    named = {
        (estimate, task): method.name
        for estimate, default in DEFAULTS.items()
        for task, method in (("classes", default.zero_one), ("numbers", default.other))
    }
    wanted = [named.get(one, "least mean error") for one in zip(cells["estimate"], cells["task"], strict=True)]
    return cells[cells["method"] == np.array(wanted)]


def compared(cells: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Today's default in each cell next to that of version 0.1, whose columns end in `_before`; NaN where it had none.

    `ratio` is the relative width over that of version 0.1.
    """
    both = defaults(cells).merge(before.assign(under=under(before)), "left", _CELL, suffixes=("", "_before"))
    return with_errors(both.assign(ratio=both["relative"] / both["relative_before"]))


def with_errors(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with the standard error of their coverage, `error`."""
    # a share of 0 or 1 has a spread too: that of one more sample of each kind
    share = (cells["covers"] * cells["samples"] + 1) / (cells["samples"] + 2)
    return cells.assign(error=np.sqrt(share * (1 - share) / cells["samples"]))


def before_and_after(both: pd.DataFrame) -> Iterator[str]:
    yield "## The defaults of version 0.1 and of today\n"
    yield (
        "Columns with two numbers have that of version 0.1 first ([coverage-0.1.csv](coverage-0.1.csv), 1000 samples "
        "a cell). *ratio* is the mean over cells of today's width over that of version 0.1, both in standard "
        "deviations of the estimate. `E_2cv` and the disagreement had 3 halvings in that study, and have the shipped "
        "number now, 30 up to 600 rows and 10 for more. What the half models err at least is a new claim, one-sided.\n"
    )
    yield "| estimate | losses | method | cells | coverage | least | under | width | ratio |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for estimate in ORDER:
        for task in ("classes", "numbers"):
            lines = both[(both["estimate"] == estimate) & (both["task"] == task)]
            if lines.empty:
                continue
            known = lines.dropna(subset=["covers_before"])
            method, cells = lines["method"].iloc[0], str(len(lines))
            if known.empty:
                means = f"{lines['covers'].mean():.3f} | {lines['covers'].min():.3f} | {_at_least_0(lines['under'])}"
                yield f"| {estimate} | {task} | {method} | {cells} | {means} | one-sided | |"
                continue
            earlier = known["method_before"].iloc[0]
            shown = [
                method if method == earlier else f"{earlier} → {method}",
                cells if len(known) == len(lines) else f"{cells}, of which {len(known)} in both",
                f"{known['covers_before'].mean():.3f} → {lines['covers'].mean():.3f}",
                f"{known['covers_before'].min():.3f} → {lines['covers'].min():.3f}",
                f"{_at_least_0(known['under_before'])} → {_at_least_0(lines['under'])}",
                f"{known['relative_before'].mean():.2f} → {lines['relative'].mean():.2f}",
                f"{known['ratio'].mean():.2f}",
            ]
            yield f"| {estimate} | {task} | {' | '.join(shown)} |"
    yield ""


def _at_least_0(under: pd.Series) -> str:
    return f"{max(under.mean(), 0):.3f}"


def short(both: pd.DataFrame) -> Iterator[str]:
    """The cells in which a default covers less than LEVEL - SHORT."""
    yield f"## Cells in which a default covers less than {LEVEL - SHORT:g}\n"
    lines = both[both["covers"] < LEVEL - SHORT].sort_values(["estimate", "covers"])
    if lines.empty:
        yield "None.\n"
        return
    yield (
        "[Where no interval holds](method.md#where-no-interval-holds) says what holds them there. *se* is the standard "
        f"error of the coverage: where {LEVEL - SHORT:g} is less than two of them away, chance may have put the cell "
        "here.\n"
    )
    yield "| estimate | method | population | learner | n | samples | coverage | se | version 0.1 | width |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for row in _rows(lines):
        yield (
            f"| {row.estimate} | {row.method} | {row.population.replace('_', ' ')} | {row.learner} | {row.n} "
            f"| {row.samples} | {row.covers:.3f} | {row.error:.3f} | {row.covers_before:.3f} | {row.relative:.2f} |"
        )
    yield ""


def wider(both: pd.DataFrame) -> Iterator[str]:
    """The cells in which the default's width grew by more than WIDER."""
    yield f"## Cells in which the default is more than {WIDER:g} times as wide as in version 0.1\n"
    lines = both[both["ratio"] > WIDER].sort_values(["estimate", "ratio"])
    if lines.empty:
        yield "None.\n"
        return
    yield (
        "Where version 0.1 was short of its level, the width is what the level takes. Letters of 500 rows and more "
        "were stratified then: their estimates were too low, and too close to one another. Two widths over standard "
        "deviations from few samples differ by chance as well.\n"
    )
    yield "| estimate | method | population | learner | n | ratio | version 0.1 | coverage |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in _rows(lines):
        yield (
            f"| {row.estimate} | {row.method} | {row.population.replace('_', ' ')} | {row.learner} | {row.n} "
            f"| {row.ratio:.2f} | {row.covers_before:.3f} | {row.covers:.3f} |"
        )
    yield ""


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return table.itertuples()
