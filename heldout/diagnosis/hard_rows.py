"""The rows that most candidates get wrong: a wrong label, a feature that is missing, or noise that nothing predicts.

A row's loss is its held-out loss of cross-validation, the mean over the partitions into folds, divided by the row's
weight, less what the right answer costs (nothing, but for a matrix of costs).

For a loss of predicted classes, a candidate is wrong at a row whose loss is above 0, in any of the partitions: the rows
that more than half of the candidates get wrong, ordered by their number, so that those that every candidate gets wrong
come first. For other losses, where no answer is quite right: all rows, ordered by the least loss over the candidates,
which each candidate errs there at least. Then the loss of the winner decides, and the mean loss of its half models that
did not see the row, which tell apart the rows of a loss of 0 and 1.

Such a row is worth a look, and no more: the list says neither that a label is wrong, nor which one would be right. Rows
must not be dropped by it: the error of the others is an error of other rows than those to come.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, check_whole
from heldout.learners.fitting import answers
from heldout.losses import ABSOLUTE, ZERO_ONE, Losses
from heldout.losses.loss import places
from heldout.schemes.design import Design, Evidence, half_losses, held_out_losses
from heldout.splits.split import Rows

_ROUNDING = 1e-12  # of weighted costs


@dataclass(frozen=True, eq=False)
class HardRows:
    """The `rows`, shape (n,), and of each the winner's loss, the least over the candidates, and that of half models.

    `halves` is None where no half model was tested on rows that it did not see; `wrong`, the number of candidates that
    are wrong, for losses other than of predicted classes.
    """

    rows: Rows
    losses: Losses
    least: Losses
    halves: Losses | None
    wrong: NDArray[np.int64] | None


def hard_rows(design: Design, evidence: Mapping[str, Evidence], winner: str, most: int) -> HardRows:
    """At most `most` rows, the hardest first; the losses of one candidate at a time are in memory.

    Raises BadArgument for fewer than one row, or without E_cv.
    """
    check_whole(n=(most, 1))
    if "E_cv" not in design.estimates:
        raise BadArgument("estimates", "hard_rows: E_cv was not computed; estimates must contain it")
    rows, of_winner = _losses(design, evidence[winner])
    least, wrong = of_winner, np.zeros(len(rows), np.int64)
    for of_candidate in evidence.values():
        losses = _losses(design, of_candidate)[1]
        least, wrong = np.minimum(least, losses), wrong + (losses > _ROUNDING * losses.max(initial=0.0))
    halves = _of_halves(design, evidence[winner], rows)
    counted = design.loss.needs == "class"
    keys: list[NDArray[Any]] = [] if halves is None else [halves]
    keys += [of_winner, wrong if counted else least]
    in_order: list[NDArray[Any]] = [rows, *(-_tied(key) for key in keys)]
    order = np.lexsort(in_order)
    kept = 2 * wrong > len(evidence) if counted else least > 0
    hard = order[kept[order]][:most]
    of_halves = None if halves is None else halves[hard]
    return HardRows(rows[hard], of_winner[hard], least[hard], of_halves, wrong[hard] if counted else None)


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


def _tied(key: NDArray[Any]) -> NDArray[np.float32]:
    """Equal where they differ by rounding alone."""
    with np.errstate(over="ignore"):
        return key.astype(np.float32)


def _losses(design: Design, evidence: Evidence) -> tuple[Rows, Losses]:
    """The rows that a fold tests, and their losses without what the right answer costs."""
    rows, losses = held_out_losses(design, evidence)
    return rows, losses - _right(design, rows)


def _of_halves(design: Design, evidence: Evidence, rows: Rows) -> Losses | None:
    """The same of the half models that did not see a row, the mean over the repeats; None for rows in time."""
    if "covalidation" not in evidence.losses or design.dependence.time is not None or not len(design.halves):
        return None
    table = half_losses(design, evidence.losses["covalidation"], on_training_half=False)
    of_rows: Losses = table.mean(axis=0)[rows] - _right(design, rows)
    return of_rows


def _right(design: Design, rows: Rows) -> Losses | float:
    return design.loss.pointwise(design.y[rows], design.y[rows]) if design.loss.needs == "class" else 0.0
