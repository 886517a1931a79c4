"""The differences of a candidate's error from those of others on the same rows, and their variances: no further fit.

d are the differences of two candidates' losses row by row, by hypotheses trained on the same rows. The variance of
their mean is that of the corrected resampled t on the J subsamples that the candidates share, where E_cv has them, but
not less than that of N independent rows (`heldout.intervals.corrected_t`), or for 1 - a metric this times the factor
for hypotheses that share training rows (`heldout.estimates.of_metric`), with J - 1 degrees of freedom. Without
subsamples it is the variance of a mean of independent rows or clusters times the factor for hypotheses that share
training rows, with one degree less than there are rows or clusters. For losses of 0 and 1, or 0 and L, it is also not
less than with one more row on which the two differ, or candidates that agree on every row would seem to have one error
(A. Agresti, Y. Min, Statistics in Medicine 24, 2005).

For such losses of independent rows an interval leaves 0 out only if the sign test does too: of the rows on which one of
two hypotheses of equal error errs alone, the number that are the first one's is binomial with 1/2 (Q. McNemar,
Psychometrika 12, 1947). So for hypotheses that were fixed before the rows it does at most as often as it may, in few
rows too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import two_sided_t
from heldout.losses import Loss, Losses
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.schemes.whole_parts import CrossValidatedParts
from heldout.selection import metric_differences
from heldout.selection.margin import closer_than

_ROUNDING = 1e-9  # losses that are closer, as a share of their sum, differ by rounding alone


def variance_factor(folds: int | None) -> float:
    """Var of a mean of held-out losses over what it would be for independent rows: 1 + k / (k - 1).

    It is S^2 (1/k + 1/(k - 1)) over S^2 / k, for losses whose hypotheses share their training rows; 1 for
    rows that a single hypothesis was tested on, or steps of a martingale (`folds` None). A heuristic of C. Nadeau and
    Y. Bengio (Machine Learning 52, 2003).
    """
    return 1.0 if folds is None else 1 + folds / (folds - 1)


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """The error of one candidate less that of each of M candidates, shape (M,), and its `variance`.

    `of_subsamples` says whether the variance is that of further fits. Without a second independent row or cluster the
    variance is infinite. `alone`, shape (2, M), counts the rows on which the one errs alone, and the other does; None
    where losses have more than two values, or rows depend on one another. `errs_alone` has the same as numbers, also of
    means over several partitions and of dependent rows, next to the limit of the loss and the number of `units`: of
    groups a row counts as its part of one.
    """

    error: NDArray[np.float64]
    variance: NDArray[np.float64]
    degrees: float
    of_subsamples: bool
    alone: NDArray[np.int64] | None = None
    errs_alone: NDArray[np.float64] | None = None
    limit: float = 1.0
    units: float = 0.0

    def closer_than(self, margin: float, level: float) -> NDArray[np.bool_]:
        """Whether enough rows tell that a difference is within the `margin`, shape (M,): the score test at both ends.

        True where the losses have more than two values.
        """
        if self.errs_alone is None:
            return np.ones(len(self.error), dtype=bool)
        return closer_than(margin / self.limit, self.errs_alone, self.units, level)

    def reach(self, level: float) -> NDArray[np.float64]:
        """Half the width of a two-sided interval for each difference, shape (M,); 0 at a level of 0 or below."""
        if self.degrees <= 0:
            return np.full_like(self.variance, np.inf)
        reach: NDArray[np.float64] = two_sided_t(max(level, 0.0), self.degrees) * np.sqrt(self.variance)
        if self.alone is None:
            return reach
        chance = np.minimum(2 * _binomial_tail(self.alone.min(axis=0), self.alone.sum(axis=0)), 1.0)
        return np.where(chance > 1 - level, np.maximum(reach, np.abs(self.error)), reach)


def paired_differences(observed: Sequence[Tested], place: int, folds: int | None) -> PairedDifferences:
    """Of the candidate at `place`, from all that were tested on the same rows.

    `folds` is the number of folds whose hypotheses share training rows, None for none.
    """
    first = observed[place]
    different = _less(np.stack([of.losses for of in observed]), place)
    error = different.mean(axis=1)
    subsamples = _subsample_errors(observed)
    of_subsamples = subsamples is not None
    if first.units < 2:
        return PairedDifferences(error, np.full_like(error, np.inf), 0.0, of_subsamples)
    if subsamples is not None:
        table, ratio = subsamples
        j = table.shape[1]
        corrected = _squares(_less(table, place)) / (j - 1) * (1 / j + ratio)
        shared = variance_factor(folds) if isinstance(first, CrossValidatedParts) else 1.0
        least = shared * _squares(different) / (first.n - 1) / first.n
        variance, degrees = np.maximum(corrected, least), float(j - 1)
    else:
        variance, degrees = variance_of_rows(different, first, folds)
    variance = with_one_more_row(variance, different, first.loss)
    alone, errs_alone, limit = None, None, first.loss.limit
    two_valued = first.loss.binary or first.loss.two_valued
    if two_valued and first.loss.bounded:
        of_both = np.abs(different).mean(axis=1)
        errs_alone = first.units / (2 * limit) * np.stack([of_both + error, of_both - error])
    if two_valued and first.cluster is None and np.isin(different, (-limit, 0.0, limit)).all():
        alone = np.stack([(different > 0).sum(axis=1), (different < 0).sum(axis=1)])
    found = PairedDifferences(error, variance, degrees, of_subsamples, alone, errs_alone, limit, first.units)
    return metric_differences.with_one_more_row(found, observed, variance_factor(folds))


def variance_of_rows(different: Losses, observed: Tested, folds: int | None) -> tuple[NDArray[np.float64], float]:
    """The variance of the mean of each row of a table, shape (M, n), without subsamples, and its degrees of freedom.

    The columns are the rows that were `observed`, in their clusters, of which there are at least two.
    """
    sums = _by_cluster(different - different.mean(axis=1, keepdims=True), observed.cluster)
    degrees = observed.units - 1
    return variance_factor(folds) * (sums**2).sum(axis=1) / observed.n**2 * observed.units / degrees, degrees


def with_one_more_row(variance: NDArray[np.float64], different: Losses, loss: Loss) -> NDArray[np.float64]:
    """A variance of the mean difference, shape (M,), that is not less than with one more row on which two differ.

    So for losses of 0 and a limit: half a row on which each loses alone. Others keep their variance.
    """
    if not (loss.binary or loss.two_valued):
        return variance
    rows, sums = different.shape[1] + 2, different.sum(axis=1)
    squares: NDArray[np.float64] = (different**2).sum(axis=1) + loss.limit**2
    least: NDArray[np.float64] = np.maximum(variance, (squares - sums**2 / rows) / rows**2)
    return least


def _binomial_tail(count: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Pr(Bin(n, 1/2) <= count)."""
    from scipy.special import bdtr

    found: NDArray[np.float64] = bdtr(count, n, 0.5)
    return found


def _less(table: Losses, place: int) -> Losses:
    """One row of a table less each row, 0 where two numbers are equal but for rounding."""
    different: Losses = table[place] - table
    different[np.abs(different) <= _ROUNDING * (np.abs(table) + np.abs(table[place]))] = 0.0
    return different


def _subsample_errors(observed: Sequence[Tested]) -> tuple[Losses, float] | None:
    """The errors of shared subsamples, shape (M, J), and the number of rows tested for each row trained on."""
    errors = [of.subsample_errors for of in observed if isinstance(of, CrossValidated)]
    given = [one for one in errors if one is not None]
    if not given:
        return None
    return np.stack(given), float(getattr(observed[0], "tested_per_trained", None) or 0.0)


def _squares(table: Losses) -> NDArray[np.float64]:
    """The sum of squares of each row about its mean."""
    found: NDArray[np.float64] = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return found


def _by_cluster(table: Losses, cluster: NDArray[np.int64] | None) -> Losses:
    return table if cluster is None else np.stack([np.bincount(cluster, weights=row) for row in table])
