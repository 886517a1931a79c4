"""What half models say of a row without its label: control variates for `heldout.powered`.

Co-validation trains two half models in each of R repeats, and exactly one of them did not see labelled row i. The R
answers of these models at row i give its controls:
- how far they disagree: the share of pairs of different repeats that answer differently, 1 - sum_c v_c (v_c - 1) /
  (R (R - 1)) for v_c votes of class c. Its expectation is 1 - sum_c p_c^2, p the distribution of an answer;
- where the learner gives probabilities, how unsure they are: the mean of 1 - max p over the R models.

An unlabelled row is asked of the R models that one labelled row did not train: unlabelled row u of those of row u mod
N. Both rows are new to these models, so rows of one population cannot be told apart by them: the controls of the two
have the same expectation, for every R and N, and no draw is needed. (A draw of one of the two models in each repeat
would have models that share fewer training rows, and so differ more.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import FitFailure
from heldout.fitting import take
from heldout.learners import gives_probabilities
from heldout.losses import ZERO_ONE, Loss, Losses, choose_loss
from heldout.together import answers_together, blocks

NAMES = ("disagreement", "unsureness")
MOST_A_ROW, MOST = 20, 20_000  # unlabelled rows that are asked, for each labelled row and in all: more add little
_ROWS_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Controls:
    """The controls of the N labelled and of n unlabelled rows, shape (N, q) and (n, q), q = 1 or 2 of `NAMES`."""

    labeled: Losses
    unlabeled: Losses

    @classmethod
    def of(cls, hypotheses: Sequence[Any], X: Any, unlabeled: Any, half: NDArray[np.int8], y: ArrayLike) -> Self:
        """Of the half models (repeat 0, half 0), (repeat 0, half 1), … that were trained on the halves `half`, (R, N).

        X, shape (N, p), and `unlabeled` are rows as learners take them, `y` the labels of X. Raises FitFailure.
        """
        rows = min(unlabeled.shape[0], most_rows(X.shape[0]))
        return cls(controls(hypotheses, X, half, y), controls(hypotheses, take(unlabeled, slice(0, rows)), half, y))


def most_rows(labeled: int) -> int:
    """The number of unlabelled rows that are asked at most, the first ones, for so many labelled rows."""
    return min(MOST_A_ROW * labeled, MOST)


def controls(hypotheses: Sequence[Any], X: Any, half: NDArray[np.int8], y: ArrayLike, first: int = 0) -> Losses:
    """The controls of rows of X by the models that did not see labelled row `first`, `first` + 1, …, modulo N.

    Of probabilities where all models give them, else of classes alone. Raises FitFailure for models that answer
    neither.
    """
    if all(gives_probabilities(hypothesis) for hypothesis in hypotheses):
        try:
            return _controls(hypotheses, X, half, choose_loss("brier", np.asarray(y)), first)
        except FitFailure:  # of the probabilities, which the candidate's loss may not need
            pass
    return _controls(hypotheses, X, half, ZERO_ONE, first)


def _controls(hypotheses: Sequence[Any], X: Any, half: NDArray[np.int8], asked: Loss, first: int) -> Losses:
    parts = []
    for rows in blocks(X.shape[0], _ROWS_AT_ONCE):
        some = X if X.shape[0] <= _ROWS_AT_ONCE else take(X, rows)
        answers = answers_together(hypotheses, some, asked)
        partner = (first + np.arange(rows.start, rows.stop)) % half.shape[1]
        unseen = half[:, partner] == 0  # the model of half 1 did not see a row of half 0
        parts.append(_of_probabilities(answers, unseen) if asked.classes is not None else _of_classes(answers, unseen))
    return np.concatenate(parts)


def _of_classes(answers: Sequence[NDArray[Any]], unseen: NDArray[np.bool_]) -> Losses:
    of_models = np.stack(answers)
    codes = np.unique(of_models, return_inverse=True)[1].reshape(of_models.shape)
    return disagreement(np.where(unseen, codes[1::2], codes[::2]))[:, None]


def _of_probabilities(answers: Sequence[NDArray[Any]], unseen: NDArray[np.bool_]) -> Losses:
    largest, codes = (np.stack([of(each, axis=1) for each in answers]) for of in (np.max, np.argmax))
    unsure = 1 - np.where(unseen, largest[1::2], largest[::2]).mean(axis=0)
    return np.column_stack([disagreement(np.where(unseen, codes[1::2], codes[::2])), unsure])


def disagreement(codes: NDArray[np.integer]) -> Losses:
    """The share of pairs of the R answers `codes`, shape (R, n), that differ, at each row; 0 for a single answer."""
    repeats, n = codes.shape
    if repeats < 2:
        return np.zeros(n)
    alike = np.zeros(n)
    for code in np.unique(codes):
        votes = np.count_nonzero(codes == code, axis=0)
        alike += votes * (votes - 1)
    share: Losses = 1 - alike / (repeats * (repeats - 1))
    return share
