"""One of n boolean features is the label: the learner of Blum, Kalai and Langford, and its errors without simulation.

Rows are uniform on {0, 1}^n. The learner crosses off each feature that contradicts a row, and the others vote. Each
feature but the true feature survives a row with probability 1/2, so that the number of survivors is a Markov chain; and
the true error of a hypothesis depends on this number alone.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

Numbers = NDArray[np.float64]
BLIND = 1 / 2  # of the ties are answered wrongly by every rule that does not know the true feature
_IGNORED = 1e-12  # probability of more survivors than we count
_PER_UNIT = 64  # points of the grid that a sum of errors is rounded to, so that its mean stays


class CrossOff(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Crosses off the features that contradict a row; the rest vote, and a tie is answered with True.

    At a tie the label is True with probability 1/2, whatever the number of survivors, before and after the row. So
    any other rule that does not know the true feature (a coin, always False, the first survivor) has the same errors.
    """

    def fit(self, X: NDArray[np.bool_], y: NDArray[np.bool_]) -> "CrossOff":
        """X of shape (n, p), y of shape (n,); without rows all features survive."""
        self.classes_ = np.array([False, True])
        self.surviving_ = (y[:, None] == X).all(axis=0)
        return self

    def predict(self, X: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The majority vote of the survivors, shape (n,)."""
        votes: NDArray[np.bool_] = 2 * X[:, self.surviving_].sum(axis=1) >= self.surviving_.sum()
        return votes


@dataclass(frozen=True)
class Expected:
    """The mean of the true error, and of its absolute difference from the estimate."""

    true_error: float
    discrepancy: float


@functools.cache
def errors(most: int, tie: float = BLIND) -> Numbers:
    """The true error of a vote of s features, the true feature among them, at [s], s = 1 … `most`; 0 at [0].

    The other s - 1 agree with the label independently, each with probability 1/2; `tie` is the share of wrong ties.
    """
    s = np.arange(1, most + 1)
    lost = stats.binom.cdf(
        (s + 1) // 2 - 2, s - 1, 1 / 2
    )  # fewer than s / 2 right votes, with that of the true feature
    tied = np.where(s % 2, 0.0, stats.binom.pmf(s // 2 - 1, s - 1, 1 / 2))
    return np.concatenate([[0.0], lost + tie * tied])


def true_error(features: int, rows: int, tie: float = BLIND) -> float:
    """The mean true error of a hypothesis trained on `rows` rows of `features` features."""
    survivors = _survivors(features, rows)
    return float(survivors @ errors(len(survivors) - 1, tie))


def holdout(features: int, rows: int, tested: int, tie: float = BLIND) -> Expected:
    """Of the hold-out: trained on `rows` rows, then tested on further rows."""
    survivors = _survivors(features, rows)
    wrong, error = np.arange(tested + 1), errors(len(survivors) - 1, tie)[:, None]
    away = (stats.binom.pmf(wrong, tested, error) * abs(wrong / tested - error)).sum(axis=1)
    return Expected(true_error(features, rows, tie), float(survivors @ away))


def progressive(features: int, rows: int, tested: int, tie: float = BLIND) -> Expected:
    """Of progressive validation: as `holdout`, but each tested row then trains.

    The state is the number of survivors, and the sum so far of mistake - true error, on a grid; numbers are right to
    about 1e-5.
    """
    survivors = _survivors(features, rows)
    error = errors(len(survivors) - 1, tie)
    right, wrong = _transitions(len(survivors) - 1, tie)
    zero = tested * _PER_UNIT  # the place of the sum 0
    state = np.zeros((len(survivors), 2 * zero + 1))
    state[:, zero] = survivors
    for _ in range(tested):
        state = np.stack([_moved_down(of_s, e * _PER_UNIT) for of_s, e in zip(state, error, strict=True)])
        state = right.T @ state + wrong.T @ np.roll(state, _PER_UNIT, axis=1)
    sums = (np.arange(state.shape[1]) - zero) / _PER_UNIT
    mean = np.mean([true_error(features, rows + step, tie) for step in range(tested)])
    return Expected(float(mean), float(state.sum(axis=0) @ abs(sums)) / tested)


def _survivors(features: int, rows: int) -> Numbers:
    """The probability of s survivors of `rows` rows, at [s]."""
    others = features - 1, 0.5**rows
    most = int(stats.binom.isf(_IGNORED, *others)) + 1
    return np.concatenate([[0.0], stats.binom.pmf(np.arange(most), *others)])


def _transitions(most: int, tie: float) -> tuple[Numbers, Numbers]:
    """The probability that s survivors answer a row right, and wrongly, and t of them survive it, at [s, t]."""
    s, t = np.ogrid[: most + 1, : most + 1]
    chance = np.where(s > 0, stats.binom.pmf(t - 1, np.maximum(s - 1, 0), 1 / 2), 0.0)
    wrong = chance * np.where(2 * t == s, tie, 2 * t < s)
    return chance - wrong, wrong


def _moved_down(weights: Numbers, places: float) -> Numbers:
    """The weights at places lower by a broken number: shared by both neighbours, so that the mean is right."""
    whole, part = divmod(places, 1)
    moved: Numbers = (1 - part) * np.roll(weights, -int(whole)) + part * np.roll(weights, -int(whole) - 1)
    return moved
