"""Student's t interval for a mean of losses that are dependent within groups, or along time.

Target: the mean loss of one fixed hypothesis on rows of new groups, or along the stream; or the mean loss
of the progressive hypothesis, where the errors along the steps are close to one another.
Kind: asymptotic in the number G of clusters, for any loss.
Source: W. G. Cochran, Sampling techniques (1977), section 6.3, the ratio estimator; K.-Y. Liang, S. L. Zeger,
Biometrika 73 (1986), the same as the "sandwich"; A. M. Law, W. D. Kelton, Simulation modeling and analysis,
batch means, for consecutive rows.

Cluster g has n_g rows with the sum of losses s_g, so that the mean is the ratio q = sum s_g / sum n_g of two means
over clusters. Linearised, q - E = sum (s_g - E n_g) / n up to terms of order 1/G; the terms are independent, hence
    V = G / (G - 1) sum_g z_g^2 / n^2,   z_g = s_g - q n_g = sum over the rows of g of (loss - q),
and the bounds are q +- t sqrt(V), t with G - 1 degrees of freedom. With one row in each cluster it is Student's t.
"""

import math

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses import Losses
from heldout.observed import Tested

COVERS = {
    "E_val": "independent groups, or batches of consecutive rows nearly so; finite variance, many of them",
    "E_test": "independent groups, or batches of consecutive rows nearly so; finite variance, many of them",
    "E_prog": "independent groups, errors of the hypotheses close to one another, finite variance, many groups",
}


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """q +- t sqrt(V), G >= 2."""
    reach = two_sided_t(level, observed.units - 1) * math.sqrt(variance(observed.losses, observed.cluster))
    return observed.error - reach, observed.error + reach


def variance(losses: Losses, cluster: NDArray[np.int64] | None) -> float:
    """V for `losses`, shape (n,), and the `cluster` of each row, 0 … G-1; None where each row is a cluster."""
    centred = losses - losses.mean()
    sums = centred if cluster is None else np.bincount(cluster, weights=centred)
    return float(sums @ sums) / len(losses) ** 2 * len(sums) / (len(sums) - 1)


METHOD = IntervalMethod(
    name="clustered t",
    covers=COVERS,
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=2,
    least_units=2,
)
