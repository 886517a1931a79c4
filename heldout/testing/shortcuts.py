"""The contract of every shortcut: its answers are those of the refit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.shortcut import Declined, PredictMethod, Shortcut
from heldout.splits.weights import fit_argument
from heldout.testing.law import require

_DRAWS = 10


def check_shortcut(
    shortcut: type[Shortcut], learner: Any, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> None:
    """Try the law of a shortcut: its answers equal those of refits, for folds, blocks and parts of the rows.

    Parameters
    ----------
    shortcut : type
        The class of the shortcut, whose `of` makes it for a learner and rows.
    learner : estimator
        An unfitted learner that the shortcut is for.
    X : array of shape (N, p)
        Rows, 12 or more, for which the learner and the shortcut are well conditioned.
    y : array of shape (N,)
        Their labels, with several rows of each class.
    weights : array of shape (N,), optional
        Weights of the rows, for a shortcut that takes them.

    Raises
    ------
    AssertionError
        For an answer that differs by more than 1e-9 of the largest, relative to it, and for a shortcut that declines
        every partition of these rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from heldout.shortcuts.least_squares import LeastSquares
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> check_shortcut(LeastSquares, Ridge(), X, X[:, 0])
    """
    name, of = shortcut.__name__, getattr(shortcut, "of", None)
    if of is None:
        raise AssertionError(f"{name}: it must have a class method `of`, which makes it for a learner and rows")
    try:
        made = of(learner, X, y, weights)
    except Declined as reason:
        raise AssertionError(f"{name}: it must take rows that are well conditioned; it {reason}") from None
    require(isinstance(made, Shortcut), name, "`of` must give a Shortcut", f"it gives a {type(made).__name__}")
    classes = hasattr(learner, "predict_proba")
    law = "classes must be those of y, ascending, or None for numbers"
    require(made.classes is None or np.array_equal(made.classes, np.unique(y)), name, law, f"{made.classes}")
    for method in ("predict", "predict_proba") if classes else ("predict",):
        declined = sum(
            equals_refit(learner, made, X, y, np.random.default_rng(seed), method, weights) for seed in range(_DRAWS)
        )
        law = f"it must answer some partitions of rows that are well conditioned, by {method}"
        require(declined < 3 * _DRAWS, name, law, "it declined all")


def equals_refit(
    learner: Any,
    shortcut: Any,
    X: Any,
    y: NDArray[Any],
    rng: np.random.Generator,
    method: PredictMethod = "predict",
    weights: NDArray[np.float64] | None = None,
    scale: float = 1e-9,
) -> int:
    """How many of three random partitions, folds, blocks and a part, the shortcut declines.

    Raises AssertionError for an answer to the others that is not that of the refit, up to `scale`.
    """
    n = len(y)
    fold = rng.permutation(np.arange(n) % rng.choice([2, 3, 5, n])) - rng.integers(0, 2)
    step = np.full(n, -1)
    tested = rng.permutation(n)[: rng.integers(1, n // 2 + 1)]
    step[tested] = np.arange(len(tested))
    block = int(rng.integers(1, 6))
    train, asked = rng.choice(n, max(2, n // 2), replace=False), rng.choice(n, max(1, n // 3), replace=False)

    def refit(train: Any, asked: Any) -> NDArray[Any]:
        return _refit(learner, X, y, train, asked, method, weights)

    declined = 0
    try:
        got = shortcut.folds(fold, method)
        wanted = np.concatenate([refit(fold != number, fold == number) for number in range(fold.max() + 1)])
        order = np.concatenate([np.flatnonzero(fold == number) for number in range(fold.max() + 1)])
        _require_same(f"{method} for folds", got, wanted[np.argsort(order)], scale)
    except Declined:
        declined += 1
    try:
        got = shortcut.blocks(step, block, method)
        parts = [refit(step < first, tested[first : first + block]) for first in range(0, len(tested), block)]
        _require_same(f"{method} for blocks", got, np.concatenate(parts), scale)
    except Declined:
        declined += 1
    try:
        _require_same(f"{method} for a part", shortcut.part(train, asked, method), refit(train, asked), scale)
    except Declined:
        declined += 1
    return declined


def _refit(
    learner: Any, X: Any, y: NDArray[Any], train: Any, asked: Any, method: PredictMethod, weights: Any
) -> NDArray[Any]:
    from sklearn.base import clone

    further: Any = {} if weights is None else {fit_argument(learner): weights[train]}
    answers: NDArray[Any] = getattr(clone(learner).fit(X[train], y[train], **further), method)(X[asked])
    return answers


def _require_same(what: str, got: NDArray[Any], wanted: NDArray[Any], scale: float) -> None:
    require(
        got.shape == wanted.shape, what, "answers must have the shape of the refit's", f"{got.shape} {wanted.shape}"
    )
    if got.dtype.kind == "f":
        away = float(np.abs(got - wanted).max(initial=0))
        near = away <= scale * max(1.0, float(np.abs(wanted).max(initial=0)))
        require(near, what, "answers must be those of the refit", f"they differ by {away}")
    else:
        require(np.array_equal(got, wanted), what, "answers must be those of the refit", f"{got} and {wanted}")
