"""Whether the interval of a mean of losses can be right: how heavy their tail is, and how skewed their mean.

An interval of a mean is as wide as the spread of the losses says. Where losses have a heavy tail, large ones that did
not come up would have moved mean and width both, and the interval misses upwards: with squared losses of skewed targets
it covers .4 to .9 in place of .95. No interval holds for all distributions of losses without a limit (R. R. Bahadur,
L. J. Savage, Ann. Math. Statist. 27, 1956), so that the interval is not widened but marked.

What matters is the run at hand: of intervals shown without a mark at least .90 are to cover. The runs that miss are
those in which few large losses came up, so that skewness, kurtosis and the share of the largest are small in just these
runs. The spacing of the losses below the largest is not: the tail index xi of the generalised Pareto distribution, of
what the upper fifth of n losses, or of sums of n groups, exceeds the largest below it, by probability weighted moments
(J. R. M. Hosking, J. R. Wallis, Technometrics 29, 1987), with p_i = (i - 0.35) / k for k exceedances x_i, ascending,
    xi = 2 - a / (a - 2 b),   a = mean of x_i,   b = mean of x_i (1 - p_i).
From xi = 1/4 on the fourth moment is infinite, and with it the variance of the spread. That is no harm where the mean
of so many losses is hardly skewed, or as much as the scale of logarithms takes: with d_i the deviations from the mean,
sum d_i^3 / (sum d_i^2)^1.5 is its skewness (P. Hall, The bootstrap and Edgeworth expansion, 1992, section 2.6), and r,
its standard error over the mean, half of it for gamma losses. So an interval is not credible if
    xi >= LEAST_TAIL + NOISE / sqrt(n)   and   skewness - EXCUSED r >= LEAST_SKEWNESS,
or if fewer than `LEAST_ROWS` rows carry the loss, (sum loss)^2 / sum loss^2 (L. Kish, Survey sampling, 1965, section
11.7, for weights). Losses with a limit, most of them near 0, look heavier than they are: NOISE_OF_BOUNDED. A difference
of losses has no sign, and is judged by the longer side, with no r. NOISE is the least with which no more than a tenth
of the runs is marked where losses have light tails; LEAST_SKEWNESS spares many rows (`studies/credible.py`).

Losses of 0 and 1 by weights are not credible if their effective number is below LEAST_EFFECTIVE of the rows: Wilson's
interval covered .90 or more in 50 to 1000 rows of lognormal weights up to sigma = 1.5, and down to .85 beyond.

Of rows in time an interval is not credible where few correlation lengths were tested (`heldout.losses.memory`).

It is no test: where the sample has no large loss, nothing shows that the population has some. Other losses of 0 and 1,
methods that have a width where all losses are equal, as they know how large others may be, and methods that hold at
every sample size, need no mark. The disagreement of half models, which is no error, has none.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss, Losses
from heldout.losses.memory import IN_TIME, Memory
from heldout.losses.tested_losses import RepeatedByRow

if TYPE_CHECKING:
    from heldout.intervals.method import IntervalMethod

LEAST_TAIL, NOISE, NOISE_OF_BOUNDED = 0.25, 0.8, 1.55
LEAST_SKEWNESS, EXCUSED = 0.15, 0.7
LEAST_ROWS = 2.5
LEAST_EFFECTIVE = 0.1
_UPPER, _FEWEST = 5, 5  # the tail index is of a fifth of the rows, and of 5 at least
_MOST_NAMED = 5
_ROUNDING = 1e-12  # losses that are closer, as a share of the largest, are equal
Cluster = NDArray[np.int64] | None


@dataclass(frozen=True)
class Carried:
    """By how few of n rows, or groups, a mean is carried.

    `tail` is the tail index of the longer side, `skewness` that of the mean, sum d^3 / (sum d^2)^1.5, `relative_error`
    its standard error over the mean, `rows` the effective number of rows that carry the loss. `named` rows are called
    the few that carry the spread, and `share` is their part of the loss, or of the absolute differences.
    """

    n: int
    tail: float
    skewness: float
    relative_error: float
    rows: float
    named: int
    share: float

    def heavy(self, loss: Loss) -> bool:
        """Whether the tail index shows a tail with no fourth moment."""
        return self.tail >= LEAST_TAIL + (NOISE_OF_BOUNDED if loss.bounded else NOISE) / math.sqrt(self.n)


def carried(losses: Losses, cluster: Cluster = None, repeats: int = 1) -> Carried | None:
    """By how few rows the mean of `losses`, shape (n,), is carried; None where they do not vary.

    `cluster`, shape (n,), numbers the groups of rows that depend; `repeats` is how often each row is among the losses.
    """
    largest = float(np.abs(losses).max(initial=0.0))
    if largest == 0 or np.ptp(losses) <= _ROUNDING * largest:
        return None
    scaled = losses / largest  # a power of a large loss might overflow
    sums = scaled if cluster is None else np.bincount(cluster, weights=scaled)
    rows = np.ones(len(losses)) if cluster is None else np.bincount(cluster).astype(np.float64)
    d = sums - rows * scaled.mean()
    squares, n = float(d @ d), len(d)
    if squares == 0 or n < 2:
        return None
    cubes, size = float((d**3).sum()), np.abs(sums)
    total = float(size.sum())
    spread = min(repeats * float((d**2) @ (d**2)) / squares**2, 1.0)
    named = min(max(round(1 / spread), 1), _MOST_NAMED, n)
    return Carried(
        n=max(n // repeats, 1),
        tail=tail_index(d if cubes >= 0 else -d, repeats),
        skewness=math.sqrt(repeats) * cubes / squares**1.5,
        relative_error=float(np.sqrt(repeats * squares * n / (n - 1)) / abs(sums.sum())) if sums.sum() else np.inf,
        rows=total**2 / float(size @ size) / repeats,
        named=named,
        share=float(np.partition(size, -min(named * repeats, n))[-min(named * repeats, n) :].sum()) / total,
    )


def tail_index(values: Losses, repeats: int = 1) -> float:
    """The tail index of the upper fifth of `values`, shape (n,), each row `repeats` times among them.

    It is infinite where rows are too few to say; minus infinity where the upper fifth is all equal.
    """
    ordered = np.sort(values)
    if len(ordered) % repeats == 0:
        ordered = ordered.reshape(-1, repeats).mean(axis=1)
    k = max(len(ordered) // _UPPER, _FEWEST)
    if k >= len(ordered):
        return math.inf
    beyond = ordered[-k:] - ordered[-k - 1]
    a, b = float(beyond.mean()), float(beyond @ (1 - (np.arange(1, k + 1) - 0.35) / k)) / k
    return 2 - a / (a - 2 * b) if a > 0 else -math.inf


def doubt(observed: Any, method: "IntervalMethod") -> str | None:
    """Why the interval that `method` puts about the mean of what was `observed` is not credible; None where it may be.

    `observed` is of a class of `heldout.losses.tested_losses`. E_val, E_prog and E_test are judged by the candidate's
    losses in cross-validation, where the method reads them: they are more, and the interval has their shape.
    """
    loss: Loss = observed.loss
    memory: Memory | None = getattr(observed, "memory", None)
    if memory is not None and (long := memory.doubt(observed.n)) is not None:
        return long
    if loss.binary and loss.weighted:
        return _of_weights(observed.n, observed.rows)
    if loss.binary or method.keeps_width or method.validity != "asymptotic":
        return None
    if isinstance(observed, RepeatedByRow):
        return None if observed.row_means is None else of_losses(observed.row_means, loss)
    if observed.pool is not None and method.needs_cv:
        return of_losses(observed.pool, loss, repeats=observed.pool_repeats)
    return of_losses(observed.losses, loss, None if memory is not None else observed.cluster)


def _of_weights(n: int, rows: float) -> str | None:
    """Why an interval of 0/1 losses of n rows, effectively `rows` by weights, is not credible; None where it may be."""
    return f"by their weights {n} rows count as much as {rows:.0f}" if rows < LEAST_EFFECTIVE * n else None


def of_losses(losses: Losses, loss: Loss, cluster: Cluster = None, *, repeats: int = 1) -> str | None:
    """Why an interval of the mean of `losses`, shape (n,), is not credible; None where it may be.

    Losses that are all 0 have an upper bound of their own where the `loss` has a limit.
    """
    found = carried(losses, cluster, repeats)
    if found is None:
        if losses.max(initial=0.0) == 0 and np.isfinite(loss.limit):
            return None
        return f"all {len(losses) // repeats} losses are equal, so that nothing shows how far others lie"
    skewed = found.skewness - EXCUSED * found.relative_error >= LEAST_SKEWNESS
    if not (skewed and found.heavy(loss)) and found.rows >= LEAST_ROWS:
        return None
    return _says(found, cluster, "the loss")


def of_difference(first: Losses, other: Losses, loss: Loss, cluster: Cluster = None) -> str | None:
    """Why an interval of the mean of `first` - `other`, both of shape (n,), is not credible; None where it may be."""
    found = carried(first - other, cluster)
    if found is None or abs(found.skewness) < LEAST_SKEWNESS or not found.heavy(loss):
        return None
    return _says(found, cluster, "the differences")


def _says(found: Carried, cluster: Cluster, of_what: str) -> str:
    units = "rows" if cluster is None else "groups of rows"
    share = f"{100 * found.share:.0f} %"
    if found.named == 1:
        return f"1 of {found.n} {units} carries {share} of {of_what}"
    return f"{found.named} of {found.n} {units} carry {share} of {of_what}"


def advice(loss: Loss, *, weighted: bool = False, reasons: Collection[str] = ()) -> str:
    """What to do first where an interval is not credible: another loss, or a limit, under the names of the settings.

    Where all `reasons` are that losses in time depend on one another, no other loss helps.
    """
    if reasons and all(reason.startswith(IN_TIME) for reason in reasons):
        return "test rows of a longer time"
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
