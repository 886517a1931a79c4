"""One row of docs/speed.md: the same work done in two ways in one run, and the bar for their ratio."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn

PEER = f"scikit-learn {sklearn.__version__}"
_TIMES = 5


@dataclass(frozen=True)
class Row:
    """The work, the peer with its version, the seconds of both, and the largest `figure` that is allowed.

    `figure` is the ratio of the seconds, this project : peer, or the quantity that `unit` names.
    """

    work: str
    rows: int
    peer: str
    ours: float
    theirs: float
    figure: float
    bar: float
    unit: str = "of the peer's time"

    @property
    def met(self) -> bool:
        """Whether the bar is met."""
        return self.figure <= self.bar


def against(
    work: str, rows: int, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any], bar: float, times: int = _TIMES
) -> Row:
    """The row of both ways, measured in turn."""
    seconds = paired(ours, theirs, times)
    return Row(work, rows, peer, *seconds, figure=seconds[0] / seconds[1], bar=bar)


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], times: int = _TIMES) -> tuple[float, float]:
    """The median seconds of both, measured in turn after one round that does not count."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(times + 1):
        for measured, work in zip(seconds, (ours, theirs), strict=True):
            started = time.perf_counter()
            work()
            if number:
                measured.append(time.perf_counter() - started)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def draw(n: int, p: int) -> tuple[Any, Any, Any]:
    """Rows, labels of two classes, and numbers, from a linear model with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    signal = X @ rng.normal(size=p)
    return X, (signal + rng.normal(size=n) > 0).astype(np.int64), signal + rng.normal(size=n)
