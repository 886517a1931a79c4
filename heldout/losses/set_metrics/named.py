"""The metrics that a comparison has by name, besides those of estimates (`heldout.estimates.criteria`)."""

from collections.abc import Mapping, Sequence

from heldout.losses.choice import as_written
from heldout.losses.set_metrics import kappa, matthews, precision, r_squared, recall, specificity
from heldout.losses.set_metrics.own import OwnMetric
from heldout.losses.set_metrics.set_metric import SetMetric

NAMED: Mapping[str, SetMetric | OwnMetric] = {
    "mcc": matthews.LOSS,
    "kappa": kappa.LOSS,
    "recall": recall.LOSS,
    "precision": precision.LOSS,
    "specificity": specificity.LOSS,
    "r2": r_squared.LOSS,
}
_ALSO: Mapping[str, Sequence[str]] = {
    "mcc": ("matthews", "matthews_corrcoef"),
    "kappa": ("cohen_kappa", "cohen_kappa_score"),
    "r2": ("r2_score", "r_squared"),
    **{name: one.also for name, one in NAMED.items() if isinstance(one, SetMetric)},
}


def named(metric: object) -> str | None:
    """The name in `NAMED` of a metric, however it is written; None for another."""
    wanted = as_written(metric)
    return next((name for name in NAMED if wanted in (name, *_ALSO[name])), None)
