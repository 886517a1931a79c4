"""The rows that every candidate gets wrong: a wrong label, a feature that is missing, or noise that nothing predicts.

A row's loss is its held-out loss of cross-validation, the mean over the partitions into folds, divided by the row's
weight, less what the right answer costs (nothing, but for a matrix of costs). Every candidate errs at a row at least by
the least loss over the candidates. Rows are ordered by this least loss, the largest first, then by the loss of the
winner, then by the mean loss of the winner's half models that did not see the row, which tell apart the rows of a loss
of 0 and 1. A row at which some candidate has no loss is left out. For 0/1 losses of one partition, the others
are exactly the rows that every candidate gets wrong.

Such a row is worth a look, and no more: the list says neither that a label is wrong, nor which one would be right. Rows
must not be dropped by it: the error of the others is an error of other rows than those to come.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.design import Design, Evidence, half_losses, held_out_losses
from heldout.fitting import answers
from heldout.losses import ABSOLUTE, ZERO_ONE, Losses
from heldout.losses.loss import places
from heldout.records import Rows

_ROUNDING = 1e-12  # of weighted costs


@dataclass(frozen=True, eq=False)
class HardRows:
    """The `rows`, shape (n,), and of each the winner's loss, the least over the candidates, and that of half models.

    `halves` is None where no half model was tested on rows that it did not see.
    """

    rows: Rows
    losses: Losses
    least: Losses
    halves: Losses | None


def hard_rows(design: Design, evidence: Mapping[str, Evidence], winner: str, most: int) -> HardRows:
    """At most `most` rows, the hardest first; the losses of one candidate at a time are in memory."""
    rows, of_winner = _losses(design, evidence[winner])
    least = of_winner
    for name, of_candidate in evidence.items():
        if name != winner:
            least = np.minimum(least, _losses(design, of_candidate)[1])
    halves = _of_halves(design, evidence[winner], rows)
    with np.errstate(over="ignore"):
        keys = [
            -key.astype(np.float32) for key in (halves, of_winner, least) if key is not None
        ]  # ties, but for rounding
    order = np.lexsort((rows, *keys))
    hard = order[least[order] > _ROUNDING * least.max(initial=0.0)][:most]
    return HardRows(rows[hard], of_winner[hard], least[hard], None if halves is None else halves[hard])


def answers_of_others(
    hypotheses: Iterable[object], X: object, design: Design, rows: Rows
) -> tuple[NDArray[np.generic], Losses | None]:
    """What the half models that did not see a row answer there, shape (n,): most of them, or of numbers their mean.

    The second value is the share of them that answer so, None for numbers. `hypotheses` are half models of X, shape
    (N, p), in the order (repeat 0, half 0), (repeat 0, half 1), …, both halves of at least one repeat.
    """
    classes = np.unique(design.y) if design.loss.of_classes else None
    sums = np.zeros((len(rows), 1 if classes is None else len(classes)))
    asked = np.zeros(len(rows))
    for number, hypothesis in enumerate(hypotheses):
        unseen = np.flatnonzero(design.halves[number // 2, rows] != number % 2)
        if not len(unseen):
            continue
        given = answers(hypothesis, X, ABSOLUTE if classes is None else ZERO_ONE, rows[unseen])
        asked[unseen] += 1
        if classes is None:
            sums[unseen, 0] += given
        else:
            place = places(given, classes)
            sums[unseen[place >= 0], place[place >= 0]] += 1
    shares = sums / asked[:, None]
    if classes is None:
        return shares[:, 0], None
    return classes[shares.argmax(axis=1)], shares.max(axis=1)


def _losses(design: Design, evidence: Evidence) -> tuple[Rows, Losses]:
    """The rows that a fold tests, and their losses, without weights and without what the right answer costs."""
    rows, losses = held_out_losses(design, evidence)
    return rows, _unweighted(design, losses, rows) - _right(design, rows)


def _of_halves(design: Design, evidence: Evidence, rows: Rows) -> Losses | None:
    """The same of the half models that did not see a row, the mean over the repeats; None for rows in time."""
    if "covalidation" not in evidence.losses or design.dependence.time is not None or not len(design.halves):
        return None
    table = half_losses(design, evidence.losses["covalidation"], on_training_half=False)
    return _unweighted(design, table.mean(axis=0)[rows], rows) - _right(design, rows)


def _unweighted(design: Design, losses: Losses, rows: Rows) -> Losses:
    """A row of weight 0 has no loss."""
    if design.weights is None:
        return losses
    weights = design.weights.relative[rows]
    return np.divide(losses, weights, out=np.zeros(len(rows)), where=weights > 0)


def _right(design: Design, rows: Rows) -> Losses | float:
    return design.loss.pointwise(design.y[rows], design.y[rows]) if design.loss.needs == "class" else 0.0
