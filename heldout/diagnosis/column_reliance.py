"""Which columns a candidate relies on: what its fold hypotheses err more where a column has the values of other rows.

Each tested row is answered again by the hypothesis that did not see its fold, with the values of a column (or of a set
of columns) from another row of the same fold. With g(r, j) the loss of row r with the values of row j, less the loss of
row r as it is, the increase is the mean of g over the tested rows r and, for each, `draws` others j. No further fit.

Target: the mean, over the k fold hypotheses, of the increase of the true error when the values come from an independent
row; a fold is a sample of both. Value 0 for a column that the hypotheses do not use, and for one that is independent of
the label and of the other columns. The rows are permuted by shifts of a random order in which no row keeps its values:
with all n - 1 shifts of n rows the increase is the U-statistic of all pairs, `e_switch` less `e_orig`. A permutation
that may leave rows in their places, as of scikit-learn, has (n - 1) / n of it in expectation. Rows of a group get
the values of other groups, and with weights a row is the other one as often as its weight says.

Interval: a row has a part in the mean by its own g(r, .) and by g(., r), where its values went elsewhere. So the
variance is that of the sums
    psi_r = mean_j g(r, j) + mean_r' g(r', r) - increase of the fold        (W. Hoeffding, Ann. Math. Statist. 19, 1948)
by row or cluster, as of the differences of two candidates, with their correction for hypotheses that share training
rows (`heldout.selection.paired_differences`). The noise of the draws counts twice in it. The level holds for all
columns at once (Bonferroni); `studies/column_reliance.py` measures it. A column of noise is outside of its interval
less often than the level says: the correction is for what hypotheses have in common through their training rows.

Columns that say the same hide each other: the answer follows the copy that was left as it was, and each of two copies
may have an increase near 0 although the label depends on nothing else. Permuted together they show it. And rows get
values that no row has together (a pregnant man), about which the hypothesis may answer anything.

Source: L. Breiman, Random forests (Machine Learning 45, 2001), section 10; A. Fisher, C. Rudin, F. Dominici, All models
are wrong, but many are useful (JMLR 20, 177, 2019), model reliance as a difference, and its U-statistic.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure, check_whole
from heldout.intervals import credible
from heldout.learners.fitting import ROWS_AT_ONCE, answers, losses_of, recorded, test
from heldout.learners.threads import one_thread
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested
from heldout.records import ColumnReliance
from heldout.rows.exchanged_rows import exchanged, names, value_numbers
from heldout.schemes.design import Design
from heldout.schemes.other_rows import others_of
from heldout.selection.paired_differences import differences_of_rows
from heldout.splits.split import Rows, tested_rows

INTERVAL = "corrected t of rows, all columns"
DRAWS = 10  # other rows that give their values to each row


def column_reliance(
    candidate: str,
    hypotheses: Sequence[Any],
    X: Any,
    design: Design,
    sets: Sequence[tuple[int, ...]],
    draws: int = DRAWS,
) -> list[ColumnReliance]:
    """A line for each of `sets`, the places of columns that are permuted together, the largest increase first.

    `hypotheses` are those of the folds of X, shape (N, p), in the order of `design.splits("cross_validation")`. Raises
    BadArgument for a fold without another row or group, and FitFailure for a hypothesis that refuses a row.
    """
    check_whole(draws=(draws, 1))
    named, by_column = names(X), X.tocsc() if hasattr(X, "tocsc") else X
    lines = []
    with one_thread(), recorded():
        folds = [*folds_of(hypotheses, X, design, draws)]
        for places in sets:
            columns = tuple(named[place] for place in places)
            try:
                psi = rows_of(folds, X, design, places, value_numbers(by_column, places))
            except FitFailure as failure:
                shown = ", ".join(map(str, columns))
                raise FitFailure(f"{candidate}, with other values of {shown}: {failure}") from failure
            lines.append(_line(ColumnReliance(candidate, columns, float(psi.mean())), psi, design, len(sets)))
    return sorted(lines, key=lambda line: -line.increase)


@dataclass(frozen=True, eq=False)
class Fold:
    """The tested `rows`, shape (n,), of a hypothesis, their losses, and for each draw the `others`, shape (draws, n).

    The others are places among the rows; `weights`, shape (n,), have mean 1 over the tested rows of all folds.
    """

    hypothesis: Any
    rows: Rows
    losses: Losses
    others: NDArray[np.intp]
    weights: Losses


def folds_of(hypotheses: Sequence[Any], X: Any, design: Design, draws: int) -> Iterator[Fold]:
    """The folds of X, shape (N, p), in the order of their `hypotheses`. Raises as `column_reliance`."""
    weights = design.weights_of(tested_rows(design.splits("cross_validation")))
    scale = (
        1.0 if weights is None or design.weights is None else len(weights) / design.weights.relative_of(weights).sum()
    )
    for number, (hypothesis, split) in enumerate(zip(hypotheses, design.splits("cross_validation"), strict=True)):
        rows = split.validation
        relative, others = others_of(design, number, rows, draws)
        yield Fold(hypothesis, rows, test(hypothesis, X, design.y, rows, design.loss), others, relative * scale)


def rows_of(
    folds: Sequence[Fold], X: Any, design: Design, places: tuple[int, ...], numbers: NDArray[np.int64]
) -> Losses:
    """psi of the tested rows, ascending, from the `numbers` of the values of all rows; its mean is the increase, which
    with weights is a ratio, and psi has the part of its denominator (`heldout.losses.ratio`)."""
    psi, counted = np.zeros(len(design.y)), np.zeros(len(design.y))
    for fold in folds:
        more = increases(fold, X, design, places, numbers[fold.rows])
        elsewhere = np.bincount(fold.others.ravel(), weights=more.ravel(), minlength=len(fold.rows)) / len(more)
        psi[fold.rows] += more.mean(axis=0) + elsewhere - fold.weights / fold.weights.mean() * more.mean()
        counted[fold.rows] += fold.weights
    tested = design.partition.fold >= 0
    psi, counted = psi[tested] / design.fold_repeats, counted[tested] / design.fold_repeats
    psi += (1 - counted) * psi.mean()
    return psi


def increases(fold: Fold, X: Any, design: Design, places: tuple[int, ...], numbers: NDArray[np.int64]) -> Losses:
    """g of each draw and row, shape (draws, n), from the `numbers` of the values of its rows, shape (n,).

    It is 0 where the other row has the same values; equal values of a row are answered once.
    """
    more = np.zeros(fold.others.shape)
    draw, row = np.nonzero(numbers[fold.others] != numbers)
    other = fold.others[draw, row]
    _, first, again = np.unique(row * (numbers.max() + 1) + numbers[other], return_index=True, return_inverse=True)
    rows, others = fold.rows[row[first]], fold.rows[other[first]]
    losses = np.empty(len(first))
    for begin in range(0, len(first), ROWS_AT_ONCE):
        piece = slice(begin, begin + ROWS_AT_ONCE)
        made = exchanged(X, rows[piece], others[piece], places)
        given = answers(fold.hypothesis, made, design.loss)
        losses[piece] = losses_of(given, design.y, rows[piece], design.loss)
    more[draw, row] = fold.weights[row] * (losses[again] - fold.losses[row])
    return more


def _line(line: ColumnReliance, psi: Losses, design: Design, count: int) -> ColumnReliance:
    """The same line with its interval, one of `count` that hold together."""
    rows = np.flatnonzero(design.partition.fold >= 0)
    seen = Tested(psi, design.loss, design.seed, design.dependence.clusters(rows, psi), weights=design.weights_of(rows))
    if seen.units < 2:
        return line
    made = differences_of_rows(psi[None], seen, int(design.partition.fold.max()) + 1)
    reach, most = float(made.reach(1 - (1 - design.level) / count)[0]), design.loss.limit
    if not math.isfinite(reach):
        return line
    low, high = max(line.increase - reach, -most), min(line.increase + reach, most)
    shown = not design.loss.binary and not low <= 0 <= high
    doubt = credible.of_difference(psi, np.zeros(len(psi)), design.loss, seen.cluster) if shown else None
    return replace(line, low=low, high=high, level=design.level, interval=INTERVAL, not_credible=doubt)
