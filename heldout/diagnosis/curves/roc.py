"""The ROC curve: for each threshold, how many rows of the class, and how many others, are ranked at it or above.

Rows are ranked as for the area under it (`heldout.metrics.auc`): by the probability of the class, or else by its score;
of two classes of the second one, of more of each against the rest. scikit-learn computes the curve.
"""

import numpy as np

from heldout.metrics.metric import Answered
from heldout.records import RocPoint

MOST_CLASSES = 20  # those that most rows have
MOST_POINTS = 200  # of a class


def roc_curve(answered: Answered) -> list[RocPoint]:
    """The points of each class, from (0, 0) to (1, 1); empty where nothing ranks the rows.

    A class that no row has, or every row, has no curve. Of a curve with many points those at equal distances among
    them are kept, with both ends.
    """
    from sklearn.metrics import roc_curve as curve

    if answered.classes is None:
        return []
    counting = answered.weights > 0
    sizes = np.bincount(answered.y[counting & (answered.y >= 0)], minlength=len(answered.classes))
    largest = set(np.argsort(-sizes, kind="stable")[:MOST_CLASSES].tolist())
    lines: list[RocPoint] = []
    for place, (of_class, ranks) in zip(answered.positives, answered.one_against_rest(), strict=False):
        if place not in largest or not 0 < of_class[counting].sum() < counting.sum():
            continue
        fpr, tpr, thresholds = curve(of_class[counting], ranks[counting], sample_weight=answered.weights[counting])
        for point in np.unique(np.linspace(0, len(fpr) - 1, min(len(fpr), MOST_POINTS)).round().astype(np.intp)):
            threshold = float(thresholds[point]) if np.isfinite(thresholds[point]) else None
            lines.append(RocPoint(str(answered.classes[place]), threshold, float(fpr[point]), float(tpr[point])))
    return lines
