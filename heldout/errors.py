"""The exceptions and the warnings of this package.

ValueError
└── BadArgument     an argument outside its limits
RuntimeError
├── FitFailure      a learner that could not be fitted, or whose predictions have no loss
│   ├── FewOfAClass where the training rows have a single class, or a single row of one
│   └── TaskFailed  whose process ended, or that took longer than its limit
└── StoreFailure    a store of fits that lacks a value, or cannot be written
UserWarning
├── LearnerWarning  fits of a candidate that gave warnings
├── PartsWarning    classes too rare for the parts that the defaults would make
├── RowsWarning     values whose index of pandas is not that of the rows
└── TargetWarning   labels that may be classes or numbers
"""

from numbers import Integral, Real
from typing import Any

from heldout.printable import printable

_MOST_CHARACTERS = 600


class BadArgument(ValueError):
    """An argument outside its limits: the message names argument, value, limit and remedy."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message)
        self.argument = argument

    def __reduce__(self) -> tuple[type["BadArgument"], tuple[str, str]]:
        return type(self), (self.argument, str(self))  # worker processes send it


def is_fraction(value: object) -> bool:
    """Whether `value` is a number between 0 and 1, both excluded."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < 1


class FitFailure(RuntimeError):
    """A learner failed on one split; the message is the reason that reports show, one printable line of some length."""

    def __init__(self, reason: str) -> None:
        text = printable(reason[: 2 * _MOST_CHARACTERS])
        super().__init__(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} …")


class FewOfAClass(FitFailure):
    """A fit that failed on training rows of a single class, or with a single row of a class."""


class TaskFailed(FitFailure):
    """A task that no worker process can finish: a fit, or what fitted learners answer."""


class StoreFailure(RuntimeError):
    """A store of fits lacks a value that was asked for, or is another user's; the message says what to do."""


class LearnerWarning(UserWarning):
    """Some fits of a candidate gave warnings, for example did not converge; the message has their share."""


class PartsWarning(UserWarning):
    """A class has too few rows for the default parts, or stratified parts make estimates too low."""


class RowsWarning(UserWarning):
    """Values have another index of pandas than the rows; the message says whether they were moved by its labels."""


class TargetWarning(UserWarning):
    """Whole numbers of many values may be classes or numbers; the message says what they are taken as."""


def check_whole(**wanted: tuple[Any, int]) -> None:
    """Raise BadArgument unless each argument, given with its least value, is a whole number not below it."""
    for argument, (value, least) in wanted.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise BadArgument(argument, f"{argument} is {value!r}; it must be a whole number of at least {least}")
