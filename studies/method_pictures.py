"""docs/method.md: its pictures, from the shards of the coverage study, and its three tables of intervals.

python -m studies.method_pictures [CACHE]     # CACHE is where the study keeps its shards
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from heldout import resampling
from heldout.intervals import DEFAULTS, METHODS, dependent
from heldout.intervals.method import IntervalMethod
from heldout.losses import SQUARED, ZERO_ONE
from studies import coverage_page

PAGE, PICTURES = Path("docs/method.md"), Path("docs/method")
OWN, OF_G = "its own target", "g, retrained on all rows"
# the lines of each picture: estimate, column of `coverage_page.by_cell`, name in the legend
LINES = {
    **{name: ((name, "covers", OWN), (name, "covers_g", OF_G)) for name in ("E_val", "E_cv", "E_prog", "E_2cv")},
    # a disagreement is no error, so that g has none to be covered
    "disagreement": (("disagreement", "covers", OWN), ("E_dis", "covers", "E_dis: lower limit below the error")),
}
TASKS = ("classes", "numbers")
FITS = {
    None: "none",
    "subsamples": f"{resampling.SUBSAMPLES}",
    "repeated_folds": f"{resampling.REPEATS - 1} k",
    "half_subsamples": f"{2 * resampling.HALVINGS * resampling.HALF_SUBSAMPLES}",
    "fold_pairs": "k (k - 1) / 2",
}


def default(estimate: str, task: str) -> IntervalMethod:
    """The default interval method of an estimate, for classes or for numbers."""
    return DEFAULTS[estimate].zero_one if task == "classes" else DEFAULTS[estimate].other


def methods_table() -> Iterator[str]:
    """A line for each interval method, in the order of METHODS."""
    yield "| method | covers, and under which assumption | losses | validity | further fits |"
    yield "|---|---|---|---|---|"
    for method in METHODS:
        together: dict[str, list[str]] = {}
        for estimate, assumption in method.covers.items():
            together.setdefault(assumption, []).append(f"`{estimate}`")
        covers = "<br>".join(f"{', '.join(names)}: {assumption}" for assumption, names in together.items())
        yield f"| {method.name} | {covers} | {method.losses} | {method.validity} | {FITS[method.needs]} |"


def defaults_table() -> Iterator[str]:
    """A line for all estimates that share their defaults, in the order of DEFAULTS."""
    yield "| estimate | classes | why | numbers | why |"
    yield "|---|---|---|---|---|"
    together: dict[tuple[str, str, str, str], list[str]] = {}
    for estimate, chosen in DEFAULTS.items():
        cells = chosen.zero_one.name, chosen.why_zero_one, chosen.other.name, chosen.why_other
        together.setdefault(cells, []).append(f"`{estimate}`")
    for shared, names in together.items():
        yield f"| {' | '.join([', '.join(names), *shared])} |"


def dependent_table() -> Iterator[str]:
    """A line for each way in which rows depend, and each estimate that has an interval then."""
    yield "| rows depend by | estimate | classes | numbers |"
    yield "|---|---|---|---|"
    for kind, valid in dependent.VALID.items():
        for estimate, methods in valid.items():
            cells = [", ".join(one.name for one in methods if one.admits(loss)) for loss in (ZERO_ONE, SQUARED)]
            yield f"| {kind} | `{estimate}` | {cells[0]} | {cells[1]} |"


TABLES = {"methods": methods_table, "defaults": defaults_table, "dependent": dependent_table}


def with_tables(page: str) -> str:
    """The page, with each table between its two marks made anew."""
    for name, table in TABLES.items():
        first, last = f"<!-- {name}: made by studies/method_pictures.py -->\n\n", f"\n\n<!-- end of {name} -->"
        if page.count(first) != 1 or page.count(last) != 1:
            raise ValueError(f"{PAGE} needs the marks {first.strip()} and {last.strip()}, once each")
        page = page[: page.index(first) + len(first)] + "\n".join(table()) + page[page.index(last) :]
    return page


def draw(cells: Any, estimate: str, path: Path) -> None:
    """Coverage against n: median over populations and learners, in the band from the least to the greatest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 2.6), layout="constrained")
    panels = figure.subplots(1, len(TASKS), sharey=True)
    lowest = coverage_page.LEVEL
    for axes, task in zip(panels, TASKS, strict=True):
        for place, (name, column, label) in enumerate(LINES[estimate]):
            method = "lower limit" if name == "E_dis" else default(name, task).name
            own = cells[(cells["estimate"] == name) & (cells["task"] == task) & (cells["method"] == method)]
            found = own.groupby("n")[column].agg(["median", "min", "max"])
            lowest = min([lowest, *found["min"]])
            style = {"color": f"C{place}", "lw": 0}
            axes.fill_between(found.index, found["min"], found["max"], alpha=0.18, **style)
            axes.vlines(found.index, found["min"], found["max"], color=f"C{place}", lw=0.8, alpha=0.5)
            axes.plot(found.index, found["median"], "-o", color=f"C{place}", ms=3.5, lw=1.6, label=label)
        sizes = sorted(cells["n"].unique())
        axes.set_xscale("log")
        axes.set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
        axes.set_xticks(sizes, [str(n) for n in sizes])
        axes.minorticks_off()
        axes.axhline(coverage_page.LEVEL, color="0.4", lw=0.8, ls="--", zorder=0)
        axes.set_title(f"{task}: {default(estimate, task).name}", fontsize=9, loc="left")
        axes.set_xlabel("labelled rows n", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylim(max(0, 0.1 * int(10 * lowest) - 0.02), 1.01)
    panels[0].set_ylabel(f"coverage of {estimate}", fontsize=8)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False
    )
    figure.savefig(path, dpi=100, metadata={"Software": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw every picture, and bring the tables up to date."""
    from studies.coverage import CACHE

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path, nargs="?", default=CACHE, help="folder of the study's shards")
    cache = parser.parse_args(arguments).cache
    if not any(cache.glob("*/*/*/*.parquet")):
        parser.error(f"{cache} holds no shard of the coverage study; name its folder")
    cells = coverage_page.by_cell(coverage_page.read(cache))
    PICTURES.mkdir(parents=True, exist_ok=True)
    for estimate in LINES:
        draw(cells, estimate, PICTURES / f"{estimate}.png")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
