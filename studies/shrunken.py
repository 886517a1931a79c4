"""Least-squares classifiers of two normal classes whose coefficients are shrunken: by penalties, or by stopping early.

In the singular directions of the training rows, the coefficients of ridge regression with penalty a are those of least
squares times s^2 / (s^2 + a), and those after T epochs of gradient descent from 0, with the step 1 / max s^2, are the
same times 1 - (1 - s^2 / max s^2)^T.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classes:
    """Rows of two classes, -1 and 1, with the means -m and m and independent features of given deviations."""

    means: Numbers
    deviations: Numbers

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[Numbers, Numbers]:
        """X, shape (rows, p), and y."""
        y = rng.choice([-1.0, 1.0], rows)
        return y[:, None] * self.means + rng.normal(0, self.deviations, (rows, len(self.means))), y

    def E_out(self, weights: Numbers) -> Numbers:
        """The exact 0/1 error of sign(X w) for each column w of `weights`, shape (p, M)."""
        spread = np.sqrt(self.deviations**2 @ weights**2)
        return np.asarray(ndtr(-(self.means @ weights) / spread))


@dataclass(frozen=True, eq=False)
class Directions:
    """The singular directions of training rows, shape (p, r), their squares, and the least-squares coefficients."""

    directions: Numbers
    squares: Numbers
    least_squares: Numbers

    @classmethod
    def of(cls, X: Numbers, y: Numbers) -> "Directions":
        """From training rows."""
        left, singular, right = np.linalg.svd(X, full_matrices=False)
        return cls(right.T, singular**2, left.T @ y / singular)

    def penalized(self, penalties: Numbers) -> Numbers:
        """Coefficients, a column for each of M penalties; `penalties` has shape (M,), or (M, r) for each direction."""
        by_direction = penalties[:, None] if penalties.ndim == 1 else penalties
        return self._shrunken(self.squares / (self.squares + by_direction))

    def stopped(self, epochs: Numbers) -> Numbers:
        """Coefficients, a column for each of M numbers of epochs, shape (M,)."""
        return self._shrunken(1 - (1 - self.squares / self.squares.max()) ** epochs[:, None])

    def _shrunken(self, shares: Numbers) -> Numbers:
        return np.asarray(self.directions @ (shares * self.least_squares).T)
