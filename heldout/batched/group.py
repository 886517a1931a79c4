"""The interface of hypotheses that predict together at a block of rows; and the group that shares nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.learners.fitting import ROWS_AT_ONCE, answers
from heldout.losses import Loss
from heldout.rows.frames import is_other_frame, numbers_of, take


class Group(Protocol):
    """Hypotheses at the rows of X, shape (n, p).

    `rows_at_once` is the largest useful number of rows for one call of `answers`. With `classes`, ascending, a
    prediction is a position among them; without, it is what the loss needs.
    """

    @property
    def rows_at_once(self) -> int: ...

    @property
    def classes(self) -> NDArray[np.generic] | None: ...

    def answers(self, rows: slice) -> Sequence[NDArray[Any]]:
        """The predictions of each hypothesis at `rows`, shape (b,) or (b, C). Raises FitFailure."""
        ...


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Each hypothesis by itself."""

    hypotheses: Sequence[Any]
    X: Any
    loss: Loss
    rows_at_once: int = ROWS_AT_ONCE
    classes: None = None

    def answers(self, rows: slice) -> list[NDArray[Any]]:
        """The results of `heldout.learners.fitting.answers`."""
        some = self.X if self.X.shape[0] <= self.rows_at_once else take(self.X, rows)
        return [answers(hypothesis, some, self.loss) for hypothesis in self.hypotheses]


def steps(hypothesis: Any) -> tuple[Any, ...]:
    """The steps of scikit-learn's own pipeline, or the hypothesis alone."""
    of_type = type(hypothesis)
    if of_type.__name__ == "Pipeline" and of_type.__module__ == "sklearn.pipeline":
        return tuple(step for _, step in hypothesis.steps)
    return (hypothesis,)


def table(X: Any) -> NDArray[Any] | None:
    """X as one array of numbers, as scikit-learn reads it; None for a table of other values, or without rows."""
    if is_other_frame(X):
        X = numbers_of(X)
    dtypes = getattr(X, "dtypes", [getattr(X, "dtype", None)])
    if not all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in dtypes):
        return None
    rows: Any = X if type(X) in (np.ndarray, np.memmap) else X.to_numpy() if hasattr(X, "columns") else None
    return rows if rows is not None and rows.ndim == 2 and rows.size and rows.dtype.kind in "fiu" else None


def takes(hypotheses: Sequence[Any], X: Any) -> bool:
    """Whether X has the columns, by number and name, of each hypothesis, so that none would raise or warn."""
    columns = None if not hasattr(X, "columns") else list(X.columns)
    first_steps = [steps(hypothesis)[0] for hypothesis in hypotheses]
    return all(step.n_features_in_ == X.shape[1] and _names(step) == columns for step in first_steps)


def _names(step: Any) -> list[str] | None:
    names = getattr(step, "feature_names_in_", None)
    return None if names is None else list(names)


def same_classes(hypotheses: Sequence[Any], loss: Loss) -> NDArray[np.generic] | None:
    """The common classes of all hypotheses; None without classes, or if they or the classes of `loss` differ."""
    classes_of_each: list[Any] = [getattr(steps(hypothesis)[-1], "classes_", None) for hypothesis in hypotheses]
    first = classes_of_each[0]
    if not isinstance(first, np.ndarray) or first.ndim != 1 or len(first) < 2:
        return None
    wanted = first if loss.classes is None else loss.classes
    return first if all(np.array_equal(classes, wanted) for classes in classes_of_each) else None
