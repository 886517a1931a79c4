"""The area under the ROC curve: the chance that a row of the class is ranked above another row.

Rows are ranked by the probability of the class, or else by its score. Two classes: of the second one. More: the mean
over the classes, each against the rest. Half a tie counts. Kind of the interval: asymptotic; docs/losses.md has its
measured coverage. Source of the limit of n_eff: J. A. Hanley, B. J. McNeil (Radiology 143, 1982), whose variance for m
rows of the class and n others is near A (1 - A) / 2m at A = 1, and near A (1 - A) / 2n if the two are exchanged; the
limit has the mean of both, A (1 - A) (m + n) / (4 m n).
"""

import numpy as np

from heldout.metrics import jackknife
from heldout.metrics.metric import Answered, Metric, Values


def value(answered: Answered) -> float:
    """scikit-learn's, in the mean over the classes that it is about."""
    from sklearn.metrics import roc_auc_score

    areas = [roc_auc_score(rows, share, sample_weight=answered.weights) for rows, share in answered.one_against_rest()]
    return float(np.mean(areas))


def at(answered: Answered, weights: Values) -> Values:
    """The same at each weighting, shape (B, n): pairs in the right order over all pairs."""
    areas = []
    for rows, share in answered.one_against_rest():
        order = np.argsort(share, kind="stable")
        starts = np.flatnonzero(np.diff(share[order], prepend=-np.inf))
        sorted_weights, of_class = weights[:, order], rows[order]
        inside = np.add.reduceat(sorted_weights * of_class, starts, axis=1)
        outside = np.add.reduceat(sorted_weights * ~of_class, starts, axis=1)
        below = np.cumsum(outside, axis=1) - outside / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            areas.append((inside * below).sum(axis=1) / (inside.sum(axis=1) * outside.sum(axis=1)))
    mean: Values = np.mean(areas, axis=0)
    return mean


def interval(answered: Answered, value: float, level: float) -> tuple[float, float]:
    """Wilson's roots with the jackknife's variance."""
    return jackknife.share(answered, value, at, _largest(answered), level)


def _largest(answered: Answered) -> float:
    sizes = []
    for rows, _ in answered.one_against_rest():
        inside, outside = answered.units_of(rows), answered.units_of(~rows)
        sizes.append(4 * inside * outside / (inside + outside))
    return jackknife.of_mean(sizes)


METRIC = Metric("auc", "AUC", "ranks", value, at, interval, "jackknife Wilson")
