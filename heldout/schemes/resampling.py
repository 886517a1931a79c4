"""Fits beyond the k folds, for the intervals of E_cv that need them.

Every scheme is a list of splits of the N labelled rows, and a function from the losses of the splits to the fields of
`CrossValidated` that the interval reads. Each scheme has its own seeds, so that it changes no other partition. `y`,
shape (N,), are classes; numbers are one class (`heldout.splits.class_shares.strata`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.schemes import cross_validation
from heldout.splits.partition import Labels, can_stratify, draw_folds, training_cut
from heldout.splits.split import Split

SUBSAMPLES = 25  # J of the corrected t (docs/coverage.md)
REPEATS = 3  # R of the corrected repeated t; the first repeat is the partition itself
_LEAST_TESTED = 0.1  # share of a subsample that is tested under leave-one-out
Folds = NDArray[np.int64]
Groups = NDArray[np.int64] | None  # the group of each row, which no split divides; None for independent rows


@dataclass(frozen=True, eq=False)
class Resampling:
    """The splits of one scheme, and the function that makes fields of their losses, an array for each split.

    The function can be pickled, since a result that holds it can.
    """

    splits: list[Split]
    fields: Callable[[Sequence[Losses]], dict[str, Any]]


def subsamples(y: Labels, fold: Folds, stratify: bool, seed: int, group: Groups = None) -> Resampling:
    """J random subsamples that test as many rows as a fold has, and at least a tenth of all rows."""
    rows = np.arange(len(y))
    size = rows_tested(len(y), fold)
    masks = [random_cut(y, size, stratify, seeds.random_state(seed, "subsamples", j), group) for j in range(SUBSAMPLES)]
    tested = float(np.mean([mask.sum() for mask in masks]))  # whole groups differ in size
    return Resampling(
        [Split(rows[~mask], rows[mask]) for mask in masks],
        partial(_of_subsamples, tested / (len(y) - tested)),
    )


def _of_subsamples(tested_per_trained: float, losses: Sequence[Losses]) -> dict[str, Any]:
    errors = np.array([part.mean() for part in losses])
    return {"subsample_errors": errors, "tested_per_trained": tested_per_trained}


def repeated_folds(y: Labels, fold: Folds, stratify: bool, seed: int, group: Groups = None) -> Resampling:
    """R - 1 further partitions into k folds."""
    k = int(fold.max()) + 1
    folds = further_folds(y, k, REPEATS - 1, stratify, seed, group)
    return Resampling(
        [split for each in folds for split in cross_validation.splits(each)],
        partial(_of_repeated_folds, k),
    )


def _of_repeated_folds(k: int, losses: Sequence[Losses]) -> dict[str, Any]:
    return {"repeated_errors": np.array([part.mean() for part in losses]).reshape(-1, k)}


def fold_pairs(_y: Labels, fold: Folds, _stratify: bool, _seed: int, _group: Groups = None) -> Resampling:
    """One split for each pair of folds i < j, in order: train without both, test on both.

    Raises BadArgument for two folds: no row would be left to train on.
    """
    k = int(fold.max()) + 1
    if k < 3:
        raise BadArgument("folds", f"folds is {k}; nested selection needs at least 3")
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    splits = [
        Split(np.flatnonzero((fold != i) & (fold != j)), np.flatnonzero((fold == i) | (fold == j))) for i, j in pairs
    ]
    return Resampling(splits, partial(_of_pairs, fold, pairs, splits))


def _of_pairs(
    fold: Folds, pairs: Sequence[tuple[int, int]], splits: Sequence[Split], losses: Sequence[Losses]
) -> dict[str, Any]:
    table = np.full((int(fold.max()) + 1, len(fold)), np.nan)
    for (i, j), split, part in zip(pairs, splits, losses, strict=True):
        tested_fold = fold[split.validation]
        table[i, split.validation[tested_fold == j]] = part[tested_fold == j]
        table[j, split.validation[tested_fold == i]] = part[tested_fold == i]
    return {"pair_losses": table}


def further_folds(y: Labels, k: int, count: int, stratify: bool, seed: int, group: Groups = None) -> list[Folds]:
    """The fold of each row in `count` further partitions into k folds, each of shape (N,)."""
    return [
        draw_folds(y, k, stratify, seeds.random_state(seed, "repeated_folds", repeat), group) for repeat in range(count)
    ]


def rows_tested(n: int, fold: Folds) -> int:
    """The rows that a subsample of n rows tests: as many as a fold has, and at least a tenth."""
    return max(1, round(n * max(1 / (int(fold.max()) + 1), _LEAST_TESTED)))


def random_cut(
    y: Labels, size: int, stratify: bool, state: int, group: Groups = None, both: bool = False
) -> NDArray[np.bool_]:
    """A random mask, with `stratify` stratified where possible: a small part cannot hold every class."""
    if group is None:
        stratify = stratify and can_stratify(y, size)
    return training_cut(y, size, stratify=stratify, random_state=state, group=group, both=both)
