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
from studies.coverage_picture import DARK, draw
from studies.hard_cells import CELLS, slug
from studies.intervals import EVERY, METHODS
from studies.judgements import LEVEL, Cell, version
from studies.populations import NUMBERS

PAGE, TABLE = Path("docs/coverage.md"), Path("docs/coverage.csv")
PICTURE, IN_THE_DARK = Path("docs/coverage.png"), Path("docs/coverage_dark.png")
SHORT = 0.03  # a cell is listed if its coverage is below LEVEL - SHORT
ORDER = ("E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "half models")
TASKS = ("classes", "numbers")
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
    cells["task"] = np.where(cells.index.get_level_values("population").isin(NUMBERS), "numbers", "classes")
    return cells.reset_index()


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """One line for each estimate, kind of task and method."""
    lines = cells.groupby(["estimate", "task", "method"], observed=True).agg(
        cells=("covers", "size"),
        mean=("covers", "mean"),
        least=("covers", "min"),
        relative=("relative", "mean"),
        of_g=("covers_g", "mean"),
    )
    return lines.reset_index()


def text(cells: pd.DataFrame) -> str:
    """The summary for a terminal."""
    return summary(cells).round(4).to_string(index=False)


def defaults(cells: pd.DataFrame) -> pd.DataFrame:
    """The lines of today's defaults, and what the half models err at least."""
    named = {
        (estimate, task): method.name
        for estimate, default in DEFAULTS.items()
        for task, method in (("classes", default.zero_one), ("numbers", default.other))
    }
    wanted = [named.get(one, "least mean error") for one in zip(cells["estimate"], cells["task"], strict=True)]
    return cells[cells["method"] == np.array(wanted)]


def with_errors(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with the standard error of their coverage, `error`."""
    # a share of 0 or 1 has a spread too: that of one more sample of each kind
    share = (cells["covers"] * cells["samples"] + 1) / (cells["samples"] + 2)
    return cells.assign(error=np.sqrt(share * (1 - share) / cells["samples"]))


def write(cells: pd.DataFrame) -> None:
    """The table of all cells, and from it the page and its picture."""
    cells[_COLUMNS].to_csv(TABLE, index=False, float_format="%.4f", lineterminator="\n")
    write_page()


def write_page() -> None:
    """The page and its pictures, from the table of all cells."""
    PAGE.write_text(written(), encoding="utf-8")
    draw(pd.read_csv(TABLE), PICTURE)
    draw(pd.read_csv(TABLE), IN_THE_DARK, DARK)


def written() -> str:
    """The page that belongs to the table: what it says can be made again without a shard."""
    return "\n".join(_page(pd.read_csv(TABLE))) + "\n"


def _page(cells: pd.DataFrame) -> Iterator[str]:
    sizes = ", ".join(str(n) for n in sorted(cells["n"].unique()))
    ours = with_errors(defaults(cells))
    kept = ours[ours["estimate"] == "E_cv"]["covers"] >= LEVEL - SHORT
    yield "# Coverage: how often each interval contains its target\n"
    yield (
        "A 95 % interval should contain the true error in 95 % of samples. We measured it on "
        f"{cells['population'].nunique()} populations whose true errors are known, with a stable and an unstable "
        f"learner and {sizes} rows: {cells.groupby(['population', 'learner', 'n']).ngroups} cells of "
        f"{_samples(cells)}. For `E_cv` our default contained it at least {LEVEL - SHORT:g} of the time in "
        f"{kept.sum()} of {len(kept)} cells.\n"
    )
    yield (
        "The truth is the mean loss, over the whole population, of the models that the estimate is about (its "
        "[target](method.md)). *Least* is the coverage in the worst cell; *width* is the mean width in standard "
        "deviations of the estimate, where an interval that knows the normal distribution has 3.92. Every "
        "cell is in [coverage.csv](coverage.csv); `python -m studies coverage --data FOLDER` makes it.\n"
    )
    yield from next_to_others(cells)
    yield from own_and_final()
    yield from short(ours)
    yield from beyond()
    yield from hard()
    yield from by_method(cells)


def next_to_others(cells: pd.DataFrame) -> Iterator[str]:
    """The picture, and who gives which interval."""
    of_folds = cells[cells["estimate"] == "E_cv"]
    kept = {name: of_folds[of_folds["method"] == name]["covers"] for name in ("Bayle all pairs", "corrected t")}
    naive, corrected = ((covers >= LEVEL - SHORT).sum() for covers in kept.values())
    yield "## Next to what others give\n"
    says = "Coverage of our intervals and those of others, the worst cell of each named"
    yield f'<a href="{PICTURE.name}">\n<picture>'  # a click shows it alone, and larger
    yield f'<source media="(prefers-color-scheme: dark)" srcset="{IN_THE_DARK.name}">'
    yield f'<img alt="{says}" src="{PICTURE.name}">\n</picture>\n</a>\n'
    yield (
        "A dot is a cell, `|` the mean, the ring the worst cell, an arrow a worst cell left of the axis, the dashed "
        f"line the level; ours are blue. For `E_cv` a naive z interval reached {LEVEL - SHORT:g} in {naive} cells, the "
        f"corrected t in {corrected}. `nested` and `conservative z` take 45 and 300 further fits, and were measured in "
        "few cells.\n"
    )
    yield (
        "We made the methods of **mlr3inferr** after the same papers, and did not run the R package: `ci.wald_cv` is "
        "the naive z interval, `ci.cor_t` the corrected t of Nadeau and Bengio, `ci.con_z` their conservative z, "
        "`ci.ncv` the nested interval (here without its shift towards the retrained model), `ci.holdout` takes z "
        "where ours has t. **MAPIE**'s prediction intervals contain the label of a row ([prediction sets]"
        "(intervals.md#prediction-sets)); its risk control uses one-sided bounds after Hoeffding or betting, whose "
        "two-sided intervals are shown. **scikit-learn** gives no interval.\n"
    )


def own_and_final() -> Iterator[str]:
    """The pictures of `studies.method_pictures`."""
    yield "## The estimate's own target, and the model retrained on all rows\n"
    yield (
        "Coverage of the default interval against the number of rows: of the error of the estimate's own target, and "
        "of that of g, the model retrained on all rows, which no interval claims. A line is the median over "
        "populations and learners, the band goes from the lowest to the highest. The gap between the lines is the "
        "price of reading the estimate as the error of g. A disagreement is no error: its second line is how often the "
        "least error of the half models lay below their error in the population.\n"
    )
    for estimate in ORDER[:-1]:
        yield f"![Coverage of {estimate} against the number of rows](method/{estimate}.png)\n"


def short(ours: pd.DataFrame) -> Iterator[str]:
    """The cells in which a default covers less than LEVEL - SHORT, and why."""
    least = LEVEL - SHORT
    lines = ours[ours["covers"] < least]
    yield f"## Cells in which a default covers less than {least:g}\n"
    yield f"{len(lines)} of {len(ours)}; *se* is the standard error."
    yield "What to do there: [where no interval holds](intervals.md#where-no-interval-holds).\n"
    yield "| estimate | method | population | learner | rows: coverage (se) | what holds it there |"
    yield "|---|---|---|---|---|---|"
    for (estimate, method, population, learner), same in lines.groupby(["estimate", "method", "population", "learner"]):
        shown = ", ".join(f"{row.n}: {row.covers:.3f} ({row.error:.3f})" for row in _rows(same))
        if (same["task"] == "numbers").all():
            reason = "heavy tails"
        elif (same["covers"] + 2 * same["error"] >= least).all():
            reason = f"perhaps chance: {least:g} is within two standard errors"
        else:
            reason = "not known"
        yield f"| `{estimate}` | {method} | {str(population).replace('_', ' ')} | {learner} | {shown} | {reason} |"
    yield ""


def beyond() -> Iterator[str]:
    """What the populations of the page do not show: deep trees on few distinct rows, and heavier tails."""
    cells, marks = (pd.read_csv(OTHERS / f"{name}.csv") for name in ("discrete_cells", "credible"))
    worst = cells.sort_values("ours").iloc[0]
    yield "## What these populations do not show\n"
    yield (
        f"**Deep trees on tables of few distinct rows.** `corrected Wilson` covers {worst['ours']:.3f} "
        f"({worst['low']:.3f} to {worst['high']:.3f}) in the worst of {len(cells)} tables of 12 or 81 distinct rows, "
        "one whose labels are coin tosses: rows of one kind err together, and nothing in one table shows how much. "
        "Read the interval as .87 to .90 where many rows are equal in all features, the learner is deep, and its error "
        "is near that of a guess ([study](studies/discrete_cells.md)).\n"
    )
    yield (
        "**Losses that few rows carry.** Squared losses of skewed targets have heavier tails than those above: 95 % "
        "intervals cover .34 to .90 there, and no interval can hold for all of them. They are "
        "[marked](intervals.md#intervals-that-are-not-credible), `?` in the tables. How often intervals without a mark "
        "hold, over 50 to 1000 rows; the new designs are nine distributions that were not used to find the rule "
        "([study](studies/credible.md)):\n"
    )
    yield "| | without a mark, cover | of all runs, without a mark and wrong | new designs: cover | wrong |"
    yield "|---|---|---|---|---|"
    ours = marks.set_index("finding")["ours"].astype(float)
    for one in ("E_val", "E_cv", "E_prog", "E_2cv", "difference-alike", "difference-unlike"):
        parts = [f"credible-{kind}-{one}{new}" for new in ("", "-new") for kind in ("unmarked", "wrong")]
        yield f"| {one.replace('-', ' ')} | {' | '.join(f'{ours[part]:.3f}' for part in parts)} |"
    yield (
        "\nWhere one row in a hundred is an outlier, .37 of the samples of 100 rows hold none, and look like samples "
        "without outliers: **no mark can see what the sample lacks**.\n"
    )


def hard() -> Iterator[str]:
    """The cells of `studies.hard_cells`, and what falls short beyond them."""
    lines = pd.read_csv(OTHERS / "hard_cells.csv", dtype=str, keep_default_na=False).set_index("finding")
    yield "## A rare class, costs, weights, groups and time\n"
    found = {name: _of_kind(lines, name) for name in CELLS}
    found = {name: of for name, of in found.items() if of}
    least = LEVEL - SHORT
    failed = {name: of for name, of in found.items() if any(covers < least for covers, _ in of.values())}
    yield (
        "Coverage of the default intervals that are shown without a mark, by `heldout.validate` as it ships "
        f"([study](studies/hard_cells.md)). In {len(found) - len(failed)} of {len(found)} kinds of rows each covers at "
        f"least {least:g}. The others, in brackets the share of runs without a mark:\n"
    )
    yield "| rows | E_val | E_cv | E_prog |"
    yield "|---|---|---|---|"
    for name, of in failed.items():
        shown = (f"{of[one][0]:.3f} ({of[one][1]:.2f})" if one in of else "" for one in HARD)
        yield f"| {name} | {' | '.join(shown)} |"
    yield (
        "\nWhat else stays short without a mark:\n\n"
        "- **Errors in long runs** (0/1 losses, AR(.97) labels): `E_cv` .84 with 120 rows, .91 with 300; so few rows "
        "hold one or two runs.\n"
        "- **Balanced error of four classes**, the rarest 5 % of 300 rows: `E_prog` .90.\n"
        "- **Leave-one-out of a learner that follows the shares of the classes**: .86; each held-out row moves the "
        "answer against itself.\n"
        "- **Rows with weights**: .91 to .99 from 40 rows on; lognormal weights with a sigma of 2 and more: .85 to "
        ".99, mostly marked.\n"
        "- **R² with skewed noise**: .71 to .87 (60 to 300 rows). **F1** of 15 rows of the class: differences .89 to "
        ".92.\n"
    )


def _of_kind(lines: pd.DataFrame, name: str) -> dict[str, tuple[float, float]]:
    """Of each estimate, the coverage of the intervals without a mark, and the share of runs without one."""
    of = {}
    for one in HARD:
        key = f"hard-{one}-{slug(name)}"
        if key not in lines.index or not lines.at[key, "low"]:
            continue
        counted = re.search(r"(\d+) of (\d+) intervals", str(lines.at[key, "verdict"]))
        if counted is None:
            raise ValueError(f"docs/studies/hard_cells.csv: {key} does not count intervals")
        of[one] = float(str(lines.at[key, "ours"])), int(counted[1]) / int(counted[2])
    return of


def by_method(cells: pd.DataFrame) -> Iterator[str]:
    """A table for each estimate, a line for each method."""
    lines = summary(cells)
    fits = {method.name: FURTHER_FITS[method.needs] for method in EVERY}
    yield "## Every method\n"
    yield (
        "The default is in bold; the narrowest come first; *of g* is how often the interval contains the error of g. A "
        "method that was measured in fewer cells has their number. "
        f"{', '.join(f'`{method.name}`' for method in METHODS)} are not in the package, but in `studies/intervals` "
        "([decision 67](decisions/0067-intervals-that-left.md)).\n"
    )
    for estimate in ORDER:
        for task in TASKS:
            shown = lines[(lines["estimate"] == estimate) & (lines["task"] == task)]
            if shown.empty:
                continue
            default = DEFAULTS.get(estimate)
            bold = None if default is None else (default.zero_one if task == "classes" else default.other).name
            every = shown["cells"].max()
            yield f"### {estimate}, {task}: {every} cells\n"
            yield "| method | coverage | least | width | of g | further fits |"
            yield "|---|---|---|---|---|---|"
            for row in _rows(shown.sort_values(["relative", "method"])):
                name = f"**{row.method}**" if row.method == bold else row.method
                few = "" if row.cells == every else f" ({row.cells} cells)"
                width = f"{row.relative:.2f}" if np.isfinite(row.relative) else "one-sided"
                yield (
                    f"| {name}{few} | {row.mean:.3f} | {row.least:.3f} | {width} | {row.of_g:.3f} "
                    f"| {fits.get(row.method, '0')} |"
                )
            yield ""


def _samples(cells: pd.DataFrame) -> str:
    """The number of samples in a cell, or their range: the least sampled cell counts."""
    least, most = int(cells["samples"].min()), int(cells["samples"].max())
    return f"{least} samples" if least == most else f"{least} to {most} samples"


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return table.itertuples()


if __name__ == "__main__":
    write_page()
