"""F1: the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

Two classes: of the second one. More: the mean over the classes (macro). Kind of the interval: asymptotic;
docs/losses.md has its measured coverage. Of the u rows that are of the class, or predicted to be, the share J = tp / u
is binomial, and F1 = 2 J / (1 + J). So F1 has the variance F1 (1 - F1) (2 - F1)^2 / 2u, hence the limit of n_eff: 2u
where F1 is 1, but u / 2 where it is 0, as of a rare class that is never predicted.
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
    concerned = [(answered.y == place) | (answered.predicted == place) for place in answered.positives]
    return jackknife.share(answered, value, at, 2 / (2 - value) ** 2 * jackknife.units(answered, concerned), level)


METRIC = Metric("f1", "F1", "class", value, at, interval, "jackknife Wilson")
