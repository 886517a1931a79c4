"""Pointwise losses `e(h(x), y)` (METHOD, Notation): lower is better. Each says what it asks of a hypothesis.

A file a loss, with its `KIND` (`heldout.losses.kind`); `choice` lists them, and finds the loss that a name means.
"""

from heldout.losses.absolute import ABSOLUTE
from heldout.losses.choice import KINDS, NAMES, check_spec, choose_loss, natural_loss
from heldout.losses.loss import Loss, Losses
from heldout.losses.squared import SQUARED
from heldout.losses.zero_one import ZERO_ONE

__all__ = [
    "ABSOLUTE",
    "KINDS",
    "NAMES",
    "SQUARED",
    "ZERO_ONE",
    "Loss",
    "Losses",
    "check_spec",
    "choose_loss",
    "natural_loss",
]
