"""Learners that ignore the order of their rows, and finite populations in which true errors are counted.

The learners are lean, as those of `studies.learners`: the studies of theorems make some hundred thousand fits to
few rows. Samples are drawn with replacement, so that the mean loss of a hypothesis over the population is its true
error exactly.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from heldout.learners.fitting import fit_and_test
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss
from heldout.splits.partition import draw_folds
from heldout.splits.split import Rows, Split, tested_rows, tested_sizes
from studies.learners import LeastSquaresClassifier
from studies.study import mean_interval

SIZE, FEATURES, NOISE = 120, 3, 1.0  # of the population; noise is a standard deviation
_SEED = 20260103  # of the population; another seed draws the samples


class _Lean(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Without settings."""

    def __sklearn_clone__(self) -> Any:
        return type(self)()


class Majority(_Lean):
    """The most frequent class; of equally frequent ones the first."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "Majority":  # noqa: ARG002
        self._answer = np.bincount(y).argmax()
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.full(len(X), self._answer)


class NearestRow(_Lean):
    """The class of the nearest row."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "NearestRow":
        self._X, self._y = X, y
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        far = -2 * X @ self._X.T + (self._X**2).sum(axis=1)  # but for |x|^2
        return np.asarray(self._y[far.argmin(axis=1)])


class NearestMean(NearestRow):
    """The class with the nearest mean."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "NearestMean":
        classes = np.unique(y)
        return super().fit(np.stack([X[y == each].mean(axis=0) for each in classes]), classes)


class Stump(_Lean):
    """One threshold in one feature, with the least training error for the classes 0 and 1."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "Stump":
        n, order = len(y), X.argsort(axis=0)
        ascending = np.take_along_axis(X, order, axis=0)
        ones, rows = y[order].cumsum(axis=0), np.arange(1, n + 1)[:, None]
        ones_above, rows_above = ones[-1] - ones, n - rows
        wrong = np.minimum(ones, rows - ones) + np.minimum(ones_above, rows_above - ones_above)
        wrong[:-1][ascending[1:] == ascending[:-1]] = n  # no threshold between equal values
        place = np.unravel_index(wrong.argmin(), wrong.shape)
        self._feature, self._threshold = place[1], ascending[place]
        self._below, self._above = 2 * ones[place] > rows[place[0], 0], 2 * ones_above[place] > rows_above[place[0], 0]
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        below = X[:, self._feature] <= self._threshold
        return np.asarray(np.where(below, self._below, self._above).astype(np.int64))


class Parity(_Lean):
    """Class 1 if the number of training rows of class 1 is even, else class 0."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "Parity":  # noqa: ARG002
        self._answer = 1 - y.sum() % 2
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.full(len(X), self._answer)


class EvenShare(_Lean):
    """For even numbers the share of even numbers in the training rows, for odd numbers 1 less this share."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "EvenShare":  # noqa: ARG002
        self._share = (X[:, 0] % 2 == 0).mean()
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.where(X[:, 0] % 2 == 0, self._share, 1 - self._share))


LEARNERS = {
    "majority": Majority(),
    "nearest mean": NearestMean(),
    "ridge": LeastSquaresClassifier(),
    "nearest row": NearestRow(),
    "stump": Stump(),
}
_COLORS = mpl.color_sequences["okabe_ito"]
# how each learner is drawn
LOOKS: dict[str, dict[str, Any]] = {
    name: {"color": _COLORS[color], "marker": marker, "ms": 4, "lw": 1}
    for name, color, marker in zip(LEARNERS, (6, 1, 3, 5, 7), "osD^v", strict=True)
}


@dataclass(frozen=True, eq=False)
class Population:
    """All rows that there are, shapes (S, p) and (S,), and the loss."""

    X: NDArray[Any]
    y: NDArray[Any]
    loss: Loss = ZERO_ONE

    def draw(self, n: int, rng: np.random.Generator) -> Rows:
        """A sample of n rows, with replacement."""
        return rng.integers(0, len(self.y), n)


@functools.cache
def noisy_line() -> Population:
    """Two classes, separated by the first feature and noise."""
    rng = np.random.default_rng(_SEED)
    X = rng.normal(size=(SIZE, FEATURES)).astype(np.float32)
    return Population(X, (X[:, 0] + NOISE * rng.normal(size=SIZE) > 0).astype(np.int64))


def coin() -> Population:
    """Two classes, equally frequent, without a feature that says which: every hypothesis errs in half of all rows."""
    return Population(np.zeros((2, 1)), np.arange(2))


def integers(n: int) -> Population:
    """The numbers 0 … n - 1, whose label is always 0; errors are absolute."""
    return Population(np.arange(n)[:, None], np.zeros(n), ABSOLUTE)


def estimate_and_truth(
    learner: Any, population: Population, sample: Rows, splits: Sequence[Split], state: int
) -> tuple[float, float]:
    """The mean held-out loss over the splits of a sample, and the mean true error of their hypotheses.

    Each hypothesis counts by the number of rows that it tests, and is asked about every row of the population once.
    """
    everywhere = np.arange(len(population.y))
    X, y, loss = population.X, population.y, population.loss
    losses = np.stack(
        [fit_and_test(learner, X, y, Split(sample[split.train], everywhere), loss, state).losses for split in splits]
    )
    sizes = tested_sizes(splits)
    held_out = losses[np.repeat(np.arange(len(splits)), sizes), sample[tested_rows(splits)]]
    return float(held_out.mean()), float(np.average(losses.mean(axis=1), weights=sizes))


def draw_plain_folds(n: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each of n rows, drawn without a look at any label, as the theorems say."""
    return draw_folds(np.zeros(n), k, stratify=False, random_state=int(rng.integers(2**31)))


def ratio_interval(above: "np.typing.ArrayLike", below: "np.typing.ArrayLike") -> tuple[float, float, float]:
    """The ratio of the means of two columns of the same repeats, and the ends of its interval (delta method)."""
    above, below = np.asarray(above), np.asarray(below)
    ratio = float(above.mean() / below.mean())
    mean, _, high = mean_interval((above - ratio * below) / below.mean())
    return ratio, ratio - (high - mean), ratio + (high - mean)
