"""Which other rows give their values to each tested row of a fold (`heldout.diagnosis.column_reliance`)."""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.schemes.design import Design
from heldout.splits.split import Rows


def check_folds(design: Design) -> None:
    """Raise BadArgument for a fold without another row or group, before any hypothesis is there."""
    for number, split in enumerate(design.splits("cross_validation")):
        others_of(design, number, split.validation, 1)


def others_of(design: Design, number: int, rows: Rows, draws: int) -> tuple[Losses, NDArray[np.intp]]:
    """The weights of the `rows` of a fold, and the other rows for each of them."""
    group, weights = design.dependence.group, design.weights
    relative = np.ones(len(rows)) if weights is None else weights.relative[rows]
    rng = np.random.default_rng(seeds.named(design.seed, "columns", number))
    others = other_rows(relative, None if group is None else group[rows], draws, rng)
    if others is None:
        held = f"fewer than two {'rows' if group is None else 'groups'}"
        held += "" if weights is None else " with a weight above 0"
        raise BadArgument(
            "folds",
            f"columns: fold {number} tests {held}, and each row gets the values of another one; use fewer folds",
        )
    return relative, others


def other_rows(
    weights: Losses, group: NDArray[np.int64] | None, draws: int, rng: np.random.Generator
) -> NDArray[np.intp] | None:
    """For each of n rows another one of another group, in each draw, shape (draws, n); None where a row has none.

    Each is any of them with the probability of its share of their weights. Rows in a random order lie along a line, as
    long as their weights, the rows of a group together; a draw is a step along what is not the row's own group, and
    the steps of the draws are spread evenly. Without groups and weights a draw is a shift of the order, and no two are
    equal: there are n - 1 at most.
    """
    n = len(weights)
    order = rng.permutation(n)
    if group is None:
        group = np.arange(n)
    else:
        order = order[np.argsort(rng.permutation(int(group.max()) + 1)[group[order]], kind="stable")]
    ends = np.cumsum(weights[order])
    starts, total = ends - weights[order], float(ends[-1])
    opens = np.r_[True, np.diff(group[order]) != 0]
    run = np.cumsum(opens) - 1
    first = starts[opens][run]
    last = np.r_[first[opens][1:], total][run]
    rest = total - (last - first)
    if (rest <= 1e-9 * total).any():
        return None
    draws = min(draws, n - 1)
    steps = (np.arange(draws) + rng.random()) / draws
    at = (last + (starts - first + steps[:, None] * rest) % rest) % total
    found = np.empty((draws, n), dtype=np.intp)
    found[:, order] = order[np.minimum(np.searchsorted(ends, at, side="right"), n - 1)]
    return found
