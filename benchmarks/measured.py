"""One row of docs/speed.md: a work done in two ways in one run, and the bar that their ratio is held against."""

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
    """A work, its peer with the version, the seconds of both, and the most that `figure` may be.

    `figure` is the ratio of the seconds, this project : peer, or what `unit` names.
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
        """Whether the bar is."""
        return self.figure <= self.bar


def against(
    work: str, rows: int, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any], bar: float, times: int = _TIMES
) -> Row:
    """The row of both ways, done in turn."""
    seconds = paired(ours, theirs, times)
    return Row(work, rows, peer, *seconds, figure=seconds[0] / seconds[1], bar=bar)


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], times: int = _TIMES) -> tuple[float, float]:
    """The median seconds of both, done in turn after one round that does not count."""
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(times + 1):
        for kept, work in zip(found, (ours, theirs), strict=True):
            started = time.perf_counter()
            work()
            if number:
                kept.append(time.perf_counter() - started)
    return statistics.median(found[0]), statistics.median(found[1])


def draw(n: int, p: int) -> tuple[Any, Any, Any]:
    """Rows, two classes and numbers of a linear model with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    signal = X @ rng.normal(size=p)
    return X, (signal + rng.normal(size=n) > 0).astype(np.int64), signal + rng.normal(size=n)
