"""E_mcc: 1 - Matthews' correlation of labels and predicted classes, by cross-validation."""

from sklearn.metrics import matthews_corrcoef

from heldout.estimates.of_metric import definition
from heldout.losses.set_metrics import SetMetric, by_difference, of_mean


def correlation(inside, said, weights):
    """Of one class against the rest: scikit-learn's."""
    return matthews_corrcoef(inside, said, sample_weight=weights)


def size(sizes, metric):
    """As many independent rows as the class has at most."""
    return of_mean(sizes)


LOSS = SetMetric(
    name="1 - Matthews' correlation",
    metric="Matthews' correlation",
    also=("mcc", "matthews_corrcoef"),
    needs="class",
    of_class=by_difference(correlation),
    every_class=False,
    size=size,
)
ESTIMATE = definition("E_mcc", LOSS, column=18)
