"""An error that is too low to be believed, and the columns that carry it.

An error below a hundredth of the baseline's is seldom learned: more often a column holds what is known only together
with the label. A column carries the error if the hypothesis needs it: with its values shuffled among held-out rows,
which cuts its tie to the label, their error rises to a tenth of the baseline's or more (permutation importance;
Breiman, Random forests, Machine Learning 45, 2001). Columns are shuffled together and halved as long as the error
rises, so that few among p columns are found with about log p predictions each. Of columns of which any one suffices,
such as copies, a least set that shows itself is named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import FitFailure
from heldout.learners.fitting import answers, losses_of
from heldout.losses import Loss
from heldout.losses.amounts import amount
from heldout.losses.ratio import error_of
from heldout.rows.exchanged_rows import exchanged
from heldout.rows.frames import column_names
from heldout.schemes.design import Design
from heldout.splits.split import Split

Columns = NDArray[np.intp]

TOO_LOW, CARRIES = 0.01, 0.1  # shares of the baseline's error
_MOST_ROWS, _MOST_TOGETHER, _MOST_SHOWN = 2000, 5, 5


@dataclass(frozen=True)
class Carrier:
    """Columns by name, and the error of held-out rows with their values shuffled."""

    columns: tuple[str, ...]
    error: float


def is_too_low(error: float, of_baseline: float) -> bool:
    """Whether an error is below a hundredth of the baseline's."""
    return error < TOO_LOW * of_baseline


def carriers(hypothesis: Any, X: Any, design: Design, split: Split, of_baseline: float) -> tuple[Carrier, ...]:
    """The columns of X, shape (N, p), that carry the error of a hypothesis of `split`, the largest error first.

    No set of more than five columns that carry it only together. The shuffling depends on the seed of the design alone.
    """
    rng = np.random.default_rng(seeds.child(design.seed, "shuffled"))
    rows = np.sort(rng.permutation(split.validation)[:_MOST_ROWS])
    shuffled = rows[rng.permutation(len(rows))]

    def error(columns: Columns) -> float:
        given = answers(hypothesis, exchanged(X, rows, shuffled, columns.tolist()), design.loss)
        return error_of(losses_of(given, design.y, rows, design.loss), design.weights_of(rows))

    def rises(columns: Columns) -> bool:
        return error(columns) >= CARRIES * of_baseline

    def found(columns: Columns) -> Iterator[Columns]:
        """The sets of columns that carry it, among `columns` that do so together."""
        halves = [half for half in np.array_split(columns, 2) if rises(half)] if len(columns) > 1 else []
        if not halves:
            yield least(columns, columns[:0], _MOST_TOGETHER)
        for half in halves:
            yield from found(half)

    def least(columns: Columns, others: Columns, most: int) -> Columns:
        """A least set of `columns` that carry it with `others` (QuickXplain; Junker, AAAI 2004); none above `most`."""
        if len(columns) == 1 or most == 0:
            return columns[:most]
        first, second = np.array_split(columns, 2)
        for half in (first, second):
            if rises(np.concatenate([half, others])):
                return least(half, others, most)
        of_second = least(second, np.concatenate([first, others]), most - 1)
        if not len(of_second):
            return of_second
        of_first = least(first, np.concatenate([of_second, others]), most - len(of_second))
        return np.concatenate([of_first, of_second]) if len(of_first) else of_first

    every = np.arange(X.shape[1])
    try:
        sets = [one for one in found(every) if len(one)] if rises(every) else []
        few = [(one, error(one)) for one in sets]
    except FitFailure:  # a hypothesis that refuses rows which do not occur tells nothing
        return ()
    names = column_names(X)
    few.sort(key=lambda one: -one[1])
    return tuple(Carrier(tuple(names[place] for place in columns), risen) for columns, risen in few)


def short(carried_by: Sequence[Carrier]) -> str:
    """What to check, in some words."""
    columns = ", ".join(" with ".join(one.columns) for one in carried_by[:_MOST_SHOWN])
    return f"check whether {columns} is known before the target" if columns else "check where the labels come from"


def sentence(winner: str, error: float, of_baseline: float, carried_by: Sequence[Carrier], loss: Loss) -> str:
    """What people read of an error that is too low."""
    text = (
        f"{winner} errs {amount(error, loss)}, less than a hundredth of the baseline's {amount(of_baseline, loss)}: "
        "often a column is known only together with the target. "
    )
    if not carried_by:
        return f"{text}No few columns carry it: ask of each column whether it is known before the target is"
    shown = ", ".join(f"{' with '.join(one.columns)} {amount(one.error, loss)}" for one in carried_by[:_MOST_SHOWN])
    return f"{text}Held-out error where the values of a column are shuffled: {shown}. Is it known before the target is?"
