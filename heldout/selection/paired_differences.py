"""The differences of a candidate's error from those of others on the same rows, and their variances: no further fit.

d are the differences of two candidates' losses row by row, by hypotheses trained on the same rows. The variance of
their mean is that of the corrected resampled t on the J subsamples that the candidates share, where E_cv has them, but
not less than that of N independent rows (`heldout.intervals.corrected_t`), or for 1 - a metric this times the factor
for hypotheses that share training rows (`heldout.estimates.of_metric`), with J - 1 degrees of freedom. Without
subsamples it is the variance of a mean of independent rows or clusters times the factor for hypotheses that share
training rows, with one degree less than there are rows or clusters.

Rows that did not come up. Where the limit L of a loss is known, or the largest value of a user's own of classes, m more
rows are counted, half of them with d = L and half with d = -L. With n independent rows and the variance s of their
mean, the variance is not less than

    s + m (L^2 + mean(d)^2 n / (n + m)) / n^2.

Of rows in clusters n is the number of independent rows that would have the variance of the clusters, between the number
of clusters and that of rows; where no row differs, that of clusters. Of rows with weights it is the effective number.

For losses of 0 and 1, m = 2 and the normal quantile the interval leaves 0 out where that of Bonett and Price does (D.
G. Bonett, R. M. Price, J. Educational and Behavioral Statistics 37, 2012). Losses of 0 and L have m = 2: two errors
that are equal have as many rows on which the one loses alone as the other. Classes that cost unlike amounts
(`balanced`, `cost`) have not: the error of one may come from few rows of large loss, of which none came up. They have
m = max(2, z^2 / 2), z the normal quantile of the level, so that none of n rows leaves L z^2 / (n sqrt(2)), close to
Wilson's upper limit (the method of variance estimates recovery with a cell that was not observed: G. Y. Zou, A. Donner,
Statistics in Medicine 27, 2008). Other losses with a limit are counted so where no row differs: no interval of theirs
has width 0. That two errors differ by little, the claim `alike`, takes m = z^2 for each loss with a limit: of none of n
rows L z^2 / n.

Of forecasts from several cutoffs the variance is that of `heldout.selection.diebold_mariano`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss, Losses
from heldout.losses.origins import Origins
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.schemes.set_metrics import CrossValidatedSets, TestedSet
from heldout.selection import metric_differences
from heldout.selection.diebold_mariano import by_cutoff, fixed_smoothing, harvey_leybourne_newbold

_ROUNDING = 1e-9  # losses that are closer, as a share of their sum, differ by rounding alone
_BONETT_PRICE = 2.0
Levels = float | NDArray[np.float64]


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

    `of_rows`, shape (M,), is the variance by the losses of the rows alone, of independent rows or clusters, and `rows`,
    shape (M,), how many independent rows have it.
    `of_subsamples` says whether `variance` is that of further fits. Without enough independent rows or clusters it is
    infinite. The `loss` is that of the rows; None where no limit of its own is counted, as for 1 - a metric. The
    `limit` is that of the loss, or the largest of its known values.
    """

    error: NDArray[np.float64]
    variance: NDArray[np.float64]
    degrees: float
    of_rows: NDArray[np.float64]
    rows: NDArray[np.float64]
    loss: Loss | None = None
    limit: float = math.inf
    of_subsamples: bool = False

    def reach(self, level: Levels) -> NDArray[np.float64]:
        """Half the width of a two-sided interval for each difference, shape (M,); 0 at a level of 0 or below.

        `level` is one for all, or has the shape (M,).
        """
        loss = self.loss
        if loss is None or not math.isfinite(self.limit):
            return self._reach(level, self.variance)
        least = self._with_more_rows(_more_rows(loss, level), self.limit)
        if not _of_few_values(loss):
            least = np.where((self.error == 0) & (self.of_rows == 0), least, 0.0)
        return self._reach(level, np.maximum(self.variance, least))

    def closer_than(self, margin: float, level: Levels) -> NDArray[np.bool_]:
        """Whether enough rows tell that a difference is within the `margin`, shape (M,): with z^2 more rows.

        True for losses without a limit, of which nothing is known but what came up.
        """
        if self.loss is None or not math.isfinite(self.limit):
            return np.ones(len(self.error), dtype=bool)
        least = self._with_more_rows(_normal(level) ** 2, self.limit)
        reach = self._reach(level, np.maximum(self.variance, least))
        closer: NDArray[np.bool_] = np.abs(self.error) + reach <= margin
        return closer

    def _with_more_rows(self, more: Levels, limit: float) -> NDArray[np.float64]:
        """The variance of the mean with so `more` rows, on half of which each loses the limit alone."""
        squared = limit**2 + self.error**2 * self.rows / (self.rows + more)
        least: NDArray[np.float64] = self.of_rows + more * squared / self.rows**2
        return least

    def _reach(self, level: Levels, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import stdtrit

        if self.degrees <= 0:
            return np.full_like(variance, np.inf)
        reach: NDArray[np.float64] = stdtrit(self.degrees, (1 + np.maximum(level, 0.0)) / 2) * np.sqrt(variance)
        return reach


@dataclass(frozen=True, eq=False)
class OfOrigins(PairedDifferences):
    """Of forecasts from cutoffs, with the `smoothed` variance and its degrees of freedom, both of shape (M,)."""

    smoothed: NDArray[np.float64] = None  # type: ignore[assignment]  # always given: fields before it have defaults
    smoothed_degrees: NDArray[np.float64] = None  # type: ignore[assignment]

    def _reach(self, level: Levels, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import stdtrit

        smoothed: NDArray[np.float64] = stdtrit(self.smoothed_degrees, (1 + np.maximum(level, 0.0)) / 2) * np.sqrt(
            self.smoothed
        )
        return np.maximum(super()._reach(level, variance), smoothed)


def _of_few_values(loss: Loss) -> bool:
    """Whether answers are classes, so that a row of a rare class may lose far more than the rows that came up."""
    return loss.needs == "class" or loss.binary or loss.two_valued


def _more_rows(loss: Loss, level: Levels) -> Levels:
    if loss.binary or loss.two_valued:
        return _BONETT_PRICE
    more: Levels = np.maximum(_BONETT_PRICE, _normal(level) ** 2 / 2)
    return more


def _normal(level: Levels) -> NDArray[np.float64]:
    """The normal quantile of (1 + level) / 2."""
    from scipy.special import ndtri

    found: NDArray[np.float64] = ndtri((1 + np.maximum(level, 0.0)) / 2)
    return found


def paired_differences(observed: Sequence[Tested], place: int, folds: int | None) -> PairedDifferences:
    """Of the candidate at `place`, from all that were tested on the same rows.

    `folds` is the number of folds whose hypotheses share training rows, None for none.
    """
    first = observed[place]
    different = _less(np.stack([of.losses for of in observed]), place)
    found = differences_of_rows(different, first, folds)
    if first.origins is not None:
        return _of_origins(found, different, first.origins)
    subsamples = _subsample_errors(observed)
    if found.degrees == 0:
        return replace(found, of_subsamples=subsamples is not None)
    if subsamples is not None:
        table, ratio = subsamples
        j = table.shape[1]
        corrected = _squares(_less(table, place)) / (j - 1) * (1 / j + ratio)
        shared = variance_factor(folds) if isinstance(first, CrossValidatedSets) else 1.0
        variance = np.maximum(corrected, shared * found.of_rows)
        found = replace(found, variance=variance, degrees=float(j - 1), of_subsamples=True)
    return metric_differences.of_metric(found, observed, variance_factor(folds))


def differences_of_rows(different: Losses, observed: Tested, folds: int | None) -> PairedDifferences:
    """From a table of differences, shape (M, n), without subsamples.

    The columns are the rows that were `observed`, in their clusters.
    """
    error, cluster, units, n = different.mean(axis=1), observed.cluster, observed.units, observed.n
    counting = observed.rows
    loss = None if isinstance(observed, CrossValidatedSets | TestedSet) else observed.loss
    limit = math.inf if loss is None else _limit(observed)
    if units < 2 or (cluster is not None and units <= 2):
        endless = np.full_like(error, np.inf)
        return PairedDifferences(error, endless, 0.0, endless, np.full_like(error, units), loss, limit)
    of_independent = _squares(different) / (n - 1) / n
    of_rows, rows = of_independent, np.full_like(error, counting)
    if cluster is not None:
        sums = np.stack([np.bincount(cluster, weights=row) for row in different - error[:, None]])
        of_rows = (sums**2).sum(axis=1) / n**2 * units / (units - 1)
        share = np.divide(of_independent, of_rows, out=np.zeros_like(of_rows), where=of_rows > 0)
        rows = np.clip(counting * share, units, counting)
    return PairedDifferences(error, variance_factor(folds) * of_rows, units - 1, of_rows, rows, loss, limit)


def _limit(observed: Tested) -> float:
    """The limit of the loss; of a user's own loss of classes the largest of its values, which are known by class."""
    limit, cells = observed.loss.limit, observed.cells
    if math.isfinite(limit) or cells is None:
        return limit
    return max((float(values.max(initial=0.0)) for values in cells.values), default=limit)


def _of_origins(found: PairedDifferences, different: Losses, origins: Origins) -> OfOrigins:
    """What was `found` of the differences of M candidates, shape (M, n), with the variances of the cutoffs' means."""
    means = np.stack([by_cutoff(row, origins) for row in different])
    smoothed = [fixed_smoothing(row, origins.overlap) for row in means]
    variance = np.array([harvey_leybourne_newbold(row, origins.overlap) for row in means])
    return OfOrigins(
        error=found.error,
        variance=variance,
        degrees=float(origins.count - 1),
        of_rows=variance,
        rows=np.full_like(found.error, origins.count),
        loss=found.loss,
        limit=found.limit,
        smoothed=np.array([one for one, _ in smoothed]),
        smoothed_degrees=np.array([degrees for _, degrees in smoothed]),
    )


def _less(table: Losses, place: int) -> Losses:
    """One row of a table less each row, 0 where two numbers are equal but for rounding."""
    different = np.empty_like(table)
    for row, of in zip(different, table, strict=True):  # one by one: a table of many rows is copied nowhere
        np.subtract(table[place], of, out=row)
        row[np.abs(row) <= _ROUNDING * (np.abs(of) + np.abs(table[place]))] = 0.0
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
    return np.array([((row - row.mean()) ** 2).sum() for row in table])
