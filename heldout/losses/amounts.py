"""Errors as people read them: in percent for a loss of 0 and 1, as RMSE for the squared loss, else as means.

Files and records have the mean of the loss. The root of a mean squared loss has the unit of the target, and keeps the
order of errors and of the ends of their intervals.
"""

import math
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss
from heldout.printable import plain

Errors = TypeVar("Errors", float, NDArray[np.float64])


class ReadAs(Protocol):
    """What of a `Loss` says how its mean is read: enough for numbers that were kept without their loss."""

    @property
    def binary(self) -> bool:
        """Whether every value is 0 or 1."""

    @property
    def power(self) -> int:
        """The power of the target's unit."""

    @property
    def mean_called(self) -> str:
        """What people call its mean."""

    @property
    def shown_as(self) -> str:
        """What people read of its mean."""


def shown(error: Errors, loss: ReadAs) -> Errors:
    """The number, or the numbers, that people read of mean losses."""
    if loss.power == 2:
        root: Errors = np.sqrt(np.maximum(error, 0.0))
        return root
    return 100 * error if loss.binary else error


def apart(difference: Errors, error: float, loss: Loss) -> Errors:
    """How far `error` is from `error - difference`, in these numbers.

    For the squared loss it is a difference of RMSE, with RMSE of the first as it was estimated: 0 stays 0, so that an
    interval says the same of who errs less.
    """
    return shown(error, loss) - shown(error - difference, loss) if loss.power == 2 else shown(difference, loss)


def rounded(value: float, loss: Loss) -> str:
    """A number of a table: in percent for a loss of 0 and 1, else with three significant digits and every whole one."""
    return _rounded(shown(value, loss), loss)


def rounded_worse(difference: float, error: float, loss: Loss) -> str:
    """How much more than `error` another one is, in a table; `difference` is the error less the other."""
    return _rounded(0.0 - apart(difference, error, loss), loss)


def _rounded(read: float, loss: Loss) -> str:
    if loss.binary or read == 0:
        return written(read, loss)
    digits = 2 - math.floor(math.log10(abs(read)))
    return f"{read:.{digits}f}" if 0 < digits < 7 else plain(read, 3)


def error_label(loss: ReadAs) -> str:
    """The name of an axis of errors."""
    return "error, %" if loss.binary else loss.shown_as


def amount(value: float, loss: ReadAs) -> str:
    """The same number as `number` with its unit, or with what it is."""
    return with_unit(number(value, loss), loss)


def with_unit(number: str, loss: ReadAs) -> str:
    """A number as text with its unit, or with what it is: 1.7 %, RMSE 47,213."""
    if loss.binary:
        return f"{number} %"
    return f"{loss.mean_called} {number}" if loss.mean_called else number


def as_margin(value: float, loss: Loss) -> float:
    """A difference as people write a margin: in percentage points for a loss of 0 and 1, else in the mean loss."""
    return 100 * value if loss.binary else value


def of_margin(value: float, loss: Loss) -> float:
    """A difference from a margin that people wrote."""
    return value / 100 if loss.binary else value


def margin_unit(loss: Loss) -> str:
    """What a margin is in: percentage points for a loss of 0 and 1, the mean of another, or 1 - a metric."""
    if loss.binary:
        return "percentage points"
    return loss.name if loss.mean_called == loss.name else f"the mean {loss.name} loss"


def margin_text(margin: float, loss: Loss) -> str:
    """A margin with its unit, and with every digit that somebody wrote."""
    unit = margin_unit(loss)
    if unit == loss.name:  # the name of the estimate says it
        return f"{as_margin(margin, loss):.10g}"
    return f"{as_margin(margin, loss):.10g} {'' if loss.binary else 'in '}{unit}"


def number(value: float, loss: ReadAs) -> str:
    """An error as people read it."""
    return written(shown(value, loss), loss)


def points(difference: float, error: float, loss: Loss) -> str:
    """A difference as people read it, of `error` from `error - difference`."""
    return written(apart(difference, error, loss), loss)


def written(read: float, loss: ReadAs) -> str:
    """A number that people read, as text."""
    return f"{read:z.1f}" if loss.binary else plain(read)
