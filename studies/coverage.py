"""How often does each interval cover its target? docs/coverage.md has every table.

For every population, learner and sample size, samples are drawn, and every estimate is made with every admissible
interval. The truth is the mean loss, over the whole population, of the hypotheses that the estimate is about. A finding
is the coverage of the shipped interval, the mean over all cells.

The observations are stored below `.cache/studies/coverage-2`, and are used again when an interval changes.
`python -m studies.coverage --page` writes docs/coverage.* and docs/method/*.png from the stored observations.
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from heldout.estimates.methods import DEFAULTS
from studies import coverage_page
from studies.coverage_samples import observe_all
from studies.judgements import LEVEL, Cell, judge, judge_stored, judgement, write
from studies.populations import REAL, SIMULATED
from studies.study import Finding, Record

SEED, NEEDS_DATA = 0, True  # a sample is drawn by its cell and number
SIZES = (50, 100, 200, 500, 1000)
REPEATS, SHARD = 300, 100  # samples in a cell, and in a shard
CACHE = Path(".cache/studies/coverage-2")  # 2: with the shipped number of halvings
QUICK_CELL, QUICK_SAMPLES, QUICK_SHARD = Cell("interaction", "stable", 100), 40, 20
QUICK_CACHE = Path(".cache/studies/coverage-2-quick")
LEARNERS = ("stable", "unstable")


@dataclass(frozen=True)
class Shard:
    """Samples of a cell, counted from `number` times `samples`."""

    cell: Cell
    number: int
    samples: int


def units(quick: bool) -> Sequence[Shard]:
    """The shards of all cells, the first of each cell first."""
    if quick:
        return [Shard(QUICK_CELL, number, QUICK_SHARD) for number in range(QUICK_SAMPLES // QUICK_SHARD)]
    wanted = list(cells([*REAL, *SIMULATED], SIZES))
    return [Shard(cell, number, SHARD) for number in range(REPEATS // SHARD) for cell in wanted]


def measure(unit: Shard, data: Path | None) -> list[Record]:
    """For each estimate and interval, how many of the shard's samples it covers."""
    cache = CACHE if unit.samples == SHARD else QUICK_CACHE
    lines = pd.read_parquet(run_shard(unit.cell, unit.number, unit.samples, data, cache))
    task = "numbers" if unit.cell.numbers else "classes"
    by_method = coverage_page.with_covers(lines).groupby(["estimate", "method"], observed=True)["covers"]
    counts = by_method.agg(samples="size", covered="sum").reset_index()
    records = counts.assign(cell=str(unit.cell), task=task).astype(object).to_dict("records")
    return [{str(name): value for name, value in record.items()} for record in records]


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean coverage of each shipped interval over the cells, and its interval from independent samples."""
    found = []
    for estimate, default in DEFAULTS.items():
        for task, method in (("classes", default.zero_one), ("numbers", default.other)):
            own = results.query("estimate == @estimate and task == @task and method == @method.name")
            if own.empty:
                continue
            of_cell = own.groupby("cell")[["samples", "covered"]].sum().astype(float)
            share = of_cell["covered"] / of_cell["samples"]
            spread = coverage_page.with_errors(of_cell.assign(covers=share))["error"]
            margin = float(stats.norm.ppf((1 + LEVEL) / 2) * np.sqrt((spread**2).sum()) / len(of_cell))
            mean, high = float(share.mean()), min(1, float(share.mean()) + margin)
            why = f"{method.name}, {len(of_cell)} cells, the least of them {share.min():.3f}"
            name = f"coverage-{estimate}-{task}"
            found.append(Finding(name, mean, high >= LEVEL, why, LEVEL, mean - margin, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: docs/coverage.png is that of docs/coverage.md (`studies.coverage_picture`)."""
    return {}


def cells(populations: Sequence[str], sizes: Sequence[int]) -> Iterator[Cell]:
    """All cells, small samples first."""
    for n in sizes:
        for name in populations:
            for learner in LEARNERS:
                yield Cell(name, learner, n)


def run_shard(cell: Cell, shard: int, samples: int, folder: Path | None, cache: Path) -> Path:
    """Observe the samples of one shard, and make every interval for them, unless that is stored; where it is."""
    observed = _path(cache, cell, shard, samples)
    if not observed.exists():
        write(observed, lambda part: np.savez_compressed(part, **observe_all(cell, shard, samples, folder)))
    if not judgement(observed).exists():
        judge(observed)
    return judgement(observed)


def _path(cache: Path, cell: Cell, shard: int, samples: int) -> Path:
    """Where a shard of observations is stored."""
    return cache / str(cell.n) / cell.learner / cell.population.replace(" ", "_") / f"{samples}x{shard:03d}.npz"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what the stored observations say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", action="store_true", help="write the page and the pictures from the stored shards")
    chosen = parser.parse_args(arguments)
    if chosen.page:
        from studies import method_pictures

        judge_stored(CACHE, chosen.workers)
        coverage_page.write(coverage_page.read(CACHE))
        method_pictures.main([])


if __name__ == "__main__":
    main()
