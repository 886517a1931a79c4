"""Points about a random function, a learner of polynomials, and its exact error."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.special import roots_jacobi
from sklearn.base import BaseEstimator

from heldout.losses import SQUARED

NODES = 200  # of the quadrature
Numbers = NDArray[np.float64]
Function = Callable[[Numbers], Numbers]


@dataclass(frozen=True)
class Setting:
    """Where the points come from, and to what the answers are cut.

    Inputs are Beta(b, b) on [-1, 1]: uniform for b = 1, more in the middle above.
    """

    target: str = "order 2"
    noise: float = 0.4
    beta: float = 1.0
    points: int = 35
    reach: float = 4.0

    def function(self, rng: np.random.Generator) -> Function:
        """A function whose mean square over uniform inputs is 1."""
        if self.target == "sine":
            return lambda x: np.sqrt(2) * np.sin(np.pi * x)
        weights = rng.normal(size=int(self.target.removeprefix("order ")) + 1)
        weights /= np.sqrt((weights**2 / (2 * np.arange(len(weights)) + 1)).sum())
        return lambda x: np.asarray(legendre.legval(x, weights))

    def draw(self, function: Function, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
        """X, shape (points, 1), and y."""
        X = 2 * rng.beta(self.beta, self.beta, (self.points, 1)) - 1
        return X, function(X[:, 0]) + rng.normal(0, self.noise**0.5, self.points)

    def E_out(self, function: Function, hypothesis: "Polynomial") -> float:
        """The expected squared error, noise included."""
        nodes, weights = _quadrature(self.beta)
        missed = SQUARED.pointwise(function(nodes), hypothesis.predict(nodes[:, None]))
        return float(weights @ missed) + self.noise


@functools.cache
def _quadrature(beta: float) -> tuple[Numbers, Numbers]:
    """The points and weights of a mean over the inputs."""
    nodes, weights = roots_jacobi(NODES, beta - 1, beta - 1)
    return np.asarray(nodes), np.asarray(weights / weights.sum())


BASE = Setting()
SETTINGS = {
    "as assumed": BASE,
    "target of order 5": replace(BASE, target="order 5"),
    "target of order 10": replace(BASE, target="order 10"),
    "sine": replace(BASE, target="sine"),
    "noise 0.1": replace(BASE, noise=0.1),
    "noise 1": replace(BASE, noise=1.0),
    "inputs in the middle": replace(BASE, beta=2.0),
    "inputs at the ends": replace(BASE, beta=0.5),
    "30 points": replace(BASE, points=30),
    "answers not cut": replace(BASE, reach=np.inf),
}


class Polynomial(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Least squares in Legendre polynomials up to an order; of equal solutions that with the smallest coefficients.

    Answers are cut to +- reach.
    """

    def __init__(self, order: int = 2, reach: float = np.inf) -> None:
        self.order, self.reach = order, reach

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "Polynomial":
        self._weights = np.linalg.lstsq(legendre.legvander(X[:, 0], self.order), y, rcond=None)[0]
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.clip(legendre.legval(X[:, 0], self._weights), -self.reach, self.reach))
