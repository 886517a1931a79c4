"""The study's learners: a stable and an unstable learner for classes and for numbers.

The trees are scikit-learn's trees without its checks of inputs and of cloning, which would take most of the time
for samples of 50 rows. The linear learners solve p equations.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.losses import Loss


class _Lean:
    """Cloned by its only setting; rows already have the type that trees need."""

    random_state: int | None

    def __sklearn_clone__(self) -> Any:
        return type(self)(random_state=self.random_state)  # type: ignore[call-arg]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {"random_state": self.random_state}

    def set_params(self, **settings: int) -> Any:
        vars(self).update(settings)
        return self

    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(X, y.astype(np.float64), check_input=False)  # type: ignore[misc]

    def predict(self, X: Any) -> Any:
        return super().predict(X, check_input=False)  # type: ignore[misc]


class TreeClassifier(_Lean, DecisionTreeClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """Unstable: a tree grown until its leaves are pure."""


class TreeRegressor(_Lean, DecisionTreeRegressor):  # type: ignore[misc]
    """Unstable: a tree grown until its leaves hold a single row."""


class LeastSquares(BaseEstimator):  # type: ignore[misc]
    """Stable: ridge regression with penalty 1 on standardised columns."""

    def __sklearn_clone__(self) -> "LeastSquares":
        return type(self)()

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "LeastSquares":
        self._centre, self._scale = X.mean(axis=0), X.std(axis=0) + 1e-12
        Z = (X - self._centre) / self._scale
        self._level = y.mean(axis=0)
        self._weights = np.linalg.solve(Z.T @ Z + np.eye(Z.shape[1]), Z.T @ (y - self._level))
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray((X - self._centre) / self._scale @ self._weights + self._level)


class LeastSquaresClassifier(LeastSquares):
    """Stable: the class whose indicator `LeastSquares` predicts to be the largest."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "LeastSquaresClassifier":
        self.classes_, places = np.unique(y, return_inverse=True)
        super().fit(X, np.eye(len(self.classes_))[places])
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmax(super().predict(X), axis=1)])


class Logistic(BaseEstimator):  # type: ignore[misc]
    """Stable, with probabilities: ridge-penalised logistic regression by Newton's steps, a class against the rest."""

    def __sklearn_clone__(self) -> "Logistic":
        return type(self)()

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> "Logistic":
        self.classes_ = np.unique(y)
        self._centre, self._scale = X.mean(axis=0), X.std(axis=0) + 1e-12
        Z = self._columns(X)
        penalty = np.eye(Z.shape[1])
        penalty[-1, -1] = 1e-6
        chosen = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self._weights = np.zeros((len(chosen), Z.shape[1]))
        for w, label in zip(self._weights, chosen, strict=True):
            for _ in range(8):
                p = 1 / (1 + np.exp(-(Z @ w)))
                w += np.linalg.solve((Z.T * (p * (1 - p))) @ Z + penalty, Z.T @ ((y == label) - p) - penalty @ w)
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        p = 1 / (1 + np.exp(-(self._columns(X) @ self._weights.T)))
        shares = np.column_stack([1 - p, p]) if len(self.classes_) == 2 else p
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])

    def _columns(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return np.column_stack([(X - self._centre) / self._scale, np.ones(len(X))])


def learner_of(kind: str, loss: Loss) -> Any:
    """A stable and an unstable learner for classes and for numbers."""
    if loss.of_classes:
        return LeastSquaresClassifier() if kind == "stable" else TreeClassifier(random_state=None)
    return LeastSquares() if kind == "stable" else TreeRegressor(random_state=None)
