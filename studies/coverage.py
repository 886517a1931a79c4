"""How often each interval covers its target: docs/coverage.md and its picture.

For every population, learner and sample size, samples are drawn, and every estimate is made with every admissible
interval. The truth is the mean loss, over the whole population, of the hypotheses that the estimate is about.
Samples are stored in shards below `.cache/studies/coverage`; a second start makes only the missing shards.
    python -m studies.coverage --data FOLDER      # the whole study, hours; writes docs/coverage.*
    python -m studies.coverage --quick            # simulated populations, few repeats; prints a table
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from loky import get_reusable_executor
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from heldout import class_shares, covalidation
from heldout.design import Design, Evidence, cross_validated, half_losses, tested
from heldout.disagreement import pointwise_disagreement
from heldout.fitting import fit_and_test, predict, test
from heldout.intervals import METHODS, choose
from heldout.intervals.method import IntervalMethod
from heldout.losses import Loss
from heldout.observed import CrossValidated, RepeatedByRow, Tested, repeated_by_row
from heldout.partition import make_halves, make_partition, rarest_class
from heldout.schemes import SCHEMES, SchemeName
from heldout.seeds import fit_state
from studies.populations import REAL, SIMULATED, Population, population
from tasks.plans import budget

LEVEL = 0.95
FOLDS = 10
REPEATS, SHARD = 1000, 100  # samples in a cell, and in a shard
SIZES = (50, 100, 200, 500, 1000)
BLOCKS = 5  # progressive blocks in a sample
LEARNERS = ("stable", "unstable")
# expensive schemes, in some cells only: 20, 45 and 300 fits for each sample
REPEATED_AT = (50,)
PAIRS_IN = (("adult", 100), ("california_housing", 100), ("interaction", 100))
HALF_SUBSAMPLES_IN = (("adult", 100),)
CACHE = Path(".cache/studies/coverage-2")  # 2: with the shipped number of halvings
QUICK_CACHE, QUICK_SIZES, QUICK_REPEATS = Path(".cache/studies/coverage-2-quick"), (100,), 200


@dataclass(frozen=True)
class Cell:
    """One population, learner and sample size."""

    population: str
    learner: str
    n: int


def cells(populations: Sequence[str], sizes: Sequence[int]) -> Iterator[Cell]:
    """All cells, small samples first."""
    for n in sizes:
        for name in populations:
            for learner in LEARNERS:
                yield Cell(name, learner, n)


def halvings(n: int) -> int:
    """The repeats of co-validation that are shipped for so many rows."""
    return budget.efforts(budget.Table(n, test=0, unlabeled=n))[0].halvings


def run_shard(cell: Cell, shard: int, samples: int, folder: Path | None, cache: Path) -> None:
    """Observe the samples of one shard, unless they are stored, and make every interval for them."""
    observed = _path(cache, cell, shard, samples, "npz")
    if not observed.exists():
        _write(observed, lambda part: np.savez_compressed(part, **observe_all(cell, shard, samples, folder)))
    with np.load(observed) as arrays:
        lines = list(judge_all(cell, dict(arrays), folder))
    table = pd.DataFrame(lines).astype({"estimate": "category", "method": "category"})
    _write(_path(cache, cell, shard, samples, "parquet"), lambda part: table.to_parquet(part, index=False))


def observe_all(cell: Cell, shard: int, samples: int, folder: Path | None) -> dict[str, Any]:
    """The observations of each sample, and the truth: arrays whose first axis is the sample."""
    import sklearn
    from threadpoolctl import threadpool_limits

    whole = population(cell.population, folder)
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        observed = [observe(cell, whole, shard * samples + place) for place in range(samples)]
    return {name: np.stack([sample[name] for sample in observed]) for name in observed[0]}


def observe(cell: Cell, whole: Population, repeat: int) -> dict[str, Any]:
    """One sample: the losses of every scheme, and the true errors of their hypotheses."""
    from studies.learners import learner_of

    rng = np.random.default_rng([cell.n, repeat, *map(ord, cell.population + cell.learner)])
    rows = rng.integers(0, len(whole.y), cell.n)
    X, y, loss, learner = whole.X[rows], whole.y[rows], whole.loss, learner_of(cell.learner, whole.loss)
    unlabeled = whole.X[rng.integers(0, len(whole.y), cell.n)]
    parts = class_shares.strata(y, loss.of_classes)
    two = loss.of_classes and len(np.unique(y)) > 1 and class_shares.stratified(y, None)
    stratify = two and rarest_class(y)[1] >= FOLDS
    design = Design(
        y=y,
        loss=loss,
        partition=make_partition(
            parts, validation_fraction=0.2, folds=FOLDS, tested_fraction=0.5, stratify=stratify, seed=repeat
        ),
        halves=make_halves(parts, repeats=halvings(cell.n), stratify=stratify, seed=repeat),
        block=max(1, round(cell.n / 2 / BLOCKS)),
        stratify=stratify,
        seed=repeat,
        level=LEVEL,
        methods=choose(None, loss),
        estimates=(),
    )
    fitted = {
        scheme: [
            fit_and_test(learner, X, y, split, loss, fit_state(repeat, scheme, number))
            for number, split in enumerate(design.splits(scheme))
        ]
        for scheme in _schemes(cell)
    }
    evidence = Evidence({scheme: [fit.losses for fit in fits] for scheme, fits in fitted.items()})
    everywhere = np.arange(len(whole.y))

    def truth(scheme: SchemeName) -> float:
        errors = [test(fit.hypothesis, whole.X, whole.y, everywhere, loss).mean() for fit in fitted[scheme]]
        return float(np.average(errors, weights=[len(split.validation) for split in design.splits(scheme)]))

    tested_halves = half_losses(design, evidence.losses["covalidation"], on_training_half=False)
    table = repeated_by_row(tested_halves, loss, half=design.halves)
    disagreement, true_disagreement = _disagreement(fitted["covalidation"], unlabeled, whole, loss)
    folds = cross_validated(design, evidence)
    further = {
        name: getattr(folds, name)
        for name in ("subsample_errors", "tested_per_trained", "repeated_errors", "half_errors", "pair_losses")
        if getattr(folds, name) is not None
    }
    return {
        "E_val": tested(design, evidence, "holdout").losses,
        "E_cv": folds.losses,
        "fold": folds.fold,
        **further,
        "E_prog": tested(design, evidence, "progressive").losses,
        "E_2cv": table.by_repeat,
        "E_2cv variances": (table.row_variance, table.loss_variance, table.covariance),
        "disagreement": disagreement.by_repeat,
        "disagreement variances": (disagreement.row_variance, 0.0, 0.0),
        "true E_val": truth("holdout"),
        "true E_cv": truth("cross_validation"),
        "true E_prog": truth("progressive"),
        "true E_2cv": truth("covalidation"),
        "true disagreement": true_disagreement,
        "true g": truth("final"),
    }


def judge_all(cell: Cell, seen: Mapping[str, Any], folder: Path | None) -> Iterator[dict[str, Any]]:
    """A line for each sample, estimate and admissible interval: bounds, true error of the target, true error of g."""
    whole = population(cell.population, folder)
    loss = whole.loss
    names = ("subsample_errors", "repeated_errors", "half_errors", "pair_losses")
    for place in range(len(seen["true g"])):

        def margins(estimate: str, at: int = place) -> RepeatedByRow:
            of_rows, *of_training = seen[f"{estimate} variances"][at].tolist()
            return RepeatedByRow(seen[estimate][at], of_rows, cell.n, loss, at, *of_training)

        observed: dict[str, Any] = {
            "E_val": Tested(seen["E_val"][place], loss, place, pool=seen["E_cv"][place]),
            "E_cv": CrossValidated(
                seen["E_cv"][place],
                loss,
                place,
                fold=seen["fold"][place],
                tested_per_trained=float(seen["tested_per_trained"][place]),
                **{name: seen[name][place] for name in names if name in seen},
            ),
            "E_prog": Tested(seen["E_prog"][place], loss, place, pool=seen["E_cv"][place]),
            "E_2cv": margins("E_2cv"),
            "disagreement": margins("disagreement"),
        }
        for estimate, of in observed.items():
            for method in METHODS:
                if estimate in method.covers and method.admits(loss) and _possible(method, of):
                    interval = method.interval(estimate, of, LEVEL)
                    yield {
                        "sample": place,
                        "estimate": estimate,
                        "method": method.name,
                        "value": of.error,
                        "low": interval.low,
                        "high": interval.high,
                        "truth": float(seen[f"true {estimate}"][place]),
                        "final": float(seen["true g"][place]),
                    }
        disagreement = observed["disagreement"]
        yield {
            "sample": place,
            "estimate": "half models",
            "method": "least mean error",
            "value": covalidation.least_mean_error(disagreement.error, loss),
            "low": covalidation.least_half_error(disagreement, loss, LEVEL),
            "high": np.inf,
            "truth": float(seen["true E_2cv"][place]),
            "final": float(seen["true g"][place]),
        }


def _schemes(cell: Cell) -> list[SchemeName]:
    schemes: list[SchemeName] = ["final", "holdout", "cross_validation", "progressive", "covalidation", "subsamples"]
    if cell.n in REPEATED_AT:
        schemes.append("repeated_folds")
    if (cell.population, cell.n) in PAIRS_IN:
        schemes.append("fold_pairs")
    if (cell.population, cell.n) in HALF_SUBSAMPLES_IN:
        schemes.append("half_subsamples")
    return schemes


def _disagreement(halves: Sequence[Any], unlabeled: Any, whole: Population, loss: Loss) -> tuple[RepeatedByRow, float]:
    """The disagreement on the unlabelled sample, and on the whole population."""
    tables = []
    for X in (unlabeled, whole.X):
        predicted = [predict(half.hypothesis, X) for half in halves]
        tables.append(
            np.stack([pointwise_disagreement(a, b, loss) for a, b in zip(predicted[::2], predicted[1::2], strict=True)])
        )
    return repeated_by_row(tables[0], loss), float(tables[1].mean())


def _possible(method: IntervalMethod, seen: Any) -> bool:
    fits = method.needs is None or getattr(seen, str(SCHEMES[method.needs].evidence_field)) is not None
    return fits and seen.n >= method.least


def _path(cache: Path, cell: Cell, shard: int, samples: int, kind: str) -> Path:
    return cache / str(cell.n) / cell.learner / cell.population.replace(" ", "_") / f"{samples}x{shard:03d}.{kind}"


def _write(path: Path, write: Callable[[Path], Any]) -> None:
    """Write the file completely or not at all, also when the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{os.getpid()}-{path.name}")
    write(part)
    part.replace(path)


def run(
    wanted: Sequence[Cell], repeats: int, samples: int, folder: Path | None, workers: int, cache: Path = CACHE
) -> None:
    """Make every missing shard, the first of each cell first: a study that is stopped has as many samples in all."""
    todo = [
        (cell, shard)
        for shard in range(repeats // samples)
        for cell in wanted
        if not _path(cache, cell, shard, samples, "parquet").exists()
    ]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    pool = get_reusable_executor(max_workers=workers)
    with Progress(*columns) as progress:
        bar = progress.add_task("shards", total=len(todo))
        pending = {pool.submit(run_shard, cell, shard, samples, folder, cache) for cell, shard in todo}
        while pending:
            done = {future for future in pending if future.done()}
            for future in done:
                future.result()
                progress.advance(bar)
            pending -= done
            time.sleep(0.2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, and write or print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, help="folder of the real data sets; without it, only simulated populations"
    )
    parser.add_argument("--quick", action="store_true", help="simulated populations, n = 100, 200 samples in a cell")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", action="store_true", help="write the page from the stored shards")
    chosen = parser.parse_args(arguments)
    from studies import coverage_page

    if chosen.quick:
        run(list(cells(list(SIMULATED), QUICK_SIZES)), QUICK_REPEATS, QUICK_REPEATS, None, chosen.workers, QUICK_CACHE)
        print(coverage_page.text(coverage_page.by_cell(coverage_page.read(QUICK_CACHE))))
        return
    if not chosen.page:
        populations = [*(REAL if chosen.data else ()), *SIMULATED]
        run(list(cells(populations, SIZES)), REPEATS, SHARD, chosen.data, chosen.workers)
    coverage_page.write(CACHE)


if __name__ == "__main__":
    main()
