"""Trees and forests together: the rows become float32 once, and a block of rows visits all trees of all hypotheses.

Values of leaves are added in the same order as in scikit-learn, so that predictions are the same to the bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.batched.group import same_classes, table, takes
from heldout.losses import Loss

_ROWS_AT_ONCE = 16_384  # a visit to a tree costs about 20 us in addition to the rows


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of each hypothesis, whose values are averaged; `rows` is X in single precision, shape (n, p)."""

    trees: Sequence[Sequence[Any]]
    rows: NDArray[np.float32]
    loss: Loss
    classes: NDArray[np.generic] | None
    rows_at_once: int

    @classmethod
    def of(cls, hypotheses: Sequence[Any], X: Any, loss: Loss) -> Self | None:
        """None unless all are fitted on the columns of X, for one outcome and the same classes, and use one thread.

        Every tree takes NaN. None too for a number that is infinite in single precision, which every tree refuses.
        """
        if table(X) is None or not takes(hypotheses, X):
            return None
        if any(model.n_outputs_ != 1 or getattr(model, "n_jobs", None) not in (None, 1) for model in hypotheses):
            return None
        classes = same_classes(hypotheses, loss)
        if (classes is None) != (loss.needs == "number"):
            return None
        trees = [getattr(model, "estimators_", [model]) for model in hypotheses]
        with np.errstate(over="ignore"):
            rows = np.asarray(X, dtype=np.float32)
        if np.isinf([np.fmin.reduce(rows, axis=None), np.fmax.reduce(rows, axis=None)]).any():
            return None
        kept = classes if loss.needs == "class" else None
        return cls([[tree.tree_ for tree in forest] for forest in trees], rows, loss, kept, _ROWS_AT_ONCE)

    def answers(self, rows: slice) -> NDArray[Any]:
        """For each hypothesis positions among `classes` or numbers, shape (m, b), or probabilities, shape (m, b, C)."""
        block = np.ascontiguousarray(self.rows[rows])
        means = np.stack([self._mean(trees, block) for trees in self.trees])
        if self.loss.needs == "number":
            return means[..., 0]
        return means.argmax(axis=2) if self.loss.needs == "class" else means

    def _mean(self, trees: Sequence[Any], block: NDArray[np.float32]) -> NDArray[np.float64]:
        """The mean of the leaves that contain the rows of the block, shape (b, C)."""
        total: NDArray[np.float64] = trees[0].predict(block)
        for tree in trees[1:]:
            total += tree.predict(block)
        return total / len(trees)
