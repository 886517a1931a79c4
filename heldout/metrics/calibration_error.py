"""Expected calibration error: how far probabilities lie from the shares of rows for which they come true.

Rows are put into ten bins of equal width by their probability p: of two classes that of the second one, of more that of
the class with the largest one. ECE = sum over bins |sum over its rows (1 if it came true, else 0) - p| / n. Source:
M. P. Naeini, G. F. Cooper, M. Hauskrecht (AAAI 2015); C. Guo and others (ICML 2017).

The estimate is too high: chance alone moves each bin, also where every probability is right. So percentiles of a
bootstrap, which adds the chance again, lie above the truth. Instead: with D the vector of the bins' terms,
the distance of |D|_1 from |E D|_1 is at most |D - E D|_1. Two quantiles at `level` stand for that of the latter, and
the larger counts: of |D* - D|_1 over bootstraps of rows or clusters; and, for independent rows, of ECE for labels drawn
by the probabilities, since no bootstrap sees what is rare and did not happen. Neither sees it where all probabilities
are 0 or 1, so the distance counts at least 1 - (1 - level)^(1/n): an event of that share stays away from n rows with
probability 1 - level. The bounds are ECE minus and plus it: on the wide side, and 0 is in them unless the probabilities
are shown to be wrong. Kind: asymptotic, for this ECE of ten bins.
"""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.metrics import jackknife
from heldout.metrics.metric import Answered, Metric, Values
from heldout.selection.bootstrap import BOOTSTRAPS, draws

BINS = 10
_MOST_UNITS = 2000  # that are drawn; of more rows, parts of them


def value(answered: Answered) -> float:
    """ECE of all rows."""
    return float(at(answered, answered.weights[None])[0])


def at(answered: Answered, weights: Values) -> Values:
    """The same at each weighting, shape (B, n)."""
    right, probability = judged_class(answered)
    terms = bin_of(probability) * (right - probability)[:, None]
    of_bins: Values = np.abs(weights @ terms).sum(axis=1) / weights.sum(axis=1)
    return of_bins


def interval(answered: Answered, value: float, level: float) -> tuple[float, float]:
    """ECE and the larger quantile on both sides, cut to [0, 1]."""
    if answered.units <= 1:
        return np.nan, np.nan
    unseen = 1 - (1 - level) ** (1 / answered.units)
    reach = max(unseen, float(np.quantile(_distances(answered), level)))
    if answered.cluster is None:
        reach = max(reach, float(np.quantile(_if_right(answered), level)))
    return max(value - reach, 0.0), min(value + reach, 1.0)


def _distances(answered: Answered) -> Values:
    """|D* - D|_1 of each bootstrap."""
    right, probability = judged_class(answered)
    terms = bin_of(probability) * (answered.weights * (right - probability))[:, None]
    of_units = np.column_stack([terms, answered.weights])
    part = jackknife.parts(answered, _MOST_UNITS)
    of_units = np.array([np.bincount(part, weights=column) for column in of_units.T]).T
    of_units = of_units[np.lexsort(of_units.T)]  # the order of rows does not matter
    sums = np.concatenate([drawn @ of_units for drawn in draws(len(of_units), answered.seed)])
    totals = of_units.sum(axis=0)
    of_draws: Values = np.abs(sums[:, :-1] / sums[:, -1:] - totals[:-1] / totals[-1]).sum(axis=1)
    return of_draws


def _if_right(answered: Answered) -> Values:
    """ECE for labels that are drawn by the probabilities, so that each one is right, as often as there are draws."""
    probability, weights = judged_class(answered)[1], answered.weights
    order = np.lexsort((weights, probability))
    probability, weights = probability[order], weights[order]
    rng = np.random.default_rng(seeds.child(answered.seed, "bootstrap", 1))
    bins = bin_of(probability) * weights[:, None]
    errors = [(rng.random(len(order)) < probability) - probability for _ in range(BOOTSTRAPS)]
    of_draws: Values = np.array([np.abs(error @ bins).sum() for error in errors]) / weights.sum()
    return of_draws


def judged_class(answered: Answered) -> tuple[NDArray[np.float64], Values]:
    """Whether the class that is judged came true in each row, and its probability, both of shape (n,)."""
    shares: Values = answered.probabilities  # type: ignore[assignment]  # asked where there are some
    column = np.ones(answered.n, dtype=np.intp) if shares.shape[1] == 2 else shares.argmax(axis=1)
    return (answered.y == column).astype(np.float64), shares[np.arange(answered.n), column].astype(np.float64)


def bin_of(probability: Values) -> Values:
    """1 in the column of each row's bin, else 0, shape (n, 10)."""
    place = np.minimum((probability * BINS).astype(np.intp), BINS - 1)
    return np.eye(BINS)[place]


METRIC = Metric("calibration_error", "calibration error", "probabilities", value, at, interval, "bootstrap of the bins")
