"""The common level at which the one-sided limits of m candidates hold together, from how alike their losses are.

If each of m limits is missed with chance delta / m, any of them is with chance delta at most, however the candidates
depend on one another (union bound). Candidates that err on the same rows are missed together, so a larger chance alpha'
of each may do:
    Pr(max Z_j > z) = delta,   alpha' = Pr(Z_1 > z),   Z normal with the correlation of the candidates' losses.
That is the maxT of P. H. Westfall and S. S. Young (Resampling-based multiple testing, 1993) by normal multipliers of
the rows; but only its level is used, for limits that need no normality. Few errors say little about how alike
candidates are, and no error nothing. So each candidate gets the variance of one more error, on a row of its own: alpha'
is close to delta / m where few errors were seen, and never below it.

Approximate: the correlation is an estimate, and counts of errors are not normal. docs/choosing.md has its level.

With i drawn from 1 … m, Pr(max Z_j > z) = m alpha' E(1 / number of j with Z_j > z | Z_i > z): importance sampling that
is exact for candidates that are never missed together (A. Owen, Y. Maximov, M. Chertkov, Importance sampling the union
of rare events, Electron. J. Stat. 13, 2019).
"""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.losses import Losses


def joint_level(losses: Losses, delta: float, seed: int = 0, *, own_errors: float = 1.0, draws: int = 10_000) -> float:
    """alpha' in [delta / m, delta] for `losses` of shape (K, m), in whatever order the candidates are."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    k, m = losses.shape
    if m == 1:
        return delta
    in_order = np.array(sorted(losses.T, key=lambda of_candidate: of_candidate.tobytes()))
    correlation = _correlation(in_order, own_errors / k)
    rng = np.random.default_rng(seeds.child(seed, "bootstrap"))
    # Cholesky's factor is unique, so that every machine draws the same; the variance of its own makes it exist
    drawn = rng.standard_normal((draws, m)) @ np.linalg.cholesky(correlation).T
    first, uniform = np.arange(draws) % m, rng.random(draws)
    along = correlation[first]
    across = drawn - along * drawn[np.arange(draws), first][:, None]

    def excess(level: float) -> float:
        """Pr(max Z_j > z) less delta."""
        given = across - along * ndtri(uniform * level)[:, None]
        missed = np.maximum((given > -ndtri(level)).sum(axis=1), 1)  # the first is missed, whatever rounding says
        return float(m * level * np.mean(1 / missed) - delta)

    least: float = delta / m
    if excess(least) >= 0:  # no two are ever missed together
        return least
    if excess(delta) <= 0:  # all of them always are, but for rounding
        return delta
    return float(brentq(excess, least, delta, xtol=1e-4 * least))


def _correlation(losses: Losses, own_variance: float) -> NDArray[np.float64]:
    """Of the rows of `losses`, shape (m, K), with a variance added to each that they do not share."""
    covariance = np.cov(losses, bias=True)
    scale = np.sqrt(np.diag(covariance) + max(own_variance, 1e-12))
    found: NDArray[np.float64] = covariance / np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return found
