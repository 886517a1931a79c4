"""Student's t interval for a mean of losses that are dependent within groups, or along time.

Target: the mean loss of one fixed hypothesis on rows of new groups, or along the stream; the mean loss of the
progressive hypothesis, where the errors along the steps are close to one another; or that of the k-fold hypothesis.
Kind: asymptotic in the effective number G* of clusters, for any loss.
Source: W. G. Cochran, Sampling techniques (1977), section 6.3, the ratio estimator; K.-Y. Liang, S. L. Zeger,
Biometrika 73 (1986), the same as the "sandwich"; L. Kish, Survey sampling (1965), section 11.7, and C. A. Carter,
K. T. Schnepel, D. G. Steigerwald (Review of Economics and Statistics 99, 2017) for the effective number; Nadeau, Bengio
(Machine Learning 52, 2003) for folds.

Cluster g has n_g rows with the sum of losses s_g, so that the mean is the ratio q = sum s_g / sum n_g of two means
over clusters. Linearised, q - E = sum (s_g - E n_g) / n up to terms of order 1/G; the terms are independent, hence
    V = G* / (G* - 1) sum_g z_g^2 / n^2,   z_g = s_g - q n_g = sum over the rows of g of (loss - q),
and the bounds are q +- t sqrt(V), t with G* - 1 degrees of freedom, G* = (sum n_g)^2 / sum n_g^2. With one row in each
cluster it is Student's t.

Why G*: where the rows of a cluster are alike, q = sum w_g m_g is a mean of cluster means of one variance v with weights
w_g = n_g / n, so that Var q = v sum w_g^2 = v / G*: that of G* clusters of equal size. The large clusters pull q
towards themselves, and their z_g are too small: E sum z_g^2 / n^2 = v sum w_g^2 (1 - 2 w_g + sum w^2), which is at most
(v / G*) (1 - 1 / G*), as sum w^3 >= (sum w^2)^2. With G clusters of equal size G* = G, and equality holds. More than
two clusters are required: with fewer the quantile of t is that of a distribution without a mean, or worse.

Rows in time weigh as G* = n / L independent rows, with the correlation length L of all losses along the stream
(`heldout.losses.memory`): V = s^2 / (G* - 1), s^2 the variance of the tested losses with divisor n, which n consecutive
rows make too small by the share L / n. The degrees of freedom are those with which L is known.

E_cv of groups: a group is tested by a hypothesis that others trained, and trains those that test others, so that fold
errors are correlated; V is taken 1 + k / (k - 1) times, as for folds of equal size. In time no row trains a hypothesis
that tests an earlier one, and V stays.
"""

import math

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated, Tested, effective_number

_ONE = "independent groups, or rows in time that depend on few of the tested ones; finite variance, many of them"
COVERS = {
    "E_val": _ONE,
    "E_test": _ONE,
    "E_cv": f"{_ONE}; correlation of the folds of groups taken to be 1/k",
    "E_prog": "independent groups, errors of the hypotheses close to one another, finite variance, many groups",
}


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """q +- t sqrt(V), G* > 1."""
    reach = two_sided_t(level, degrees(observed)) * math.sqrt(variance_of(observed))
    return observed.error - reach, observed.error + reach


def degrees(observed: Tested) -> float:
    """G* - 1, or those of the correlation length in time."""
    return observed.units - 1 if observed.memory is None else observed.memory.degrees(observed.rows)


def variance_of(observed: Tested) -> float:
    """V of what was observed: of clusters, or in time; of folds of groups with their factor."""
    if observed.memory is not None:
        return float(np.var(observed.losses)) / (observed.memory.independent(observed.n) - 1)
    return factor(observed) * variance(observed.losses, observed.cluster, observed.weights)


def factor(observed: Tested) -> float:
    """1 + k / (k - 1) where hypotheses of k folds test rows that train one another's, else 1."""
    if isinstance(observed, CrossValidated) and observed.memory is None:
        return 1 + observed.folds / (observed.folds - 1)
    return 1.0


def variance(losses: Losses, cluster: NDArray[np.int64] | None, weights: Losses | None = None) -> float:
    """V for `losses`, shape (n,), and the `cluster` of each row, 0 … G-1; None where each row is a cluster.

    Of rows with `weights` the losses are terms (`heldout.losses.ratio`), and n_g is the weight of a cluster.
    """
    centred = losses - losses.mean()
    sums = centred if cluster is None else np.bincount(cluster, weights=centred)
    units = len(losses) if cluster is None else effective_number(cluster, weights)
    return float(sums @ sums) / len(losses) ** 2 * units / (units - 1)


METHOD = IntervalMethod(
    name="clustered t",
    covers=COVERS,
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least=2,
    units_above=2,
    of_row_means=True,
)
