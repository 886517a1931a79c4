"""Pointwise losses `e(h(x), y)` (METHOD, Notation): lower is better. Each says what it asks of a hypothesis.

A file a kind: losses of a class (0/1, balanced, a cost matrix), of class probabilities (log, Brier), of a number
(squared, absolute, pinball); `choice` has the names, and the loss that a target takes by itself.
"""

from heldout.losses.choice import NAMES, check_spec, choose_loss, natural_loss
from heldout.losses.loss import Loss, Losses
from heldout.losses.of_classes import ZERO_ONE
from heldout.losses.of_numbers import ABSOLUTE, SQUARED

__all__ = [
    "ABSOLUTE",
    "NAMES",
    "SQUARED",
    "ZERO_ONE",
    "Loss",
    "Losses",
    "check_spec",
    "choose_loss",
    "natural_loss",
]
