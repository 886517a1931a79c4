"""Losses of a whole tested part, a file each: 1 - a metric that is no mean of losses of rows."""

from heldout.losses.of_part.own import OwnMetric
from heldout.losses.of_part.part_loss import PartLoss, alike, by_difference, of_mean

__all__ = ["OwnMetric", "PartLoss", "alike", "by_difference", "of_mean"]
