"""Simulated problems in which the true error of a hypothesis is exact: by formula, or by counting."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from heldout.losses import SQUARED, ZERO_ONE, Loss

FEATURES, DISTANCE = 10, 1.0  # of the normal problems; of the class means from 0
SWITCHES, VOTERS, FLIPPED = 8, 5, 0.1  # of the boolean problem


@dataclass(frozen=True)
class Problem:
    """N rows, their source, the learner, and the exact error of a hypothesis."""

    rows: int
    draw: Callable[[np.random.Generator, int], tuple[Any, Any]]
    learner: Any
    loss: Loss
    E_out: Callable[[Any], float]


def _numbers(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    X = rng.normal(size=(rows, FEATURES))
    return X, X.sum(axis=1) + rng.normal(size=rows)


def _of_least_squares(hypothesis: Any) -> float:
    return float(1 + ((hypothesis.coef_ - 1) ** 2).sum() + hypothesis.intercept_**2)


def _two_classes(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    y = rng.integers(2, size=rows)
    return rng.normal(size=(rows, FEATURES)) + np.outer(2 * y - 1, _means()), y


def _of_discriminant(hypothesis: Any) -> float:
    w, b = hypothesis.coef_[0], hypothesis.intercept_[0]
    away, length = w @ _means(), np.linalg.norm(w)
    return float((ndtr(-(away + b) / length) + ndtr(-(away - b) / length)) / 2)


def _means() -> Any:
    return np.full(FEATURES, DISTANCE / np.sqrt(FEATURES))


def _switches(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    X = rng.integers(2, size=(rows, SWITCHES)).astype(np.float64)
    return X, (_majority(X) != (rng.random(rows) < FLIPPED)).astype(np.int64)


def _of_tree(hypothesis: Any) -> float:
    every = (np.arange(2**SWITCHES)[:, None] >> np.arange(SWITCHES)) % 2
    wrong = (hypothesis.predict(every) != _majority(every)).mean()
    return float(FLIPPED + (1 - 2 * FLIPPED) * wrong)


def _majority(X: Any) -> Any:
    return X[:, :VOTERS].sum(axis=1) > VOTERS / 2


PROBLEMS = {
    **{
        f"least-squares-{rows}": Problem(rows, _numbers, LinearRegression(), SQUARED, _of_least_squares)
        for rows in (50, 100, 200)
    },
    "discriminant-100": Problem(100, _two_classes, LinearDiscriminantAnalysis(), ZERO_ONE, _of_discriminant),
    "tree-100": Problem(100, _switches, DecisionTreeClassifier(), ZERO_ONE, _of_tree),
}
