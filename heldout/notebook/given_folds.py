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
from heldout.notebook.long_table import LongTable
from heldout.notebook.own_folds import divides_a_group
from heldout.parts.dependence import DependenceKind, distinct


@dataclass(frozen=True, eq=False)
class GivenFolds:
    """R partitions of N rows: `lines` of each, and the `fold` of each row, shape (N,); none where one model answered.

    `group`, shape (N,), numbers the group of each row, None without groups.
    """

    lines: tuple[LongTable, ...]
    fold: tuple[NDArray[np.int64], ...]
    group: NDArray[np.int64] | None

    @classmethod
    def of(
        cls, table: Any, lines: LongTable, fold: str | None, repeat: str | None, group: NDArray[np.int64] | None
    ) -> Self:
        """From the columns `fold` and `repeat`, and the `group` of each row.

        Raises BadArgument for a row without a line in a partition, a single fold, partitions into different numbers of
        folds, and a group in several.
        """
        if fold is None:
            if repeat is not None:
                raise BadArgument(
                    "repeat", f"repeat is {repeat!r}, but fold is not given; name the column of the folds"
                )
            return cls((lines,), (), group)
        of_lines = None if repeat is None else filled(lines, "repeat", lines.column(table, "repeat", repeat))
        partitions = (lines,) if of_lines is None else tuple(lines.of_each("repeat", of_lines))
        folds = tuple(
            _checked(of.of_rows("fold", filled(of, "fold", of.column(table, "fold", fold))), group) for of in partitions
        )
        counts = sorted({int(one.max()) + 1 for one in folds})
        if len(counts) > 1:
            raise BadArgument("repeat", f"repeat: there are {counts[0]} folds in one and {counts[-1]} in another")
        return cls(partitions, folds, group)

    @property
    def kind(self) -> DependenceKind | None:
        """How rows depend on one another."""
        return None if self.group is None else "groups"

    @property
    def n_train(self) -> int | None:
        """The mean number of rows that the model of a fold was trained on; None where one model answered all rows."""
        return round(len(self.fold[0]) * (1 - 1 / self._k)) if self.fold else None

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
            tested_per_trained=1 / (self._k - 1),
            repeated_errors=np.stack(errors[1:]),
        )

    @property
    def _k(self) -> int:
        return int(self.fold[0].max()) + 1


def _checked(of_rows: NDArray[Any], group: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The number of each row's fold, shape (N,)."""
    fold = distinct(of_rows)
    if fold.max() == 0:
        raise BadArgument("fold", f"fold has the single value {of_rows[0]}; leave it out, or give at least 2 folds")
    if group is not None and divides_a_group(fold, group):
        raise BadArgument("fold", "fold: rows of a group are in several folds, so that their models saw the group")
    return fold
