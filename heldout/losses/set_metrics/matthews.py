"""1 - Matthews' correlation of labels and answers (MCC): (p - e) / sqrt((1 - sum r^2) (1 - sum c^2)).

p, e, r and c are those of `heldout.losses.set_metrics.kappa`. Answers of one class alone have the correlation 0, as in
scikit-learn. B. W. Matthews (Biochimica et Biophysica Acta 405, 1975); of more classes J. Gorodkin (Computational
Biology and Chemistry 28, 2004).
"""

import numpy as np

from heldout.losses.set_metrics.kappa import agreement
from heldout.losses.set_metrics.own import OwnMetric
from heldout.losses.set_metrics.set_metric import Values


def of_counts(shares: Values) -> tuple[float, Values]:
    """The correlation by the `shares` of rows by label and answer, shape (C, C), and its derivatives."""
    labels, answers = shares.sum(axis=1), shares.sum(axis=0)
    of_labels, of_answers = 1 - float(labels @ labels), 1 - float(answers @ answers)
    if of_labels <= 0 or of_answers <= 0:
        return 0.0, np.zeros_like(shares)
    right, chance, by_chance = agreement(shares)
    root = np.sqrt(of_labels * of_answers)
    correlation = (right - chance) / root
    of_margins = 2 * ((1 - of_labels) - labels)[:, None] / of_labels + 2 * ((1 - of_answers) - answers) / of_answers
    slope = (np.eye(len(shares)) - right - by_chance) / root - correlation / 2 * of_margins
    return float(correlation), slope


def value(y: Values, answers: Values, sample_weight: Values) -> float:
    """scikit-learn's."""
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(y, answers, sample_weight=sample_weight))


LOSS = OwnMetric(value, "mcc", less_is_better=False, of_counts=of_counts)
