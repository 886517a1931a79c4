"""The mean over strata (tasks, say), each of which counts alike, with the variance within strata.

q = (1/T) sum_t q_t over T strata of n_t rows, whose rows are independent draws from each stratum by itself (W. G.
Cochran, Sampling techniques, 1977, section 5.3): V = (1/T^2) sum_t s_t^2 / n_t, s_t^2 with divisor n_t - 1. Differences
between strata are no noise. The terms

    q + n / (T n_t) sqrt(n_t / (n_t - 1)) (L_i - q_t)

of n rows have the mean q, and their variance with divisor n, over n, is V. They take the place of losses as those of a
ratio do (`heldout.losses.ratio`), with the weights n / (T n_t). A stratum of one row has no variance, and adds none.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from heldout.losses.tested_losses import Tested


def of_strata(observed: Mapping[str, Tested], stratum: NDArray[np.int64]) -> dict[str, Tested]:
    """What was observed of each candidate, by the `stratum` of each row, shape (n,), numbered from 0."""
    sizes = np.bincount(stratum)
    weights = (len(stratum) / len(sizes) / sizes)[stratum]
    wider = np.sqrt(sizes / np.maximum(sizes - 1, 1))[stratum]
    return {name: _of_strata(seen, stratum, sizes, weights, wider) for name, seen in observed.items()}


def _of_strata(
    seen: Tested,
    stratum: NDArray[np.int64],
    sizes: NDArray[np.int64],
    weights: NDArray[np.float64],
    wider: NDArray[np.float64],
) -> Tested:
    means = np.bincount(stratum, weights=seen.losses) / sizes
    terms = float(means.mean()) + weights * wider * (seen.losses - means[stratum])
    return replace(seen, losses=terms, loss=seen.loss.with_weights(), weights=weights)
