"""docs/coverage.md, from the shards of the coverage study, or from the table that they left.

python -m studies.coverage_page               # the page and its picture again, from docs/coverage.csv
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.estimates.methods import DEFAULTS
from studies.coverage_changes import BEFORE, ORDER, SHORT, before_and_after, compared, defaults, short, under, wider
from studies.coverage_picture import draw
from studies.hard_cells import CELLS, slug
from studies.intervals import EVERY, METHODS
from studies.judgements import LEVEL, Cell, version
from studies.populations import NUMBERS

PAGE, PICTURE, TABLE = Path("docs/coverage.md"), Path("docs/coverage.png"), Path("docs/coverage.csv")
HARD = ("E_val", "E_cv", "E_prog")
OTHERS = Path(__file__).resolve().parents[1] / "docs/studies"
_COLUMNS = ["estimate", "task", "method", "population", "learner", "n", "samples", "covers", "covers_g", "relative"]
FURTHER_FITS = {"subsamples": "25", "repeated_folds": "20", "half_subsamples": "300", "fold_pairs": "45", None: "0"}


def read(cache: Path) -> pd.DataFrame:
    """A line for each estimate, method and cell, from every shard that the sources of today have judged.

    Raises FileNotFoundError where there is none.
    """
    tables = []
    for folder in sorted({path.parent for path in cache.glob(f"*/*/*/*-{version()}.parquet")}):
        paths = sorted(folder.glob(f"*-{version()}.parquet"))
        cell = Cell.of(paths[0])
        lines = pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
        tables.append(by_cell(lines.assign(population=folder.name, learner=cell.learner, n=cell.n)))
    if not tables:
        raise FileNotFoundError(f"{cache} holds no shard of the coverage study")
    return pd.concat(tables).sort_values(["estimate", "method", "population", "learner", "n"], ignore_index=True)


def with_covers(lines: pd.DataFrame) -> pd.DataFrame:
    """The lines with a column that says whether the interval holds the truth."""
    return lines.assign(covers=(lines["low"] <= lines["truth"] + 1e-12) & (lines["truth"] <= lines["high"] + 1e-12))


def by_cell(lines: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the estimate's target and of g, relative width, and undercoverage beyond chance, for each cell."""
    lines = with_covers(lines).assign(
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
    cells["under"] = under(cells)
    cells["task"] = np.where(cells.index.get_level_values("population").isin(NUMBERS), "numbers", "classes")
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


def write(cells: pd.DataFrame) -> None:
    """The table of all cells, and from it the page and its picture."""
    cells[_COLUMNS].to_csv(TABLE, index=False, float_format="%.4f", lineterminator="\n")
    PAGE.write_text(written(), encoding="utf-8")
    draw(pd.read_csv(TABLE), PICTURE)


def written() -> str:
    """The page that belongs to the table: what it says can be made again without a shard."""
    cells = pd.read_csv(TABLE)
    return "\n".join(_page(cells.assign(under=under(cells)), pd.read_csv(BEFORE, comment="#"))) + "\n"


def _page(cells: pd.DataFrame, before: pd.DataFrame) -> Iterator[str]:
    sizes = ", ".join(str(n) for n in sorted(cells["n"].unique()))
    yield "# Coverage: how often each interval holds its target\n"
    populations, complete = cells["population"].nunique(), cells.groupby(["population", "learner", "n"]).ngroups
    every = populations * 2 * cells["n"].nunique()
    yield (
        f"Made by `studies/coverage.py`: {populations} finite populations, a stable and an unstable "
        f"learner, n = {sizes}, {complete} of these {every} cells. A cell has {_samples(cells)}, drawn with "
        f"replacement; the level is {LEVEL:g}. "
        "The truth is the mean loss, over the whole population, of the hypotheses that the estimate is about. "
        "*least* is the coverage in the worst cell; *under* is the mean over cells of max(0, level - coverage), minus "
        "the expected value by chance alone; *width* is the mean width divided by the standard deviation of the "
        "estimate (an oracle has 3.92); *of g* is how often the interval covers the error of the model retrained on "
        "all rows, which no interval claims. The default is in bold. Every cell is in [coverage.csv](coverage.csv).\n"
    )
    yield (
        f"{', '.join(f'`{method.name}`' for method in METHODS)} are not in the package: they are measured here, and "
        "live in `studies/intervals` ([decision 67](decisions/0067-intervals-that-left.md)).\n"
    )
    yield from next_to_others(cells)
    both = compared(cells, before)
    yield from before_and_after(both)
    yield from short(both)
    yield from wider(both)
    yield from beyond()
    yield from hard()
    lines = summary(cells)
    fits = {method.name: FURTHER_FITS[method.needs] for method in EVERY}
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
            for row in _rows(shown.sort_values(["relative", "method"])):
                name = f"**{row.method}**" if row.method == bold else row.method
                width = f"{row.relative:.2f}" if np.isfinite(row.relative) else "one-sided"
                yield (
                    f"| {name} | {row.cells} | {row.mean:.3f} | {row.least:.3f} | {max(row.under, 0):.3f} | {width} "
                    f"| {row.of_g:.3f} | {fits.get(row.method, '0')} |"
                )
            yield ""


def next_to_others(cells: pd.DataFrame) -> Iterator[str]:
    """The picture, and who gives which interval."""
    of_folds = cells[cells["estimate"] == "E_cv"]
    ours = defaults(of_folds)["covers"]
    kept = {name: of_folds[of_folds["method"] == name]["covers"] for name in ("Bayle all pairs", "corrected t")}
    least = LEVEL - SHORT
    yield "## Next to what others give\n"
    says = "Coverage of our intervals and those of others, the worst cell of each named"
    yield f"[![{says}]({PICTURE.name})]({PICTURE.name})\n"  # a click shows it alone, and larger
    yield (
        "A dot is a cell, `|` the mean over cells, the ring the worst cell, an arrow a worst cell left of the axis, "
        "and the dashed line the level. Ours are blue. *width* is that of the tables below. For `E_cv` ours covers at "
        f"least {least:g} in {(ours >= least).sum()} of {len(ours)} cells, a naive z interval in "
        f"{(kept['Bayle all pairs'] >= least).sum()}, and the corrected t in {(kept['corrected t'] >= least).sum()}. "
        "`nested` and `conservative z` take 45 and 300 further fits, and so were measured in few cells.\n"
    )
    yield (
        "**mlr3inferr** gives five intervals. We made these methods after the same papers, and did not run the R "
        "package. `ci.wald_cv` is the naive z interval: z times the standard deviation of all losses over √n. "
        "`ci.cor_t` is the corrected t of Nadeau and Bengio, about the mean error of its subsamples; ours has 25 of "
        "them, and is about `E_cv`. `ci.con_z` is their conservative z. `ci.ncv` is the nested interval, which unless "
        "told otherwise also shifts the estimate towards the model retrained on all rows; here it does not. "
        "`ci.holdout` takes z where the line has t, which is wider: so it holds no more often than that line.\n"
    )
    yield (
        "**MAPIE** answers other questions. Its prediction intervals hold the label of a row ([how often]"
        "(method.md#prediction-sets)). Its risk control chooses a threshold by one-sided bounds of a risk on held-out "
        "rows, after Hoeffding, Bernstein or Waudby-Smith and Ramdas; the lines `Hoeffding` and `betting` are the "
        "two-sided intervals of the first and the last. **scikit-learn** gives the errors of the folds without an "
        "interval. The table of mlr3inferr's methods has none for `E_2cv` or the disagreement: these have no panel.\n"
    )


def beyond() -> Iterator[str]:
    """What the populations of the page do not show: deep trees on few distinct rows, and heavier tails."""
    cells, marks = (pd.read_csv(OTHERS / f"{name}.csv") for name in ("discrete_cells", "credible"))
    yield "## What these populations do not show\n"
    least = cells.sort_values("ours").iloc[0]
    yield (
        f"**Deep trees on tables of few distinct rows.** `corrected Wilson` covers {least['ours']:.3f} "
        f"({least['low']:.3f} to {least['high']:.3f}) in the worst of {len(cells)} tables of 12 or 81 cells, below the "
        "least of the populations above. There each cell's label is a coin toss; where the cells' shares of a class "
        "differ it covers .916 to .959. A held-out label is missing from the vote of its own cell, so that the losses "
        "of rows that train each other's trees rise together: the variance of `E_cv` is up to 2.3 times that of "
        "independent losses, and the correction takes it to be 1.3 to 1.4 times that. Errors of subsamples of one "
        "table do not show the rest, since they share its votes, and a further variance for every learner would widen "
        "the intervals that hold. So read the interval as .87 to .90 where many rows are equal in all features, the "
        "learner is deep, and its error is near that of a guess. The table is in "
        "[discrete_cells](studies/discrete_cells.md).\n"
    )
    yield (
        "**Losses that few rows carry.** Squared losses of skewed targets have heavier tails than those above: 95 % "
        "intervals cover .34 to .90 there, and no interval can hold for all of them. They are "
        "[marked](method.md#intervals-that-are-not-credible), `?` in the tables. How often intervals without a mark "
        "hold, over 50 to 1000 rows, and how seldom the mark comes where losses have light tails:\n"
    )
    yield "| | wanted | measured | |"
    yield "|---|---|---|---|"
    for line in _rows(marks):
        ours = f"{float(line.ours):.3f} ({line.low:.3f} to {line.high:.3f})"
        yield f"| {_plain(line.finding)} | {line.published} | {ours} | {line.verdict.partition(': ')[2]} |"
    yield (
        "\nWhere one row in a hundred is an outlier, .37 of the samples of 100 rows hold none, and look like samples "
        "without outliers: no rule that leaves nine in ten of these unmarked can mark the others. So in few rows the "
        "promise fails in the cells that are counted above.\n"
    )
    yield "![Coverage without a mark, and marked runs](studies/credible.png)\n"


def hard() -> Iterator[str]:
    """The cells of `studies.hard_cells`, and what falls short beyond them."""
    lines = pd.read_csv(OTHERS / "hard_cells.csv", dtype=str).set_index("finding")
    yield "## A rare class, costs, weights, groups and time\n"
    yield (
        "Coverage of the default intervals that are shown without a mark, and in brackets the share of runs without a "
        "mark, by `heldout.validate` as it ships, two candidates together "
        "([hard_cells](studies/hard_cells.md)). Wanted is .92 or more.\n"
    )
    yield "| rows | E_val | E_cv | E_prog |"
    yield "|---|---|---|---|"
    for name in CELLS:
        found = [lines.loc[key] for one in HARD if (key := f"hard-{one}-{slug(name)}") in lines.index]
        if found:
            named = {str(line.name).split("-")[1]: _unmarked(line) for line in found}
            yield f"| {name} | {' | '.join(named.get(one, '') for one in HARD)} |"
    yield (
        "\nWhat stays short without a mark, and why these rows cannot tell:\n\n"
        "- **Errors in long runs** (0/1 losses, AR(.97) labels): `E_cv` covers .84 with 120 rows and .91 with 300; so "
        "few rows hold one or two runs. `E_val` .89 with 120 and 300 rows.\n"
        "- **Numbers with AR(.9) and AR(.97) noise, 200 rows**: of the few intervals of `E_cv` without a mark .68 and "
        ".36 hold. In these runs the noise did not turn within the rows, and nothing shows how long it is.\n"
        "- **1 % of outliers, and a target that is 0 in 90 %**: the runs without a mark hold none or few of the large "
        "losses, as is said above.\n"
        "- **Balanced error of four classes**, the rarest 5 % of 300 rows: `E_prog` covers .90.\n"
        "- **Leave-one-out of a learner that follows the shares of the classes**: .86; each held-out row moves the "
        "answer against itself, and no interval of these losses can show it.\n"
        "- **Rows with weights**: .91 to .99 where the errors lie on the light or on the heavy rows, from 40 rows on, "
        "`E_prog` in time and rows drawn with known probabilities (50 draws) the lowest. Lognormal weights with a "
        "sigma of 2 and more: .85 to .99, mostly marked.\n"
        "- **R² with skewed noise**: .71 to .87 (60 to 300 rows); heavy tails, as above. **F1** of 15 rows of the "
        "class: differences cover .89 to .92.\n"
        "- **Two candidates one of which costs twice as much** are seldom told apart with five rows of the dear class: "
        "no interval that keeps its level can.\n"
    )


def _unmarked(line: Any) -> str:
    """The coverage of the intervals without a mark, and the share of runs that have one."""
    counted = re.search(r"(\d+) of (\d+) intervals", line["verdict"])
    if counted is None:
        raise ValueError(f"docs/studies/hard_cells.csv: {line['verdict']!r} does not count intervals")
    share = f"({int(counted[1]) / int(counted[2]):.2f})"
    return share if pd.isna(line["low"]) else f"{float(line['ours']):.3f} {share}"


def _plain(finding: str) -> str:
    """`credible-unmarked-E_cv-new` in words."""
    _, kind, *rest = finding.split("-")
    words = {
        "unmarked": "of intervals without a mark, cover",
        "wrong": "of all runs, without a mark and wrong",
        "short": "of cells below .90, marked",
        "light": "of runs with light tails, marked at most",
    }
    of = " ".join(word for word in rest if word != "new")
    return f"{of}: {words.get(kind, kind)}{', nine new designs' if 'new' in rest else ''}"


def _samples(cells: pd.DataFrame) -> str:
    """The number of samples in a cell, or their range: the least sampled cell counts."""
    least, most = int(cells["samples"].min()), int(cells["samples"].max())
    return f"{least} samples" if least == most else f"{least} (the least sampled cell) to {most} samples"


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return table.itertuples()


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
    draw(pd.read_csv(TABLE), PICTURE)
