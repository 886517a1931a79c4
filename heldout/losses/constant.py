"""The best constant answer to a loss, whatever the features are, which the baseline gives (`heldout.fits.baseline`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class TrainingLabels(Protocol):
    """The labels of the training rows of each of S splits, by what a constant is made of. Rows count by weight."""

    @property
    def classes(self) -> NDArray[np.generic]:
        """The C classes of all labelled rows, ascending."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """The rows of each class, shape (S, C)."""

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean label, shape (S,)."""

    def quantiles(self, quantile: float) -> NDArray[np.float64]:
        """A quantile of the labels, shape (S,)."""

    @property
    def each(self) -> Sequence["TrainingLabels"]:
        """Those of each label by itself, where a row has several."""


@dataclass(frozen=True)
class Constant:
    """The answer of least mean loss on training rows, among the answers that are the same for every row.

    Parameters
    ----------
    says : str
        What the answer is, for reports.
    answers : callable
        A function that crosses to a worker, from `TrainingLabels` to the answer of each split: what the loss asks of a
        hypothesis for one row, so of shape (S,), or (S, C) for probabilities.
    """

    says: str
    answers: Callable[[TrainingLabels], NDArray[Any]]


def at_quantile(quantile: float, says: str) -> Constant:
    """The constant of the losses of numbers that a quantile makes least."""
    return Constant(says, partial(_quantiles, quantile=quantile))


def _quantiles(labels: TrainingLabels, quantile: float) -> NDArray[np.float64]:
    return labels.quantiles(quantile)


def _shares(labels: TrainingLabels) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = labels.counts / labels.counts.sum(axis=1, keepdims=True)
    return shares


SHARES = Constant("the share of each class", _shares)  # of least log loss, and of least Brier loss
