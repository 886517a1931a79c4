"""The cells of a loss of classes: the class of each tested row, and the few values that its loss may have.

The mean of such losses is a sum over cells (class c, value v) of s_c v p_cv, with s_c the share of the class, and p_cv
that of the value among the rows of the class. A cell in which no tested row is, is a cell all the same: what is known
of it rests on the tested rows of the class (`heldout.intervals.wilson_by_class`).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.loss import Loss, Losses


@dataclass(frozen=True, eq=False)
class Cells:
    """The class of each tested row, and what is known of C classes, ascending.

    `actual`, shape (n,), are numbers of classes; `values` has for each class the possible losses above 0, ascending.
    `share`, shape (C,), is what each class counts, by the shares among so many `rows`; infinitely many where the loss
    itself says what a class counts.
    """

    actual: NDArray[np.intp]
    values: tuple[Losses, ...]
    share: NDArray[np.float64]
    rows: float

    def at(self, rows: NDArray[Any]) -> "Cells":
        """The cells of some of the tested rows, whose shares of classes are their own."""
        return replace(self, actual=self.actual[rows]).with_own_shares()

    def with_own_shares(self) -> "Cells":
        """The same with the shares of the tested rows, unless the loss says what a class counts."""
        if math.isinf(self.rows):
            return self
        share = np.bincount(self.actual, minlength=len(self.values)) / len(self.actual)
        return replace(self, share=share, rows=float(len(self.actual)))


def cells(loss: Loss, y: NDArray[Any], tested: NDArray[Any]) -> Cells | None:
    """The cells of rows with the labels `tested`, shape (n,), drawn like the labelled rows `y`, shape (N,).

    None for a loss whose values are not known.
    """
    if loss.counts is None:
        return None
    classes, number = np.unique(np.concatenate([y, tested]), return_inverse=True)
    right, answered = (part.ravel() for part in np.meshgrid(classes, classes, indexing="ij"))
    table = loss.pointwise(right, answered).reshape(len(classes), -1)
    return Cells(
        number[len(y) :],
        tuple(np.unique(row[row > 0]) for row in table),
        np.bincount(number[: len(y)], minlength=len(classes)) / len(y),
        math.inf if loss.counts == "classes" else float(len(y)),
    )
