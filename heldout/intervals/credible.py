"""Whether the interval of a mean of losses can be right: how few rows its width rests on.

An interval of a mean is as wide as the spread s of the losses says, and s is known as well as many rows share it. With
d_i the deviation of loss i from the mean, over n losses or sums of n groups,
    carried = sum d_i^4 / (sum d_i^2)^2
is the relative variance of s^2 but for 1/n, and 1 / carried the effective number of rows that carry the spread (L.
Kish, Survey sampling, 1965, section 11.7, for weights). Where a handful carries it, large losses that did not come up
would have moved mean and width both, and the interval misses upwards: with squared losses of skewed targets it covers
.4 to .9 in place of .95. No interval holds for all distributions of losses without a limit (R. R. Bahadur, L. J.
Savage, Ann. Math. Statist. 27, 1956), so that the interval is not widened but marked.

Intervals on the scale of logarithms are right for losses that are skewed because most are near 0, as gamma losses are:
there s grows with the mean, and so does their relative standard error, r = s / (sqrt(n) mean). So the interval is not
credible if
    carried - 1 / n - EXCUSED r >= LEAST,
or if fewer than `LEAST_ROWS` rows carry the loss itself, (sum loss)^2 / sum loss^2. LEAST_OF_CV is larger, since the
variance of E_cv is corrected upwards (C. Nadeau, Y. Bengio 2003). Where the losses of cross-validation, N, give the
interval of K tested rows its shape, the limit is
    max(LEAST, LEAST_OF_POOLED - TESTED K / N):
with the same losses the interval holds better the smaller the share of them that is tested, as measured for rows that
are among the N. The thresholds follow from the distributions SEEN of `studies/credible.py`, and are judged on FRESH.

A difference of losses has no sign, and large losses on both sides do less harm: there the square of the skewness of the
mean, sum d_i^3 / (sum d_i^2)^1.5 (P. Hall, The bootstrap and Edgeworth expansion, 1992, section 2.6), is compared with
LEAST_OF_DIFFERENCE.

Losses of 0 and 1 by weights are not credible if their effective number is below LEAST_EFFECTIVE of the rows: Wilson's
interval covered .90 or more in 50 to 1000 rows of lognormal weights up to sigma = 1.5, and down to .85 beyond.

It is no test: where the sample has no large loss, nothing shows that the population has some. Other losses of 0 and 1,
and methods that hold at every sample size, need no mark. The disagreement of half models, which is no error, has none.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss, Losses
from heldout.losses.tested_losses import CrossValidated, RepeatedByRow

if TYPE_CHECKING:
    from heldout.intervals.method import IntervalMethod

EXCUSED = 0.6
LEAST, LEAST_OF_CV, LEAST_OF_DIFFERENCE = 0.07, 0.135, 0.13
LEAST_OF_POOLED, TESTED = 0.14, 0.1
LEAST_ROWS = 2.5
LEAST_EFFECTIVE = 0.1
_MOST_NAMED = 5
Cluster = NDArray[np.int64] | None


@dataclass(frozen=True)
class Carried:
    """By how few of n rows, or groups, a mean is carried.

    `spread` is the share sum d^4 / (sum d^2)^2, `skewness` sum d^3 / (sum d^2)^1.5, `relative_error` the standard error
    over the mean, `rows` the effective number of rows that carry the loss. `named` rows are called the few that carry
    the spread, and `share` is their part of the loss, or of the absolute differences.
    """

    n: int
    spread: float
    skewness: float
    relative_error: float
    rows: float
    named: int
    share: float

    @property
    def excess(self) -> float:
        """What is compared with `LEAST`."""
        return self.spread - 1 / self.n - EXCUSED * self.relative_error


def carried(losses: Losses, cluster: Cluster = None, repeats: int = 1) -> Carried | None:
    """By how few rows the mean of `losses`, shape (n,), is carried; None where they do not vary.

    `cluster`, shape (n,), numbers the groups of rows that depend; `repeats` is how often each row is among the losses.
    """
    largest = float(np.abs(losses).max(initial=0.0))
    if largest == 0 or np.ptp(losses) == 0:
        return None
    scaled = losses / largest  # a fourth power of a large loss might overflow
    sums = scaled if cluster is None else np.bincount(cluster, weights=scaled)
    rows = np.ones(len(losses)) if cluster is None else np.bincount(cluster).astype(np.float64)
    d = sums - rows * scaled.mean()
    squares, n = float(d @ d), len(d)
    if squares == 0 or n < 2:
        return None
    spread, size = min(repeats * float((d**2) @ (d**2)) / squares**2, 1.0), np.abs(sums)
    total = float(size.sum())
    named = min(max(round(1 / spread), 1), _MOST_NAMED, n)
    return Carried(
        n=max(n // repeats, 1),
        spread=spread,
        skewness=float(np.sqrt(repeats) * (d**3).sum() / squares**1.5),
        relative_error=float(np.sqrt(repeats * squares * n / (n - 1)) / abs(sums.sum())) if sums.sum() else np.inf,
        rows=total**2 / float(size @ size) / repeats,
        named=named,
        share=float(np.partition(size, -min(named * repeats, n))[-min(named * repeats, n) :].sum()) / total,
    )


def doubt(observed: Any, method: "IntervalMethod") -> str | None:
    """Why the interval that `method` puts about the mean of what was `observed` is not credible; None where it may be.

    `observed` is of a class of `heldout.losses.tested_losses`. E_val, E_prog and E_test are judged by the candidate's
    losses in cross-validation, where the method reads them: they are more, and the interval has their shape.
    """
    loss: Loss = observed.loss
    if loss.binary and loss.weighted:
        return _of_weights(observed.n, observed.rows)
    if loss.binary or method.validity != "asymptotic":
        return None
    if isinstance(observed, RepeatedByRow):
        return None if observed.row_means is None else of_losses(observed.row_means, loss)
    if observed.pool is not None and method.needs_cv:
        least = least_of_pooled(observed.n, len(observed.pool) // observed.pool_repeats)
        return of_losses(observed.pool, loss, repeats=observed.pool_repeats, least=least)
    of_cv = isinstance(observed, CrossValidated)
    return of_losses(observed.losses, loss, observed.cluster, least=LEAST_OF_CV if of_cv else LEAST)


def _of_weights(n: int, rows: float) -> str | None:
    """Why an interval of 0/1 losses of n rows, effectively `rows` by weights, is not credible; None where it may be."""
    return f"by their weights {n} rows count as much as {rows:.0f}" if rows < LEAST_EFFECTIVE * n else None


def least_of_pooled(tested: int, pooled: int) -> float:
    """What the excess of `pooled` losses is compared with where they give the interval of `tested` rows its shape."""
    return max(LEAST, LEAST_OF_POOLED - TESTED * tested / pooled)


def of_losses(
    losses: Losses, loss: Loss, cluster: Cluster = None, *, repeats: int = 1, least: float = LEAST
) -> str | None:
    """Why an interval of the mean of `losses`, shape (n,), is not credible; None where it may be.

    Losses that are all 0 have an upper bound of their own where the `loss` has a limit.
    """
    found = carried(losses, cluster, repeats)
    if found is None:
        if losses.max(initial=0.0) == 0 and np.isfinite(loss.limit):
            return None
        return f"all {len(losses) // repeats} losses are equal, so that nothing shows how far others lie"
    if found.excess < least and found.rows >= LEAST_ROWS:
        return None
    return _says(found, cluster, "the loss")


def of_difference(first: Losses, other: Losses, cluster: Cluster = None) -> str | None:
    """Why an interval of the mean of `first` - `other`, both of shape (n,), is not credible; None where it may be."""
    found = carried(first - other, cluster)
    if found is None or found.skewness**2 < LEAST_OF_DIFFERENCE:
        return None
    return _says(found, cluster, "the differences")


def _says(found: Carried, cluster: Cluster, of_what: str) -> str:
    units = "rows" if cluster is None else "groups of rows"
    share = f"{100 * found.share:.0f} %"
    if found.named == 1:
        return f"1 of {found.n} {units} carries {share} of {of_what}"
    return f"{found.named} of {found.n} {units} carry {share} of {of_what}"


def advice(loss: Loss, *, weighted: bool = False) -> str:
    """What to do first where an interval is not credible: another loss, or a limit, under the names of the settings."""
    if weighted:
        return "limit the largest weights, or test more rows"
    if loss.bounded:
        return (
            "name an interval that holds for every number of rows: intervals: {E_val: betting, E_cv: k-fold Hoeffding}"
        )
    if loss.power == 2:
        return "judge by the absolute loss (loss: absolute), or cap the target and state the limit (loss_max)"
    if loss.power == 1:
        return "cap the target and state the limit (loss_max), or test more rows"
    return "judge by the Brier loss (loss: brier), which has a limit, or test more rows"
