"""The model confidence set: the candidates that the data cannot tell from the best.

P. R. Hansen, A. Lunde, J. M. Nason, The model confidence set (Econometrica 79, 2011), with the range
statistic T_R and the elimination rule that goes with it; variance correction of Nadeau, Bengio (Machine
Learning 52, 2003).
"""

import math

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.selection.bootstrap import draws


def variance_factor(folds: int | None) -> float:
    """Var of a mean of held-out losses over what it would be for independent rows: 1 + k / (k - 1).

    It is S^2 (1/k + 1/(k - 1)) over S^2 / k, for losses whose hypotheses share their training rows; 1 for
    rows that a single hypothesis was tested on, or steps of a martingale (`folds` None).
    """
    return 1.0 if folds is None else 1 + folds / (folds - 1)


def confidence_set(
    losses: Losses, level: float, factor: float, seed: int, cluster: NDArray[np.int64] | None = None
) -> list[int]:
    """The places of the candidates in the set, ascending, from paired `losses` of shape (M, n).

    With probability `level`, for large n, it holds the candidate of least true error. While the hypothesis
    that all candidates left are equally good is rejected, the candidate that is worst against another by its t is
    dropped. t_ij = mean(d_ij) / sqrt(factor s_ij^2 / n) for the paired differences d_ij; the distribution of
    max |t_ij| under equality is bootstrapped over rows. Candidates with equal losses on every row are never
    separated, nor any by a single row. Where the rows have a `cluster`, shape (n,), the variance is taken
    over clusters, whose sums are bootstrapped (a block bootstrap, as in the paper).
    """
    m, n = losses.shape
    units = n if cluster is None else int(cluster.max()) + 1
    if units < 2:
        return list(range(m))
    largest_loss = float(np.abs(losses).max())
    order = np.lexsort(losses if cluster is None else (cluster, *losses))
    losses = losses[:, order] / (largest_loss if largest_loss > 0 else 1.0)  # whatever their unit
    means = losses.mean(axis=1)
    centred = losses - means[:, None]
    if cluster is not None:
        centred = np.stack([np.bincount(cluster[order], weights=by_row, minlength=units) for by_row in centred])
    # (BOOTSTRAPS, M): bootstrapped mean less mean
    deviations = np.concatenate([(drawn / n) @ centred.T for drawn in draws(units, seed)])
    covariance = centred @ centred.T / n
    of = np.diag(covariance)
    spread = np.sqrt(np.maximum(of[:, None] + of[None, :] - 2 * covariance, 0) / n)
    gap = means[:, None] - means[None, :]
    flat = spread <= 1e-12 * (1 + means.max())
    spread = np.where(flat, np.inf, spread)
    t = gap / spread / math.sqrt(factor)
    t[flat & (np.abs(gap) > 1e-9)] = np.inf  # the same difference on every row
    t[flat & (gap < 0)] *= -1
    left = list(range(m))
    while len(left) > 1:
        pairs = np.ix_(left, left)
        gaps = np.abs(deviations[:, left][:, :, None] - deviations[:, left][:, None, :])
        largest = (gaps / spread[pairs]).max(axis=(1, 2))
        if np.abs(t[pairs]).max() <= np.quantile(largest, level):
            break
        worst = int(np.argmax(t[pairs].max(axis=1)))
        del left[worst]
    return left
