"""The folds by which a table of answers was made: of one partition of the rows, or of several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses import Loss, Losses
from heldout.losses.cells import Cells
from heldout.losses.ratio import Ratio
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.notebook.given_losses import filled
from heldout.notebook.own_folds import divides_a_group
from heldout.predictions.long_table import LongTable, Values
from heldout.splits.dependence import DependenceKind, distinct

_PARTITIONS = (
    ", but for rows that were partitioned into folds again and again: name the column with the number of the partition "
    "as repeat, or add one"
)


@dataclass(frozen=True, eq=False)
class GivenFolds:
    """R partitions of N rows: `lines` of each, and the `fold` of each row, shape (N,); none where one model answered.

    `group`, shape (N,), numbers the group of each row, None without groups. `known` is false where there were folds
    that
    nobody named.
    """

    lines: tuple[LongTable, ...]
    fold: tuple[NDArray[np.int64], ...]
    group: NDArray[np.int64] | None
    known: bool = True

    @classmethod
    def of(
        cls, table: Any, lines: LongTable, fold: str | None, repeat: str | None, group: NDArray[np.int64] | None
    ) -> Self:
        """From the columns `fold` and `repeat`, and the `group` of each row.

        Raises BadArgument for a row without a line in a partition, a single fold, partitions into different numbers of
        folds, and a group in several.
        """
        if fold is None:
            if repeat is not None:  # one model that answered each row several times
                list(lines.of_each("repeat", filled(lines, "repeat", lines.column(table, "repeat", repeat))))
            return cls((lines,), (), group)
        of_lines = None if repeat is None else filled(lines, "repeat", lines.column(table, "repeat", repeat))
        partitions = (lines,) if of_lines is None else tuple(lines.of_each("repeat", of_lines))
        folds = tuple(
            _checked(of.of_rows("fold", filled(of, "fold", of.column(table, "fold", fold)), _PARTITIONS), group)
            for of in partitions
        )
        counts = sorted({int(one.max()) + 1 for one in folds})
        if len(counts) > 1:
            raise BadArgument("repeat", f"repeat: there are {counts[0]} folds in one and {counts[-1]} in another")
        return cls(partitions, folds, group)

    def of_two(self) -> Self:
        """Folds that are not known, as two: the number by which differences vary most. No training size is known."""
        return replace(self, fold=(np.arange(len(self.lines[0].rows)) % 2,), known=False)

    def check_no_copies(self, answers: Sequence[Values]) -> None:
        """Raise BadArgument for a partition that is another one: the same folds, and the same answers.

        `answers` are those of the lines of each partition.
        """
        seen: dict[Any, int] = {}
        if len(self.fold) < 2:
            return
        for number, (lines, fold, said) in enumerate(zip(self.lines, self.fold, answers, strict=False), 1):
            order = np.lexsort((lines.row, lines.candidate))
            key = (_by_appearance(fold).tobytes(), tuple(said[order].tolist()))
            if (first := seen.setdefault(key, number)) < number:
                raise BadArgument(
                    "repeat",
                    f"repeat: partition {number} of {len(self.fold)} is a copy of {first}: the same folds and "
                    "answers, which add no evidence; leave it out",
                )

    @property
    def kind(self) -> DependenceKind | None:
        """How rows depend on one another."""
        return None if self.group is None else "groups"

    @property
    def n_train(self) -> int | None:
        """The mean number of rows that the model of a fold was trained on; None where one model answered all rows."""
        return round(len(self.fold[0]) * (1 - 1 / self.k)) if self.fold and self.known else None

    def observed(
        self, losses: Sequence[Losses], loss: Loss, weights: Losses | None = None, cells: Cells | None = None
    ) -> Tested:
        """What was observed of a candidate, whose losses in each partition have the shape (N,), as the `weights` have;
        with the `cells` of the rows.

        Where there are several, the errors of all R k folds are those of as many tests on 1/k of the rows (Bouckaert,
        Frank, PAKDD 2004), as subsamples are.
        """
        if weights is not None:
            ratio = Ratio.of(np.mean(losses, axis=0), weights)
            losses = [ratio.terms(of, weights) for of in losses]
        means = np.mean(losses, axis=0)
        if not self.fold:
            return Tested(means, loss, cluster=self.group, weights=weights, cells=cells)
        once = CrossValidated(means, loss, cluster=self.group, weights=weights, cells=cells, fold=self.fold[0])
        if len(self.fold) == 1:
            return once
        errors = [np.bincount(fold, weights=of) / np.bincount(fold) for fold, of in zip(self.fold, losses, strict=True)]
        return replace(
            once,
            first_errors=errors[0],
            subsample_errors=np.concatenate(errors),
            tested_per_trained=1 / (self.k - 1),
            repeated_errors=np.stack(errors[1:]),
        )

    @property
    def k(self) -> int:
        """How many folds a partition has; 0 where one model answered all rows."""
        return int(self.fold[0].max()) + 1 if self.fold else 0


def _by_appearance(fold: NDArray[np.int64]) -> NDArray[np.int64]:
    """The folds, numbered in the order in which their first rows come."""
    firsts, codes = np.unique(fold, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(firsts))[codes]


def _checked(of_rows: NDArray[Any], group: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The number of each row's fold, shape (N,)."""
    fold = distinct(of_rows)
    if fold.max() == 0:
        raise BadArgument("fold", f"fold has the single value {of_rows[0]}; leave it out, or give at least 2 folds")
    if group is not None and divides_a_group(fold, group):
        raise BadArgument("fold", "fold: rows of a group are in several folds, so that their models saw the group")
    return fold
