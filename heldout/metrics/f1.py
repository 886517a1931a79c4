"""F1: the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

Two classes: of the second one. More: the mean over the classes (macro). Kind of the interval: asymptotic;
docs/method.md has its measured coverage. Of the rows that are of the class, or said to be, the
share tp / (tp + fp + fn) is binomial. Near F1 = 1 this gives F1 the variance F1 (1 - F1) / 2m for m rows of the class:
hence the limit of n_eff.
"""

import numpy as np

from heldout.metrics import jackknife
from heldout.metrics.metric import Answered, Metric, Values


def value(answered: Answered) -> float:
    """scikit-learn's."""
    from sklearn.metrics import f1_score

    classes = list(answered.positives)
    return float(
        f1_score(answered.y, answered.predicted, labels=classes, average="macro", sample_weight=answered.weights)
    )


def at(answered: Answered, weights: Values) -> Values:
    """The same at each weighting, shape (B, n)."""
    classes = list(answered.positives)
    actual, said = (np.equal.outer(places, classes).astype(float) for places in (answered.y, answered.predicted))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_classes: Values = 2 * (weights @ (actual * said)) / (weights @ (actual + said))
    mean: Values = of_classes.mean(axis=1)
    return mean


def interval(answered: Answered, value: float, level: float) -> tuple[float, float]:
    """Wilson's roots with the jackknife's variance."""
    return jackknife.share(answered, value, at, 2 * jackknife.of_the_classes(answered), level)


METRIC = Metric("f1", "F1", "class", value, at, interval, "jackknife Wilson")
