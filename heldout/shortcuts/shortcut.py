"""What every shortcut is: answers of hypotheses that are never fitted, equal to those of the refit."""

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.records import Rows

PredictMethod = Literal["predict", "predict_proba"]
Answers = NDArray[Any]


class Declined(Exception):
    """Why these hypotheses have to be fitted: a clause to follow the learner's name.

    Raised where a shortcut is made, for a learner or data that have none, and by its methods, for a partition
    whose hypotheses it cannot give exactly (a training part without a class, a matrix too near to a singular one).
    """


class Shortcut(ABC):
    """The answers of a learner trained on parts of N rows, made once for a learner and its labelled rows.

    Answers of `predict` have shape (n,), of `predict_proba` (n, C) with the columns of `classes`. They equal those of
    `clone(learner).fit(X[train], y[train])` to 1e-9, relative to the largest of them, and labels exactly where the
    two largest scores differ by more. Each method raises Declined.
    """

    classes: NDArray[np.generic] | None = None  # ascending; None for numbers

    @abstractmethod
    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """Ask at each row in a fold 0 … k-1 of `fold`, shape (N,), the hypothesis trained on all rows of no such fold.

        Rows of fold -1 train always, and are not asked. In the order of the rows asked.
        """

    @abstractmethod
    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """Ask at steps j b … (j+1) b - 1 of `step`, shape (N,), the hypothesis trained on all earlier steps.

        Rows of step -1 train always. In the order of the steps.
        """

    @abstractmethod
    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """Ask at the rows `asked` the hypothesis trained on the rows `train`, which may overlap."""
