"""Wilson's limits of each class and value of a loss, put together: for the balanced error, for costs and their like.

Target: the mean loss of one fixed hypothesis on new independent examples, or of the progressive hypothesis, where the
loss follows from the right class and the answer; for the balanced loss the mean over the classes of the error of each.
Kind: asymptotic; close to its level with a handful of tested rows of the rarest class (docs/decisions/0008).
Source: R. G. Newcombe, Interval estimation for the difference between independent proportions (Statistics in Medicine
17, 1998); G. Y. Zou, A. Donner, Construction of confidence limits about effect measures: a general approach (the same,
27, 2008), the method of variance estimates recovery; E. B. Wilson (1927) for the limits of a share.

The error is E = sum over classes c of s_c m_c, s_c the share of the class, m_c the mean loss of its rows: the sum over
the values v above 0 of v p_cv. Of the n_c tested rows of the class the share p_cv has the loss v; Wilson's limits of
it are l and u, 0 and 1 where n_c = 0. The distance from an estimate to its limit stands for z standard errors, also
where the estimate is 0, and squares of distances add up:
    below_c^2 = sum_v v^2 (p_cv - l)^2,   above_c^2 = sum_v v^2 (u - p_cv)^2,   above_c at most the largest v less m_c;
    high = sum s_c m_c + sqrt(sum_c (s_c above_c)^2 + (r_c above_c)^2 + R^2),   and low in the same way.
The covariance of the values of a class is negative and left out, on the wide side. Where the s_c are shares of N
labelled rows, r_c is the distance to Wilson's limit of s_c, and R^2 = sum (r_c m_c)^2 with the covariances of shares,
that is times (sum s m^2 - E^2) / sum s (1 - s) m^2. For the balanced loss s_c v = 1 / C is no estimate: r_c = R = 0.
The mean of the losses is another number than sum s_c m_c where the tested rows have other shares; both are inside.

Losses of a class that are no known value (means over several partitions) have limits as a share of the largest, whose
variance theirs does not exceed. Rows that depend: shares are those of the tested rows, a share counts as many rows as
its variance between the clusters implies, as in `clustered_wilson`, and no limit is nearer than that of `clustered_t`.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import clustered_t
from heldout.intervals.method import IntervalMethod, two_sided_normal, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses import Losses
from heldout.losses.cells import Cells
from heldout.losses.tested_losses import Tested, effective_number

Cluster = NDArray[np.int64] | None


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The limits for `observed.losses`, shape (n,), of the classes in `observed.cells`."""
    if observed.cluster is None:
        return limits(observed, two_sided_normal(level))
    quantile = two_sided_t(level, clustered_t.degrees(observed))
    low, high = limits(observed, quantile)
    reach = quantile * math.sqrt(clustered_t.variance_of(observed))
    return min(low, observed.error - reach), max(high, observed.error + reach)


def limits(observed: Tested, quantile: float, worth: float = 1.0) -> tuple[float, float]:
    """The same for a quantile in place of z, where a tested row weighs as much as `worth` independent rows."""
    cells: Cells = observed.cells  # type: ignore[assignment]  # `IntervalMethod.interval` asks for it
    cluster = observed.cluster
    if cluster is not None:
        cells = cells.with_own_shares()
    inside = [cells.actual == place for place in range(len(cells.values))]
    of_classes = [
        _of_class(observed.losses[rows], values, None if cluster is None else cluster[rows], quantile, worth)
        for rows, values in zip(inside, cells.values, strict=True)
    ]
    sizes = [cells.rows if cluster is None else _size(rows.astype(np.float64), cluster) for rows in inside]
    mean, below, above = np.array(of_classes).T
    share, error, reach = cells.share, float(cells.share @ mean), []
    for away, side in ((below, 0), (above, 1)):
        of_share, together = _of_shares(cells, sizes, mean, quantile, side)
        reach.append(math.sqrt(float((share**2 + of_share**2) @ away**2) + together))
    return min(error - reach[0], observed.error), max(error + reach[1], observed.error)


def _of_shares(
    cells: Cells, sizes: Sequence[float], mean: Losses, quantile: float, side: int
) -> tuple[NDArray[np.float64], float]:
    """r_c, shape (C,), of shares among so many rows each, and R^2."""
    if math.isinf(cells.rows):
        return np.zeros(len(mean)), 0.0
    share = cells.share
    ends = np.array([roots_at(one, size, quantile)[side] for one, size in zip(share.tolist(), sizes, strict=True)])
    alone = float((share * (1 - share)) @ mean**2)
    together = max(float(share @ mean**2) - float(share @ mean) ** 2, 0.0)
    return ends - share, together / alone * float((ends - share) ** 2 @ mean**2) if alone > 0 else 0.0


def _of_class(
    losses: Losses, values: Losses, cluster: Cluster, quantile: float, worth: float
) -> tuple[float, float, float]:
    """m_c, and how far its limits are below and above, from the `losses` of the class's tested rows, shape (n_c,)."""
    largest = float(np.max(values, initial=np.max(losses, initial=0.0)))
    if not len(losses):
        return 0.0, 0.0, largest
    if not np.isin(losses, np.append(values, 0.0)).all():
        values, shares = np.array([largest]), [losses / largest]
    else:
        shares = [(losses == value).astype(np.float64) for value in values.tolist()]
    ends = np.array([roots_at(float(one.mean()), max(_size(one, cluster) * worth, _TINY), quantile) for one in shares])
    mean, away = float(losses.mean()), np.zeros(2)
    if len(shares):
        away = np.sqrt(values**2 @ (ends - np.array([[one.mean()] for one in shares])) ** 2)
    return mean, min(float(away[0]), mean), min(float(away[1]), largest - mean)


def _size(share: Losses, cluster: Cluster) -> float:
    """As how many independent rows the tested rows of a class count for a mean in [0, 1], shape (n_c,)."""
    n, q = len(share), float(share.mean())
    if cluster is None:
        return float(n)
    of_class = np.unique(cluster, return_inverse=True)[1]
    units = effective_number(of_class)
    if units <= 1 or not 0 < q < 1:
        return units
    return q * (1 - q) / max(clustered_t.variance(share, of_class), q * (1 - q) / n)


_TINY = 1e-9  # rows
METHOD = IntervalMethod(
    name="Wilson by class",
    covers={
        "E_val": "independent examples, fixed hypothesis, shares of classes as in the labelled rows",
        "E_test": "independent examples, fixed hypothesis, shares of classes as in the labelled rows",
        "E_prog": "independent examples, errors of the hypotheses close to one another",
    },
    losses="of costs",
    validity="asymptotic",
    bounds=bounds,
    least=3,
    units_above=2,
    keeps_width=True,
    has_mirror=False,
)
