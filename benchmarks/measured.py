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
    """The row of both ways, done in turn."""
    seconds, of_peer = paired(ours, theirs, times=times)
    return compared(work, rows, peer, seconds, of_peer, bar)


def compared(work: str, rows: int, peer: str, ours: float, theirs: float, bar: float) -> Row:
    """The row of the seconds of both ways."""
    return Row(work, rows, peer, ours, theirs, figure=ours / theirs, bar=bar)


def paired(
    *ways: Callable[[], Any], times: int = _TIMES, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The median seconds of each way by `clock`, done in turn after one round that does not count."""
    seconds: list[list[float]] = [[] for _ in ways]
    for number in range(times + 1):
        for kept, work in zip(seconds, ways, strict=True):
            started = clock()
            work()
            if number:
                kept.append(clock() - started)
    return [statistics.median(of_way) for of_way in seconds]


def draw(n: int, p: int) -> tuple[Any, Any, Any]:
    """Rows, labels of two classes, and numbers, from a linear model with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    signal = X @ rng.normal(size=p)
    return X, (signal + rng.normal(size=n) > 0).astype(np.int64), signal + rng.normal(size=n)
