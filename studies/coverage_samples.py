"""One sample of the coverage study: every estimate's losses, and the true errors of its hypotheses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heldout.estimates.methods import choose
from heldout.learners.fitting import fit_and_test, predict, test
from heldout.losses import Loss
from heldout.losses.tested_losses import RepeatedByRow, repeated_by_row
from heldout.schemes import SchemeName, fit_state
from heldout.schemes.design import Design, Evidence, cross_validated, half_losses, tested
from heldout.splits import class_shares
from heldout.splits.partition import make_halves, make_partition, rarest_class
from heldout.unlabelled.disagreement import pointwise_disagreement
from studies.intervals import half_subsamples
from studies.judgements import FURTHER, LEVEL, Cell
from studies.populations import Population, population
from tasks.plans import budget

FOLDS = 10
BLOCKS = 5  # progressive blocks in a sample
# expensive schemes, in some cells only: 20, 45 and 300 fits for each sample
REPEATED_AT = (50,)
PAIRS_IN = (("adult", 100), ("california_housing", 100), ("interaction", 100))
HALF_SUBSAMPLES_IN = (("adult", 100),)


def halvings(n: int) -> int:
    """The repeats of co-validation that are shipped for so many rows."""
    return budget.efforts(budget.TableSize(n, test=0, unlabeled=n))[0].halvings


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
    splits, in_halves = {scheme: design.splits(scheme) for scheme in _schemes(cell)}, None
    if (cell.population, cell.n) in HALF_SUBSAMPLES_IN:
        in_halves = half_subsamples.draw(design.strata, design.partition.fold, stratify, repeat)
        splits[half_subsamples.NAME] = in_halves.splits
    fitted = {
        scheme: [
            fit_and_test(learner, X, y, split, loss, fit_state(repeat, scheme, number))
            for number, split in enumerate(parts)
        ]
        for scheme, parts in splits.items()
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
    further = {name: getattr(folds, name, None) for name in (*FURTHER, "tested_per_trained")}
    if in_halves is not None:
        further |= in_halves.fields(evidence.losses[half_subsamples.NAME])
    return {
        "E_val": tested(design, evidence, "holdout").losses,
        "E_cv": folds.losses,
        "fold": folds.fold,
        **{name: values for name, values in further.items() if values is not None},
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
