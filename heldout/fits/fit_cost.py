"""What a fit and a prediction of a candidate cost on this machine: it changes no result."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.learners.fitting import answers
from heldout.losses import Loss
from heldout.rows.frames import take

_ASKED = 1000  # rows, for the time of a prediction


@dataclass(frozen=True)
class FitCost:
    """The seconds of a fit and test for each training row, the microseconds of a prediction, and the stored bytes."""

    seconds_a_row: float
    microseconds: float | None = None
    size: int | None = None

    def of_all(self, rows: int) -> dict[str, float]:
        """The seconds of a fit on so many rows, the microseconds and the bytes, as far as they were measured."""
        measured = {"prediction_microseconds": self.microseconds, "model_bytes": self.size}
        known = {name: float(number) for name, number in measured.items() if number is not None}
        return {"fit_seconds": self.seconds_a_row * rows, **known}

    def cell(self, rows: int) -> tuple[str, str]:
        """The same in the two lines of a cell: the seconds of a fit and the size, and a prediction below.

        >>> FitCost(1e-5, 0.4, 5300).cell(1000), FitCost(0.2).cell(1000)
        (('0.01 s, 5.2 KiB', '0.4 µs a row'), ('200 s', ''))
        """
        size = "" if self.size is None else f", {_short(self.size / 1024)} KiB"
        prediction = "" if self.microseconds is None else f"{_short(self.microseconds)} µs a row"
        return f"{_short(self.seconds_a_row * rows)} s{size}", prediction

    def text(self, rows: int) -> str:
        """The same in a line."""
        prediction = "" if self.microseconds is None else f", {self.microseconds:.3g} µs a prediction"
        size = "" if self.size is None else f", a model of {self.size / 1024:.3g} KiB"
        return f"{self.seconds_a_row * rows:.2g} s a fit{prediction}{size}, on this machine"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def prediction_microseconds(hypothesis: Any, X: Any, loss: Loss) -> float:
    """The microseconds of a prediction, the less of two times, on the first rows of X, shape (n, p).

    Raises FitFailure if the hypothesis does not answer.
    """
    some = take(X, np.arange(min(X.shape[0], _ASKED)))
    times: list[float] = []
    for _ in range(2):
        started = time.perf_counter()
        answers(hypothesis, some, loss)
        times.append(1e6 * (time.perf_counter() - started) / some.shape[0])
    return min(times)
