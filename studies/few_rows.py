"""Losses that are not 0/1, in few tested rows: the intervals `log t` and `pooled shape` of the same samples.

    python -m studies.few_rows    # what docs/decisions/0030 sums up, in about twenty minutes

Samples are drawn with replacement from populations of 4000 rows, whose mean loss is the true error; folds, shares and
blocks are those of params.yaml. Of each estimate the table has the share of samples in which either interval covers the
error of the estimate's target, and the mean width of `pooled shape` over that of `log t`.
"""

import argparse
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB

from heldout.estimates import scheme_of
from heldout.estimates.methods import choose
from heldout.intervals import log_t, pooled_shape
from heldout.learners.fitting import fit_and_test, test
from heldout.losses import Loss, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.parts import class_shares
from heldout.parts.partition import make_partition, rarest_class
from heldout.schemes import SchemeName, fit_state
from heldout.schemes.design import Design, Evidence, tested, with_pool
from studies.learners import LeastSquares, TreeRegressor
from tasks.params import Settings, load

SIZE = 4000
SAMPLES = {100: 1000, 300: 400}  # for each sample size
METHODS = (log_t.METHOD, pooled_shape.METHOD)
# the scheme whose hypotheses are the target of each estimate; E_test is that of g on rows that no scheme has
TARGETS: Mapping[str, SchemeName] = {
    "E_val": scheme_of("E_val"),
    "E_prog": scheme_of("E_prog"),
    "E_test": scheme_of("E_in"),
}
LEARNERS = {"ridge": LeastSquares(), "tree": TreeRegressor(random_state=None), "naive Bayes": GaussianNB()}
_SEED = 20260102  # of the populations; another seed draws the samples


@dataclass(frozen=True)
class Cell:
    """A population, a learner, a sample size, and the losses that judge the learner's answers."""

    population: str
    learner: str
    n: int
    losses: tuple[str, ...]


def cells() -> Iterator[Cell]:
    """All cells: numbers with residuals from light to heavy tails, then two classes."""
    for n in SAMPLES:
        for residuals in ("normal", "exponential", "t3", "lognormal"):
            for learner in ("ridge", "tree"):
                yield Cell(residuals, learner, n, ("squared", "absolute"))
        yield Cell("rare class", "naive Bayes", n, ("log", "brier", "balanced"))


@functools.cache
def population(name: str) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """The features, shape (SIZE, 8), and the labels: a class of one row in five, or numbers with these residuals."""
    rng = np.random.default_rng(_SEED)
    X = rng.normal(size=(SIZE, 8)).astype(np.float32)
    if name == "rare class":
        rare = rng.random(SIZE) < 0.2
        X[:, :2] += rare[:, None]
        return X, rare.astype(np.int64)
    residuals = {
        "normal": rng.normal(size=SIZE),
        "exponential": rng.exponential(size=SIZE) - 1,
        "t3": rng.standard_t(3, size=SIZE),
        "lognormal": rng.lognormal(size=SIZE) - np.exp(0.5),
    }
    return X, X @ np.array([2.0, 1, 1, 0.5, 0.5, 0, 0, 0]) + residuals[name]


def judge(cell: Cell, sample: int, shipped: Settings) -> NDArray[np.float64]:
    """For each loss and estimate, the bounds of both methods and the true error: shape (losses, estimates, 5)."""
    whole_X, whole_y = population(cell.population)
    share = shipped.split.test_fraction
    drawn = np.random.default_rng([sample, *map(ord, repr(cell))]).integers(0, SIZE, round(cell.n / (1 - share)))
    rows, test_rows = drawn[: cell.n], drawn[cell.n :]
    X, y, everywhere = whole_X[rows], whole_y[rows], np.arange(SIZE)
    losses = [choose_loss(name, y) for name in cell.losses]
    design = _design(y, losses[0], sample, shipped)
    learner = LEARNERS[cell.learner]
    schemes: tuple[SchemeName, ...] = (*TARGETS.values(), "cross_validation")
    fitted = {
        scheme: [
            fit_and_test(learner, X, y, split, losses[0], fit_state(sample, scheme, number)).hypothesis
            for number, split in enumerate(design.splits(scheme))
        ]
        for scheme in schemes
    }

    def evidence_of(loss: Loss) -> Evidence:
        return Evidence(
            {
                scheme: [
                    test(hypothesis, X, y, split.validation, loss)
                    for hypothesis, split in zip(fitted[scheme], design.splits(scheme), strict=True)
                ]
                for scheme in schemes
            }
        )

    def bounds(loss: Loss, estimate: str, evidence: Evidence) -> list[float]:
        target = TARGETS[estimate]
        seen = (
            Tested(test(fitted[target][0], whole_X, whole_y, test_rows, loss), loss, sample)
            if estimate == "E_test"
            else tested(design, evidence, target)
        )
        seen = with_pool(seen, evidence, design.fold_repeats)
        intervals = [method.interval(estimate, seen, design.level) for method in METHODS]
        errors = [test(hypothesis, whole_X, whole_y, everywhere, loss).mean() for hypothesis in fitted[target]]
        truth = np.average(errors, weights=[len(split.validation) for split in design.splits(target)])
        return [*(bound for one in intervals for bound in (one.low, one.high)), float(truth)]

    found = []
    for loss in losses:
        evidence = evidence_of(loss)
        found.append([bounds(loss, estimate, evidence) for estimate in TARGETS])
    return np.array(found)


def _design(y: NDArray[Any], loss: Loss, seed: int, shipped: Settings) -> Design:
    folds = int(shipped.split.folds)
    stratify = loss.of_classes and rarest_class(y)[1] >= folds
    partition = make_partition(
        class_shares.strata(y, loss.of_classes),
        validation_fraction=shipped.split.validation_fraction,
        folds=folds,
        tested_fraction=shipped.progressive.tested_fraction,
        stratify=stratify,
        seed=seed,
    )
    return Design(
        y=y,
        loss=loss,
        partition=partition,
        halves=np.empty((0, len(y)), dtype=np.int8),
        block=shipped.progressive.block,
        stratify=stratify,
        seed=seed,
        level=shipped.selection.level,
        methods=choose(None, loss),
        estimates=(),
    )


def lines(cell: Cell, samples: int | None = None) -> Iterator[str]:
    """The lines of the table for a cell, one for each loss."""
    shipped = load("params.yaml")
    found = np.array([judge(cell, sample, shipped) for sample in range(samples or SAMPLES[cell.n])])
    for place, loss in enumerate(cell.losses):
        shown = [loss, cell.population, cell.learner, str(cell.n)]
        for number in range(len(TARGETS)):
            bounds = found[:, place, number]
            low, high, truth = bounds[:, [0, 2]], bounds[:, [1, 3]], bounds[:, 4:]
            covered, width = ((low <= truth) & (truth <= high)).mean(axis=0), (high - low).mean(axis=0)
            shown += [f"{covered[0]:.3f}", f"{covered[1]:.3f}", f"{width[1] / width[0]:.2f}"]
        yield f"| {' | '.join(shown)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, help="of each cell")
    samples = parser.parse_args(arguments).samples
    columns = ["loss", "residuals", "learner", "rows"]
    columns += [f"`{name}`: {column}" for name in TARGETS for column in ("log t", "pooled shape", "width")]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for cell in cells():
        for line in lines(cell, samples):
            print(line, flush=True)


if __name__ == "__main__":
    main()
