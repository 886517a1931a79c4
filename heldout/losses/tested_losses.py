"""What an interval looks at: the losses of one candidate under one design, all frozen.

`Tested`: independent rows, or steps in their order. `CrossValidated`: rows in folds, with the errors of
further fits where a method asks for them. `RepeatedByRow`: a table of repeats by rows, by its margins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss, Losses
from heldout.losses.cells import Cells
from heldout.losses.memory import Memory
from heldout.losses.origins import Origins
from heldout.losses.ratio import Ratio

# the field of `CrossValidated` that the losses of a scheme fill, for fits beyond the k folds
FIELD_OF: Mapping[str, str] = {
    "subsamples": "subsample_errors",
    "repeated_folds": "repeated_errors",
    "fold_pairs": "pair_losses",
}


@dataclass(frozen=True, eq=False)
class Tested:
    """The `losses`, shape (n,), of tested rows; of a stream, in the order of its steps.

    `seed` is for the methods that draw at random (a bootstrap, an order of bets). `cluster`, shape (n,), numbers
    the group or the batch of each row, 0 … G-1; None for independent rows. `pool`, shape (N,) or more, are the
    candidate's losses in cross-validation, for the methods that read them, each row `pool_repeats` times. `cells` are
    the classes of the rows, for a loss whose values are known by class. `memory` says how long losses of rows in time
    depend on one another, where the interval asks for it.

    `origins` are the cutoffs of forecasts. Where rows count by `weights`, shape (n,), the losses are the terms of their
    ratio (`heldout.losses.ratio`).
    """

    losses: Losses
    loss: Loss
    seed: int = 0
    cluster: NDArray[np.int64] | None = None
    pool: Losses | None = None
    pool_repeats: int = 1
    cells: Cells | None = None
    memory: Memory | None = None
    weights: Losses | None = None
    origins: Origins | None = None

    @property
    def error(self) -> float:
        """The mean loss, or the ratio of weighted losses."""
        return float(np.mean(self.losses))

    @property
    def n(self) -> int:
        """The number of rows that the mean is over."""
        return len(self.losses)

    @property
    def units(self) -> float:
        """The number of independent units: of rows, of those that rows in time weigh as, or of clusters in effect; with
        weights the effective number."""
        if self.memory is not None:
            return self.memory.independent(self.rows)
        return self.rows if self.cluster is None else effective_number(self.cluster, self.weights)

    @property
    def rows(self) -> float:
        """The number of rows, or the effective number of rows with weights."""
        return self.n if self.weights is None else effective_number(np.arange(self.n), self.weights)

    def of(self, which: NDArray[np.bool_]) -> Self:
        """The same of some rows, a mask of shape (n,), without their clusters; with weights by their own ratio."""
        cells = None if self.cells is None else self.cells.at(which)
        if self.weights is None:
            return replace(self, losses=self.losses[which], cluster=None, cells=cells, origins=None)
        # w L = w q + (mean w) (t - q) for a term t: the ratio of some rows from the terms of all
        weights, scale, q = self.weights[which], self.weights.mean(), self.error
        terms = self.losses[which] - q
        error = q + float(terms.sum()) * scale / weights.sum()
        return replace(
            self,
            losses=error + (scale * terms - weights * (error - q)) / weights.mean(),
            cluster=None,
            weights=weights,
            cells=cells,
            origins=None,
        )


def in_units_of_limit(observed: Tested) -> Tested:
    """The same with losses over the limit of their loss, so in [0, 1], for the methods that need this range.

    Raises BadArgument for a loss above a limit that was stated.
    """
    observed.loss.check_losses(observed.losses, np.arange(observed.n), "a hypothesis")
    return replace(observed, losses=np.minimum(observed.losses / observed.loss.limit, 1.0))


def effective_number(cluster: NDArray[np.int64], weights: Losses | None = None) -> float:
    """(sum n_g)^2 / sum n_g^2 for the numbers n_g of rows of each cluster, or the sums of their weights: how many
    clusters of equal size weigh as much (L. Kish, Survey sampling, 1965, section 11.7, for weights)."""
    sizes = np.bincount(cluster, weights=weights).astype(np.float64)
    if weights is not None:
        sizes /= sizes.max()  # the squares of large weights might overflow
    return float(sizes.sum() ** 2 / (sizes @ sizes))


@dataclass(frozen=True, eq=False)
class CrossValidated(Tested):
    """The held-out losses, shape (N,), of all tested rows in row order, and each row's `fold`, shape (N,).

    Where folds are drawn repeatedly the losses are means over R partitions, `fold` is the fold in the first one, and
    `first_errors`, shape (k,), are its errors. The others are None unless their fits were made
    (`heldout.schemes.resampling`): `subsample_errors`, shape (J,), with `tested_per_trained` rows tested for each row
    trained on; `repeated_errors`, shape (R, k), the fold errors of further partitions; `pair_losses`, shape (k, N),
    where [i, row] is the loss of a row outside fold i by the hypothesis trained without fold i and without the fold of
    the row, NaN for the rows of fold i.
    """

    fold: NDArray[np.int64] = None  # type: ignore[assignment]  # always given: fields before it have defaults
    first_errors: Losses | None = None
    subsample_errors: Losses | None = None
    tested_per_trained: float | None = None
    repeated_errors: Losses | None = None
    pair_losses: Losses | None = None

    def has(self, scheme: str) -> bool:
        """Whether the fits of a scheme beyond the k folds were made."""
        return getattr(self, FIELD_OF[scheme]) is not None

    @property
    def folds(self) -> int:
        """The number of folds, k."""
        return int(self.fold.max()) + 1

    @property
    def fold_errors(self) -> Losses:
        """The k held-out errors E_i, shape (k,); of the first partition where there are several."""
        if self.first_errors is not None:
            return self.first_errors
        return np.bincount(self.fold, weights=self.losses) / np.bincount(self.fold)


@dataclass(frozen=True, eq=False)
class RepeatedByRow:
    """A table of R repeats by n rows, each cell a loss or a disagreement, by its margins.

    `by_repeat`, shape (R,), are the means over rows; `row_variance` is the sample variance (divisor n - 1)
    of the n rows' means over repeats. The table itself is not kept: unlabelled rows are many. The `loss` of a
    disagreement is the one that compares answers (`Loss.disagreement_loss`). Where rows are tested in one repeat and
    train in another, `loss_variance` is the sample variance of the single losses, and `covariance` what pairs of rows
    that train each other's hypotheses add to the variance of the mean (`training_covariance`); both are 0 elsewhere.
    """

    by_repeat: Losses
    row_variance: float
    n: int
    loss: Loss
    seed: int = 0
    loss_variance: float = 0.0
    covariance: float = 0.0
    row_means: Losses | None = None
    weights: Losses | None = None

    @property
    def error(self) -> float:
        """The mean over the table."""
        return float(np.mean(self.by_repeat))

    @property
    def rows(self) -> float:
        """The number of rows, or the effective number of rows with weights."""
        return self.n if self.weights is None else effective_number(np.arange(self.n), self.weights)

    @property
    def units(self) -> float:
        """The number of independent units: these rows."""
        return self.rows


@dataclass(frozen=True, eq=False)
class ShardMargins:
    """The disagreement of R pairs of half models on each of S shards: a table of pairs by rows, by its margins.

    `rows`, shape (S,), are the numbers of rows; `by_repeat`, shape (R, S), the mean of each pair over the rows of a
    shard. Each row has a mean over the pairs: `means` and `variances` (divisor n), shape (S,), are its mean and its
    variance over the rows of a shard.
    """

    rows: NDArray[np.int64]
    by_repeat: Losses
    means: Losses
    variances: Losses

    @classmethod
    def of(cls, by_repeat: Losses, sums: Losses, sizes: Sequence[int]) -> Self:
        """From what `disagreements` returns for consecutive shards of `sizes` rows."""
        by_shard = np.split(sums / len(by_repeat), np.cumsum(sizes)[:-1])
        means, variances = (np.array([of(part) for part in by_shard]) for of in (np.mean, np.var))
        return cls(np.array(sizes), by_repeat, means, variances)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of the shards of all `parts`, which have the same pairs."""
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.by_repeat for part in parts], axis=1),
            np.concatenate([part.means for part in parts]),
            np.concatenate([part.variances for part in parts]),
        )

    def of_shard(self, place: int) -> "ShardMargins":
        """The margins of one shard."""
        only = slice(place, place + 1)
        return ShardMargins(self.rows[only], self.by_repeat[:, only], self.means[only], self.variances[only])

    def pooled(self, loss: Loss, seed: int) -> RepeatedByRow:
        """The margins over the rows of all shards; `seed` is for interval methods that draw at random."""
        n = int(self.rows.sum())
        mean = float(self.rows @ self.means) / n
        squares = float(self.rows @ (self.variances + (self.means - mean) ** 2))
        return RepeatedByRow(
            self.by_repeat @ self.rows / n, squares / max(n - 1, 1), n, loss.disagreement_loss or loss, seed
        )


def repeated_by_row(
    table: Losses,
    loss: Loss,
    seed: int = 0,
    half: NDArray[np.int8] | None = None,
    weights: Losses | None = None,
) -> RepeatedByRow:
    """The margins of a `table` of shape (R, n); of rows with `weights`, shape (n,), those of the terms of their ratio.

    With the `half` of each row in each repeat, of the same shape, a row of one half is tested by a hypothesis that the
    other half trained.
    """
    if weights is not None:
        table = Ratio.of(table.mean(axis=0), weights).terms(table, weights)
    rows = table.mean(axis=0)
    n = len(rows)
    spread = float(np.var(rows, ddof=1)) if n > 1 else 0.0
    made = RepeatedByRow(table.mean(axis=1), spread, n, loss, seed, row_means=rows, weights=weights)
    if half is None or n < 2:
        return made
    # divide by n - 1, not R n - 1: the cells of a row are no independent losses
    variance = float(np.var(table)) * n / (n - 1)
    return replace(made, loss_variance=variance, covariance=training_covariance(table, half))


def training_covariance(table: Losses, half: NDArray[np.int8]) -> float:
    """What pairs of rows that train each other's hypotheses add to the variance of the mean of a `table`, (R, n).

    Let D = loss - error of the hypothesis, which has the mean 0 over new rows. So the D of row i in repeat r and of
    row j in repeat s are correlated only if i trains the hypothesis that tests j, and j the one that tests i: if the
    rows lie in different halves in r and in s (`half`, shape (R, n)). Their covariance is estimated by the mean product
    of deviations from the mean loss over such pairs, less its mean over all other pairs of rows: both share what
    the hypotheses' errors have in common, and the error of the mean. Pairs with r = s are left out of both means: there
    one kind of pair is always tested by the same hypothesis, and the other never. The estimate may be below 0, by
    chance; it is 0 for a single repeat, or fewer than 3 rows. At 30 repeats of 50 to 200 rows the interval of E_2cv at
    95 % covered .835 to .963 in ten cells of classes without it, .943 to .980 with it; with the variance of
    independent losses in its place, up to 1.000 at twice the width for trees.
    """
    repeats, n = table.shape
    if repeats < 2 or n < 3:
        return 0.0
    side = np.where(half == 0, -1.0, 1.0)
    _, apart, others = _sums_of_products(table - table.mean(), side)
    every_apart, pairs_apart, other_pairs = _sums_of_products(np.ones_like(table), side)
    if not pairs_apart or not other_pairs:
        return 0.0
    return float(every_apart / (repeats * n) ** 2 * (apart / pairs_apart - others / other_pairs))


def _sums_of_products(values: Losses, side: Losses) -> tuple[float, float, float]:
    """Sums over repeats r and s and rows i != j of values[r, i] values[s, j]: where the rows lie in different halves in
    both repeats, the same for r != s alone, and for r != s over all other pairs of rows."""
    totals, of_sides = values.sum(axis=1), side @ values.T
    every, crossed, both = np.outer(totals, totals), np.diag(of_sides)[:, None] * of_sides, (side * values) @ side.T
    # (1 - side[r, i] side[r, j]) (1 - side[s, i] side[s, j]) / 4 is 1 for such rows, and 0 for others
    apart = (every - crossed - crossed.T + both * both.T) / 4
    others = every - values @ values.T - apart
    differ = ~np.eye(len(values), dtype=np.bool_)
    return float(apart.sum()), float(apart[differ].sum()), float(others[differ].sum())
