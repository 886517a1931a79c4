"""A deep tree on a table of few distinct rows: how often the interval of E_cv holds, and what its variance leaves out.

Such a tree answers each distinct row, a cell, by the majority of its training labels. A label that is held out is
missing from the vote of its own cell: where the vote is close, the other rows of the cell outvote it, and the losses of
all rows of the cell, in all folds, rise together. So the losses of rows that train each other's hypotheses are
correlated. The corrected variance behind `corrected Wilson` takes it to be half more than that of N independent losses
(Nadeau and Bengio's n2 / n1 of ten folds and 25 subsamples), whatever the learner is; the errors of subsamples of one
table cannot show more, since they share its votes.

Tables of 12 or 81 cells of equal frequency, with the share of one class in each cell drawn uniformly, or .3, or 1/2, a
coin toss. A cell without training rows is answered by the majority of the table. The truth is exact: the mean over the
ten hypotheses of the expected error in each cell.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.intervals import corrected_t, corrected_wilson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import CrossValidated
from studies.study import LEVEL, Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
FOLDS, SUBSAMPLES = 10, 25
SAMPLES, QUICK_SAMPLES = 2000, 100
SIZES = ((12, 200), (81, 200), (81, 1000))  # cells and rows
LEAST = 0.92  # of the coverage, as for the cells of docs/coverage.md
SHARES: Mapping[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "uniform": lambda rng, cells: rng.random(cells),
    "3/10": lambda rng, cells: np.full(cells, 0.3),  # noqa: ARG005
    "1/2": lambda rng, cells: np.full(cells, 0.5),  # noqa: ARG005
}


def units(quick: bool) -> Sequence[tuple[str, int, int, int]]:
    """The shares of a class, the number of cells, that of rows, and the samples."""
    sizes = SIZES[:1] if quick else SIZES
    return [(shares, cells, n, QUICK_SAMPLES if quick else SAMPLES) for shares in SHARES for cells, n in sizes]


def measure(unit: tuple[str, int, int, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """How many samples the interval covers, and variances over that of independent losses."""
    shares, cells, n, samples = unit
    rng = np.random.default_rng([SEED, list(SHARES).index(shares), cells, n])
    ones = SHARES[shares](rng, cells)
    found = pd.DataFrame(list(_samples(ones, n, samples, rng)), columns=["miss", "covers", "independent", "taken"])
    independent = found["independent"].mean()
    return [
        {
            "shares": shares,
            "cells": cells,
            "n": n,
            "samples": samples,
            "covered": int(found["covers"].sum()),
            "true_variance": float(found["miss"].var() / independent),
            "taken_variance": float(found["taken"].mean() / independent),
        }
    ]


def _samples(ones: NDArray[np.float64], n: int, samples: int, rng: np.random.Generator) -> Iterator[tuple[float, ...]]:
    cells, tested = len(ones), n // FOLDS
    for _ in range(samples):
        cell = rng.integers(cells, size=n)
        y = rng.random(n) < ones[cell]
        fold = rng.permutation(n) % FOLDS
        drawn = np.argsort(rng.random((SUBSAMPLES, n)), axis=1) < tested
        masks = np.vstack([fold == np.arange(FOLDS)[:, None], drawn])
        answers = np.stack([_majorities(cell[~mask], y[~mask], cells) for mask in masks])
        wrong = answers[:, cell] != y
        losses = wrong[fold, np.arange(n)].astype(float)
        truth = float(np.where(answers[:FOLDS], 1 - ones, ones).mean())
        errors = np.array([of[mask].mean() for of, mask in zip(wrong[FOLDS:], drawn, strict=True)])
        seen = CrossValidated(
            losses, ZERO_ONE, fold=fold, subsample_errors=errors, tested_per_trained=tested / (n - tested)
        )
        low, high = corrected_wilson.bounds(seen, LEVEL)
        of_rows = float(np.var(losses, ddof=1)) / n
        yield losses.mean() - truth, low <= truth <= high, of_rows, corrected_t.variance_or_pooled(seen)


def _majorities(cell: NDArray[np.int64], y: NDArray[np.bool_], cells: int) -> NDArray[np.bool_]:
    """The answer in each cell, shape (cells,)."""
    rows, ones = np.bincount(cell, minlength=cells), np.bincount(cell, weights=y, minlength=cells)
    answers: NDArray[np.bool_] = np.where(rows == 0, 2 * y.sum() > len(y), 2 * ones > rows)
    return answers


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage in each table, and the variance of E_cv next to what its interval takes it for."""
    return [_coverage(line) for line in results.to_dict("records")]


def _coverage(line: Mapping[Any, Any]) -> Finding:
    share, low, high = share_interval(line["covered"], line["samples"])
    said = f"the variance of E_cv is {line['true_variance']:.2f} times that of independent losses, and is taken to be "
    said += f"{line['taken_variance']:.2f} times it"
    name = f"discrete-cells-{line['shares'].replace('/', '-in-')}-{line['cells']}-cells-{line['n']}-rows"
    return Finding(name, share, high >= LEAST, said, LEVEL, low, high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None."""
    return {}
