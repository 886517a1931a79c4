"""What half models say of a row without its label: control variates for `heldout.diagnosis.prediction_powered`.

Co-validation trains two half models in each of R repeats, and exactly one of them did not see labelled row i. The R
answers of these models at row i give its controls:
- how far they disagree: the share of pairs of different repeats that answer differently, 1 - sum_c v_c (v_c - 1) /
  (R (R - 1)) for v_c votes of class c. Its expectation is 1 - sum_c p_c^2, p the distribution of an answer;
- where the learner gives probabilities, how uncertain they are: the mean of 1 - max p over the R models, rounded to
  `DIGITS` digits. The last bits of a probability are those of the processor's BLAS, and the controls are stored.

An unlabelled row is asked of the R models that one labelled row did not train: unlabelled row u of those of row u mod
N. Both rows are new to these models, so rows of one population cannot be told apart by them: the controls of the two
have the same expectation, for every R and N, and no draw is needed. (Stratified halves make a difference of the order
of 1/N, as they do for E_2cv: the half without a rare row has fewer rows of its class. A draw of one of the two models
in each repeat would have models that share fewer training rows, and so differ more.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers
from heldout.losses import ZERO_ONE, Losses, choose_loss
from heldout.losses.loss import Classes, places
from heldout.rows.frames import take
from heldout.schemes.design import Design

NAMES = ("disagreement", "uncertainty")
DIGITS = 6  # of a mean of probabilities, whose noise over the repeats is far larger
NO_ROWS = "there are no unlabelled rows"
MOST_A_ROW, MOST = 20, 20_000  # unlabelled rows that are asked, for each labelled row and in all: more add little


@dataclass(frozen=True, eq=False)
class Votes:
    """What some models, one of each repeat, answer at n rows.

    `of_classes`, shape (n, C + 1), is the number of models that answer each of the C classes of the labels, or another
    class; `uncertainty`, shape (n,), the sum of their 1 - max p, None without probabilities.
    """

    of_classes: NDArray[np.int64]
    uncertainty: Losses | None

    @classmethod
    def of(cls, hypotheses: Sequence[Any], X: Any, half: NDArray[np.int8], classes: Classes, first: int = 0) -> Self:
        """Of the rows of X, shape (n, p), by the models that did not see labelled row `first`, `first` + 1, …, mod N.

        `hypotheses` are the half models (repeat 0, half 0), (repeat 0, half 1), … of the repeats whose halves are
        `half`, shape (r, N). Where they give no probabilities of the ascending `classes`, their classes are asked.
        Raises FitFailure for models that answer neither.
        """
        if all(gives_probabilities(hypothesis) for hypothesis in hypotheses):
            try:
                return cls._of(hypotheses, X, half, classes, first, probabilities=True)
            except FitFailure:  # no distribution; the loss may not need one
                pass
        return cls._of(hypotheses, X, half, classes, first, probabilities=False)

    @classmethod
    def _of(
        cls,
        hypotheses: Sequence[Any],
        X: Any,
        half: NDArray[np.int8],
        classes: Classes,
        first: int,
        *,
        probabilities: bool,
    ) -> Self:
        n, asked = X.shape[0], choose_loss("brier", classes) if probabilities else ZERO_ONE
        votes, uncertainty = np.zeros((n, len(classes) + 1), dtype=np.int64), np.zeros(n)
        partner = (first + np.arange(n)) % half.shape[1]
        for number, hypothesis in enumerate(hypotheses):
            repeat, side = divmod(number, 2)
            rows = np.flatnonzero(half[repeat, partner] != side)
            if not len(rows):
                continue
            given = answers(hypothesis, X, asked, rows)
            place = given.argmax(axis=1) if probabilities else places(given, classes)
            votes[rows, place] += 1  # another class has the place -1
            if probabilities:
                uncertainty[rows] += 1 - given.max(axis=1)
        return cls(votes, uncertainty if probabilities else None)

    def split(self, row: int) -> tuple[Self, Self]:
        """The votes on the rows before `row`, and on the others."""
        parts = (slice(0, row), slice(row, None))
        first, second = (
            type(self)(self.of_classes[part], None if self.uncertainty is None else self.uncertainty[part])
            for part in parts
        )
        return first, second


def controls(parts: Sequence[Votes]) -> Losses:
    """The controls `NAMES` of n rows, shape (n, 2), from the votes of parts of the repeats; (n, 1) without the second.

    The disagreement of a single repeat is 0.
    """
    votes = np.sum([part.of_classes for part in parts], axis=0)
    repeats = votes.sum(axis=1)
    pairs = np.maximum(repeats * (repeats - 1), 1)
    disagreement = np.where(repeats > 1, 1 - (votes * (votes - 1)).sum(axis=1) / pairs, 0.0)
    sums = [part.uncertainty for part in parts if part.uncertainty is not None]
    if len(sums) < len(parts):
        return disagreement[:, None]
    uncertainty = np.round(np.sum(sums, axis=0) / repeats, DIGITS) + 0.0  # never -0.0, which is another byte
    return np.column_stack([disagreement, uncertainty])


def most_rows(labeled: int) -> int:
    """The number of unlabelled rows that are asked at most, the first ones, for so many labelled rows."""
    return min(MOST_A_ROW * labeled, MOST)


@dataclass(frozen=True, eq=False)
class Controls:
    """The controls of the N labelled and of n unlabelled rows, shape (N, q) and (n, q), q = 1 or 2 of `NAMES`."""

    labeled: Losses
    unlabeled: Losses

    @classmethod
    def of(cls, hypotheses: Sequence[Any], X: Any, unlabeled: Any, half: NDArray[np.int8], classes: Classes) -> Self:
        """By all half models, on the labelled rows X, shape (N, p), and on rows `unlabeled`. Raises FitFailure."""
        rows = min(unlabeled.shape[0], most_rows(X.shape[0]))
        return cls.of_votes(*([Votes.of(hypotheses, of, half, classes)] for of in (X, take(unlabeled, slice(0, rows)))))

    @classmethod
    def of_votes(cls, labeled_rows: Sequence[Votes], unlabeled_rows: Sequence[Votes]) -> Self:
        """From the votes of parts of the repeats on both kinds of rows."""
        labeled, others = controls(labeled_rows), controls(unlabeled_rows)
        q = min(labeled.shape[1], others.shape[1])
        return cls(labeled[:, :q], others[:, :q])


def why_none(design: Design, *, unlabeled: bool, half_models: bool) -> str | None:
    """Why there are no controls to narrow an interval with; None where there are.

    `unlabeled` and `half_models` say whether there are unlabelled rows, and half models.
    """
    if not design.loss.of_classes:
        return "numbers gain nothing from unlabelled rows"
    if not unlabeled:
        return NO_ROWS
    if len(design.y) > MOST:
        return f"{len(design.y)} labelled rows are many: no controls are made for more than {MOST}"
    if design.dependence.kind is not None:
        return f"labelled rows with {design.dependence.kind} are not drawn as the unlabelled rows are"
    if design.weights is not None:
        return "labelled rows are weighted, and the weights of unlabelled rows are not known"
    if not half_models:
        return "there are no half models; estimates must contain E_2cv or disagreement"
    return None
