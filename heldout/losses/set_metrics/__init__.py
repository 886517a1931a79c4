"""Losses of a whole tested part, a file each: 1 - a metric that is no mean of losses of rows."""

from heldout.losses.set_metrics.own import OwnMetric
from heldout.losses.set_metrics.set_metric import SetMetric, alike, by_difference, of_mean

__all__ = ["OwnMetric", "SetMetric", "alike", "by_difference", "of_mean"]
