"""The interface of all shortcuts: predictions of hypotheses that are never fitted, equal to the refit's predictions."""

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.splits.split import Rows

PredictMethod = Literal["predict", "predict_proba"]
Answers = NDArray[Any]


class Declined(Exception):
    """Why hypotheses have to be fitted: the message is a clause that follows the learner's name.

    Raised when a shortcut is made, for a learner or data without a shortcut, and by its methods, for a partition
    whose predictions it cannot give exactly (a training part without a class, a nearly singular matrix).
    """


class Shortcut(ABC):
    """The predictions of a learner trained on parts of N rows. A shortcut is made once for a learner and its rows.

    Results of `predict` have shape (n,), of `predict_proba` (n, C) with the columns of `classes`. They equal the
    results of `clone(learner).fit(X[train], y[train])` to 1e-9, relative to the largest value. Labels are equal; where
    scores are so near that rounding decides, they are declined, or come from the same whole counts. Each method raises
    Declined.
    """

    classes: NDArray[np.generic] | None = None  # ascending; None for numbers

    @abstractmethod
    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """Predict at each row of a fold 0 … k-1 of `fold`, shape (N,), by the hypothesis trained on all other folds.

        Rows of fold -1 always train, and are not predicted. Predictions are in the order of the rows.
        """

    @abstractmethod
    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """Predict at steps j b … (j+1) b - 1 of `step`, shape (N,), by the hypothesis trained on all steps before j b.

        b is `block`. Rows of step -1 always train. Predictions are in the order of the steps.
        """

    @abstractmethod
    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """Predict at the rows `test_rows` by the hypothesis trained on the rows `train`; the two may overlap."""
