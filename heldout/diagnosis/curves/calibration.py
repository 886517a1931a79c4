"""The calibration curve: how often the class came true among rows with about the same probability of it.

The rows and the bins are those of the calibration error (`heldout.metrics.calibration_error`), so that it is the mean
over the curve's rows of |share - probability|.

The bounds of a share are Clopper and Pearson's, for each bin by itself. The share of a bin has less variance than a
binomial share if its rows have different probabilities to come true (W. Hoeffding, Annals of Mathematical Statistics
27, 1956), so that they are on the wide side. There are none for rows in groups, in time order, or with weights.
"""

import numpy as np

from heldout.intervals import clopper_pearson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.metrics.calibration_error import BINS, bin_of, judged_class
from heldout.metrics.metric import Answered
from heldout.records import CalibrationBin


def calibration_curve(answered: Answered, level: float) -> list[CalibrationBin]:
    """A line for each bin that has a row that counts; empty without probabilities."""
    if answered.classes is None or answered.probabilities is None:
        return []
    came_true, probability = judged_class(answered)
    name = str(answered.classes[1]) if len(answered.classes) == 2 else ""
    independent = answered.cluster is None and np.ptp(answered.weights) == 0
    lines = []
    for place, inside in enumerate(bin_of(probability).T.astype(np.bool_) & (answered.weights > 0)):
        if not inside.any():
            continue
        weights, true = answered.weights[inside], came_true[inside]
        mean, share = (float(np.average(of, weights=weights)) for of in (probability[inside], true))
        low, high = clopper_pearson.bounds(Tested(true, ZERO_ONE), level) if independent else (None, None)
        ends = place / BINS, (place + 1) / BINS
        lines.append(
            CalibrationBin(name, *ends, int(inside.sum()), mean, share, low, high, level if independent else None)
        )
    return lines
