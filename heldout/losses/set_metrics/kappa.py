"""1 - Cohen's kappa: with the share of right answers above chance, (p - e) / (1 - e).

p is the share of right answers, and e = sum_k r_k c_k that of answers at random with the same shares r of labels and c
of answers. With 1 more row of label t and answer a, p changes by [t = a] - p and e by c_t + r_a - 2 e, over all rows.
J. Cohen, A coefficient of agreement for nominal scales (Educational and Psychological Measurement 20, 1960).
"""

import numpy as np

from heldout.losses.set_metrics.own import OwnMetric
from heldout.losses.set_metrics.set_metric import Values


def of_counts(shares: Values) -> tuple[float, Values]:
    """Kappa of the `shares` of rows by label and answer, shape (C, C), and its derivatives, of the same shape."""
    right, chance, by_chance = agreement(shares)
    if chance >= 1:  # all labels and answers are of one class
        return np.nan, np.full_like(shares, np.nan)
    kappa = (right - chance) / (1 - chance)
    slope = (np.eye(len(shares)) - right - (1 - kappa) * by_chance) / (1 - chance)
    return kappa, slope


def agreement(shares: Values) -> tuple[float, float, Values]:
    """The share of right answers, that of chance, and the derivative of the latter, shape (C, C)."""
    labels, answers = shares.sum(axis=1), shares.sum(axis=0)
    chance = float(labels @ answers)
    return float(np.trace(shares)), chance, answers[:, None] + labels[None, :] - 2 * chance


def value(y: Values, answers: Values, sample_weight: Values) -> float:
    """scikit-learn's."""
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(y, answers, sample_weight=sample_weight))


LOSS = OwnMetric(value, "kappa", less_is_better=False, of_counts=of_counts)
