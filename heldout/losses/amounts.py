"""Errors as people read them: in percent for a loss of 0 and 1, else as numbers."""

import math

from heldout.losses import Loss
from heldout.printable import plain


def rounded(value: float, loss: Loss) -> str:
    """A number of a table: in percent for a loss of 0 and 1, else with three significant digits and every whole one."""
    if loss.binary or value == 0:
        return number(value, loss)
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{digits}f}" if 0 < digits < 7 else plain(value, 3)


def error_label(loss: Loss) -> str:
    """The name of an axis of errors."""
    return "error, %" if loss.binary else f"mean {loss.name} loss"


def amount(value: float, loss: Loss) -> str:
    """The same number with its unit."""
    return f"{number(value, loss)} %" if loss.binary else number(value, loss)


def number(value: float, loss: Loss) -> str:
    """An error as people read it: in percent for a loss of 0 and 1."""
    return f"{100 * value:z.1f}" if loss.binary else plain(value)
