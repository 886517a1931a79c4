"""How rows depend on each other: which rows belong together, and which came first.

Rows of a group (a patient, a machine, copies of a row) are similar, and rows of a stream follow each other.
An error is honest for such rows only if no hypothesis is tested on a group of its training rows, or on rows
before its training rows. `Dependence.purged` ensures this for every split of every scheme.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, check_whole
from heldout.losses import Losses
from heldout.rows.group_names import group_names
from heldout.rows.missing import is_missing
from heldout.splits.batches import batches
from heldout.splits.split import Rows, Split

DependenceKind = Literal["groups", "time", "groups and time"]


@dataclass(frozen=True, eq=False)
class Dependence:
    """`group`, shape (N,), is the number of each row's group, 0 … G-1; `time` the rank of its time, from 0.

    Each is None where the design does not use it. `gap` is the number of rows left out between the training rows of a
    hypothesis and the later rows that test it.
    """

    group: NDArray[np.int64] | None = None
    time: NDArray[np.int64] | None = None
    gap: int = 0

    @property
    def kind(self) -> DependenceKind | None:
        """What makes rows dependent; None for independent rows."""
        if self.group is not None and self.time is not None:
            return "groups and time"
        return "groups" if self.group is not None else "time" if self.time is not None else None

    @property
    def groups(self) -> int | None:
        """How many groups there are; None where rows are in none."""
        return None if self.group is None else int(self.group.max()) + 1

    def of(self, rows: NDArray[Any]) -> "Dependence":
        """The dependence of some `rows`, a mask or row numbers."""
        return replace(
            self,
            group=None if self.group is None else distinct(self.group[rows]),
            time=None if self.time is None else distinct(self.time[rows]),
        )

    def purged(self, split: Split) -> Split:
        """The split without training rows of a tested group, or of the time of a tested row or later.

        The last `gap` of the earlier rows are left out too, with all other rows of their times. Raises
        BadArgument if no training row is left.
        """
        train, tested = split.train, split.validation
        if not len(tested):
            return split
        if self.group is not None:
            is_tested = np.zeros(int(self.group.max()) + 1, dtype=np.bool_)
            is_tested[self.group[tested]] = True
            train = train[~is_tested[self.group[train]]]
        if self.time is not None:
            train = train[self.time[train] < self._end_of_training(self.time[tested].min())]
        if not len(train):
            raise self._nothing_left(len(tested))
        return Split(train, tested)

    def clusters(self, rows: Rows, losses: Losses) -> NDArray[np.int64] | None:
        """The independent unit of each of the tested `rows`, shape (n,), with their `losses`; None if independent.

        A unit is a group. For rows in time without groups it is a batch of consecutive rows, as long as the
        correlation of the losses asks for (`heldout.splits.batches`).
        """
        if self.group is not None:
            return distinct(self.group[rows])
        if self.time is None:
            return None
        order = np.argsort(self.time[rows], kind="stable")
        cluster = np.empty(len(rows), dtype=np.int64)
        cluster[order] = batches(losses[order])
        return cluster

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The number of rows before each distinct time."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.time))])  # type: ignore[arg-type]

    def _end_of_training(self, first_tested: np.int64) -> int:
        """The position of a time: all training rows are earlier."""
        last = self._starts[first_tested] - self.gap
        return int(np.searchsorted(self._starts, last, side="right")) - 1 if last > 0 else 0

    def _nothing_left(self, tested: int) -> BadArgument:
        if self.time is None:
            reason = "every row to train on is of a group that is tested; more groups are needed"
            return BadArgument("groups", f"groups: {reason}")
        if self.group is not None:
            reason = (
                "groups and time together test later rows of groups that no training row has, and every earlier row is "
                "of a group that is tested later; for later rows of the same groups give time alone, for rows of new "
                "groups at any time give groups alone"
            )
            return BadArgument("groups", f"groups: {reason}")
        return BadArgument(
            "gap", f"gap is {self.gap}, which leaves no row to train on before {tested} tested rows; use a smaller gap"
        )


INDEPENDENT = Dependence()


def distinct(values: Any) -> NDArray[np.int64]:
    """The position, 0, 1, …, of each value among the distinct values in ascending order; mixed types by appearance."""
    values = np.asarray(values)
    if values.dtype != object:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    found = dict.fromkeys(values.tolist())
    with suppress(TypeError):  # values that cannot be compared
        found = dict.fromkeys(sorted(found))
    places = {value: place for place, value in enumerate(found)}
    return np.array([places[value] for value in values.tolist()], dtype=np.int64)


def joined(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The finest groups that keep together the rows of each group of `first` and of `second`, all of shape (N,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    shape = (int(first.max()) + 1, int(second.max()) + 1)
    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second + shape[0])), shape=(sum(shape), sum(shape)))
    return distinct(connected_components(links, directed=False)[1][first])


def checked_groups(groups: Any, n: int) -> Dependence:
    """Rows of `groups`, shape (n,), with the same name belong together; None for independent rows."""
    if groups is None:
        return INDEPENDENT
    shape = np.shape(groups if hasattr(groups, "shape") else np.array(groups, dtype=object))
    if shape != (n,):
        raise BadArgument("groups", f"groups has shape {shape}; it must be ({n},), one group for each row of X")
    try:
        names = group_names(groups)
    except ValueError as error:
        raise BadArgument("groups", f"groups {error}") from None
    if None in names:
        raise BadArgument("groups", "groups has a row whose group is missing; give each row one, or take it out")
    codes = distinct(np.array(names, dtype=object))
    if not codes.any():
        raise BadArgument("groups", "groups has 1 group; at least 2 are needed, one on each side of a split")
    return Dependence(group=codes)


def checked_dependence(groups: Any, time: Any, gap: Any, n: int) -> Dependence:
    """The dependence of n rows in `groups`, with a `time` each, shape (n,): None where rows do not depend so.

    Times are numbers or dates: rows of the same time are together. `gap` is the number of rows left out before tested
    rows. Raises BadArgument.
    """
    made = checked_groups(groups, n)
    if time is None:
        if gap:
            raise BadArgument("gap", f"gap is {gap!r}, but rows have no time; leave it out, or give time")
        return made
    values = np.asarray(time)
    if values.shape != (n,):
        raise BadArgument("time", f"time has shape {values.shape}; it must be ({n},), one time for each row of X")
    if values.dtype == object and not any(isinstance(value, str) or is_missing(value) for value in values.tolist()):
        values = np.array(values.tolist(), dtype="datetime64[us]")
    if values.dtype.kind not in "biufM":
        raise BadArgument(
            "time", f"time holds {values[0]!r}; it must hold numbers or dates (datetime64) alone, none of them missing"
        )
    if (values != values).any() or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        raise BadArgument("time", "time has a row whose time is missing or infinite; give each row one, or take it out")
    if len(rank := np.unique(values)) < 2:
        raise BadArgument("time", f"time has the single value {rank[0]}; at least 2 are needed, one to train before")
    check_whole(gap=(gap, 0))
    return replace(made, time=distinct(values), gap=int(gap))
