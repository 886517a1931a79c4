"""What many hypotheses answer at each row, as shares in [0, 1], whose distribution an alarm can watch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.batched import blocks, together
from heldout.losses import Loss, Losses
from heldout.losses.loss import places

MOST_CLASSES = 10  # the most frequent of the labelled rows, each with a share


def scale_of(loss: Loss, y: NDArray[np.generic]) -> list[Any]:
    """What the shares are about, by the labels `y`, shape (N,): the classes, or the least and the largest number.

    Of two classes the second alone, since the first has the rest.
    """
    if loss.needs == "number":
        return [float(y.min()), float(y.max())]
    classes, counts = np.unique(y, return_counts=True)
    shown = np.array([1]) if len(classes) == 2 else np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
    return list(classes[shown].tolist())


def answer_shares(hypotheses: Sequence[Any], X: Any, loss: Loss, scale: Sequence[Any]) -> Losses:
    """The answers of fitted `hypotheses` at the rows of X, shape (n, p), as q shares, shape (n, q).

    For a loss of classes, the share of the hypotheses that answer each class of `scale`; for a loss of probabilities,
    the mean probability of each; for a loss of numbers, where the mean answer lies between both numbers of `scale`.
    Raises FitFailure for hypotheses that cannot answer.
    """
    of_numbers, asked = loss.needs == "number", np.array(scale)
    sums = np.zeros((X.shape[0], 1 if of_numbers else len(asked)))
    group = together(hypotheses, X, loss)
    for rows in blocks(X.shape[0], group.rows_at_once):
        for answers in group.answers(rows):
            if of_numbers:
                sums[rows, 0] += answers
            elif loss.classes is not None:
                place = places(asked, loss.classes)
                sums[rows] += np.where(place < 0, 0.0, answers[:, place])
            else:
                named = answers if group.classes is None else group.classes.take(answers)
                sums[rows] += named[:, None] == asked
    means: Losses = sums / len(hypotheses)
    if of_numbers:
        low, high = scale
        means = (means - low) / ((high - low) or 1.0)
    return np.clip(means, 0, 1)
