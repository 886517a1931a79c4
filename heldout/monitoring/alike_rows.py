"""How alike the rows of a shard are: rows of an hour or of a patient say less than as many independent rows.

If the means of the reference's shards vary more than independent rows would make them vary, the correlation of two rows
of a shard is estimated from that, by the analysis of variance, or bounded. Kind: an estimate, of which few shards say
little: 4 that follow one another are more alike than those that come later.
Source: L. Kish, Survey Sampling (1965), section 5.4, for the design effect; S. R. Searle, G. Casella, C. E. McCulloch,
Variance components (1992), section 3.6, for the limit.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from heldout.losses import Losses


def size_and_correlation(
    rows: ArrayLike, means: ArrayLike, variance: ArrayLike, *, level: float | None = None
) -> tuple[Losses, Losses]:
    """The number of rows of a shard, on average, and the correlation of two rows of a shard in [0, 1], shape (J,).

    From the numbers of `rows` and the `means` of S shards, both of shape (S, J), and the `variance` of all rows, with
    divisor n, shape (J,). At a `level` the correlation is its upper confidence limit in place of the estimate: the
    spread of S means is as uncertain as a variance with S - 1 degrees of freedom (chi squared). One shard shows none.
    """
    counts, of_shards, spread = (np.asarray(of, dtype=np.float64) for of in (rows, means, variance))
    n = np.maximum(counts.sum(axis=0), 1)
    mean = (counts * of_shards).sum(axis=0) / n
    size = (n - (counts**2).sum(axis=0) / n) / max(len(counts) - 1, 1)
    degrees = max(len(counts) - 1, 1)
    between = (counts * (of_shards - mean) ** 2).sum(axis=0) / degrees
    if level is not None:
        between *= degrees / chdtri(degrees, level)
    apart = (between > spread) & (spread > 0) & (size > 1)
    ratio = np.divide(between, spread, out=np.ones_like(size), where=apart)
    correlation = (ratio - 1) / np.where(apart, size - 1, 1)
    return np.maximum(size, 1), np.minimum(correlation, 1)


def design_effect(rows: ArrayLike, correlation: ArrayLike) -> Losses:
    """As how many rows that say the same one independent row counts: 1 + (n - 1) rho of n rows."""
    return np.asarray(1 + np.maximum(np.asarray(rows, dtype=np.float64) - 1, 0) * correlation)
