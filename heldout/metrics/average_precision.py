"""Average precision: the mean, over the rows of the class, of the share of that class among the rows ranked so high.

Rows are ranked by the probability of the class, or else by its score. Two classes: of the second one. More: the mean
over the classes, each against the rest. Unlike AUC it depends on how frequent the class is. Kind of the interval:
asymptotic; docs/losses.md has its measured coverage. Source of its scale: K. Boyd, K. H. Eng, C. D. Page, Area under
the precision-recall curve: point estimates and confidence intervals (ECML 2013): on the logit scale, with the rows of
the class as its size at most.
"""

import numpy as np

from heldout.metrics import jackknife
from heldout.metrics.metric import Answered, Metric, Values


def value(answered: Answered) -> float:
    """scikit-learn's, in the mean over the classes that it is about."""
    from sklearn.metrics import average_precision_score

    means = [
        average_precision_score(rows, share, sample_weight=answered.weights)
        for rows, share in answered.one_against_rest()
    ]
    return float(np.mean(means))


def at(answered: Answered, weights: Values) -> Values:
    """The same at each weighting, shape (B, n)."""
    means = []
    for rows, share in answered.one_against_rest():
        order = np.argsort(-share, kind="stable")
        starts = np.flatnonzero(np.diff(share[order], prepend=np.inf))
        sorted_weights = weights[:, order]
        inside = np.add.reduceat(sorted_weights * rows[order], starts, axis=1)
        every = np.cumsum(np.add.reduceat(sorted_weights, starts, axis=1), axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.where(every > 0, np.cumsum(inside, axis=1) / every, 0.0)
            means.append((inside * precision).sum(axis=1) / inside.sum(axis=1))
    mean: Values = np.mean(means, axis=0)
    return mean


def interval(answered: Answered, value: float, level: float) -> tuple[float, float]:
    """Wilson's roots with the jackknife's variance."""
    of_classes = [answered.y == place for place in answered.positives]
    return jackknife.share(answered, value, at, jackknife.units(answered, of_classes), level)


METRIC = Metric("average_precision", "average precision", "ranks", value, at, interval, "jackknife Wilson")
