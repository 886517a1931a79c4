"""Metrics that are no means of losses, one a file, for rows that no choice depended on: a test set.

Each module holds one `METRIC` (`heldout.metrics.metric.Metric`). `METRICS` lists them; `measure` gives their values
with intervals, the error of each class, and the mean loss by the values of columns.
"""

from importlib import import_module

from heldout.metrics.metric import Metric

# a line a metric: its module of `heldout.metrics`, in the order of tables
METRICS: tuple[Metric, ...] = tuple(
    import_module(f"heldout.metrics.{module}").METRIC
    for module in ("auc", "average_precision", "f1", "calibration_error", "r_squared")
)
