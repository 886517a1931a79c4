"""How often each interval covers its target: docs/coverage.md and its picture.

For every population, learner and sample size, samples are drawn, and every estimate is made with every admissible
interval. The truth is the mean loss, over the whole population, of the hypotheses that the estimate is about.
Samples are stored in shards below `.cache/studies/coverage-2`; a second start makes only the missing shards.
    python -m studies.coverage --data FOLDER      # the whole study, hours; writes docs/coverage.* and docs/method/*.png
    python -m studies.coverage --page             # the same from the shards that are stored, however many they are
    python -m studies.coverage --quick            # simulated populations, few repeats; prints a table
    python -m studies.coverage --fresh            # populations that no default was chosen by; prints the table of
                                                  # docs/decisions/0035
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heldout import class_shares
from heldout.design import Design, Evidence, cross_validated, half_losses, tested
from heldout.disagreement import pointwise_disagreement
from heldout.fitting import fit_and_test, predict, test
from heldout.intervals import choose
from heldout.losses import Loss
from heldout.observed import RepeatedByRow, repeated_by_row
from heldout.partition import make_halves, make_partition, rarest_class
from heldout.schemes import SchemeName
from heldout.seeds import fit_state
from studies.judgements import FURTHER, LEVEL, Cell, in_processes, judge, judge_stored, judgement, write
from studies.populations import FRESH, REAL, SIMULATED, Population, population
from tasks.plans import budget

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
FRESH_CACHE, FRESH_SIZES, FRESH_REPEATS, FRESH_SHARD = Path(".cache/studies/coverage-2-fresh"), (80,), 200, 50


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
    """Observe the samples of one shard, and make every interval for them, unless that is stored."""
    observed = _path(cache, cell, shard, samples)
    if not observed.exists():
        write(observed, lambda part: np.savez_compressed(part, **observe_all(cell, shard, samples, folder)))
    if not judgement(observed).exists():
        judge(observed)


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
        name: getattr(folds, name) for name in (*FURTHER, "tested_per_trained") if getattr(folds, name) is not None
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


def _path(cache: Path, cell: Cell, shard: int, samples: int) -> Path:
    """Where a shard of observations is stored."""
    return cache / str(cell.n) / cell.learner / cell.population.replace(" ", "_") / f"{samples}x{shard:03d}.npz"


def run(
    wanted: Sequence[Cell], repeats: int, samples: int, folder: Path | None, workers: int, cache: Path = CACHE
) -> None:
    """Make every missing shard, the first of each cell first: a study that is stopped has as many samples in all."""
    todo = [
        (cell, shard, samples, folder, cache)
        for shard in range(repeats // samples)
        for cell in wanted
        if not judgement(_path(cache, cell, shard, samples)).exists()
    ]
    in_processes(run_shard, todo, workers, "shards")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, and write or print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, help="folder of the real data sets; without it, only simulated populations"
    )
    parser.add_argument("--quick", action="store_true", help="simulated populations, n = 100, 200 samples in a cell")
    parser.add_argument("--fresh", action="store_true", help="other populations, n = 80, 200 samples in a cell")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", action="store_true", help="write the page and the pictures from the stored shards")
    chosen = parser.parse_args(arguments)
    from studies import coverage_changes, coverage_page, method_pictures

    if chosen.quick:
        run(list(cells(list(SIMULATED), QUICK_SIZES)), QUICK_REPEATS, QUICK_REPEATS, None, chosen.workers, QUICK_CACHE)
        print(coverage_page.text(coverage_page.read(QUICK_CACHE)))
        return
    if chosen.fresh:
        run(list(cells(list(FRESH), FRESH_SIZES)), FRESH_REPEATS, FRESH_SHARD, None, chosen.workers, FRESH_CACHE)
        print("\n".join(coverage_changes.same_samples(coverage_page.read(FRESH_CACHE))))
        return
    if not chosen.page:
        populations = [*(REAL if chosen.data else ()), *SIMULATED]
        run(list(cells(populations, SIZES)), REPEATS, SHARD, chosen.data, chosen.workers)
    judge_stored(CACHE, chosen.workers)
    found = coverage_page.read(CACHE)
    coverage_page.write(found)
    method_pictures.write(found)


if __name__ == "__main__":
    main()
