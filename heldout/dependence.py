"""How rows depend on one another: which ones belong together, and which came first.

Rows of a group (a patient, a machine, copies of one row) are alike, and rows of a stream follow one another.
An error is honest for them only if no hypothesis is tested on a group that it was trained on, or on rows
before those that it was trained on. `Dependence.purged` says so once, for every split of every scheme.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.records import Rows, Split

Kind = Literal["groups", "time", "groups and time"]


@dataclass(frozen=True, eq=False)
class Dependence:
    """`group`, shape (N,), numbers the group of each row 0 … G-1, `time` its place among the distinct times.

    Either is None where the design has none. `gap` is the number of rows left out between the rows that a
    hypothesis is trained on and those that it is tested on after them.
    """

    group: NDArray[np.int64] | None = None
    time: NDArray[np.int64] | None = None
    gap: int = 0

    @property
    def kind(self) -> Kind | None:
        """What rows depend by; None for independent rows."""
        if self.group is not None and self.time is not None:
            return "groups and time"
        return "groups" if self.group is not None else "time" if self.time is not None else None

    def of(self, rows: NDArray[Any]) -> "Dependence":
        """The same of some `rows`, a mask or their numbers."""
        return replace(
            self,
            group=None if self.group is None else distinct(self.group[rows]),
            time=None if self.time is None else distinct(self.time[rows]),
        )

    def purged(self, split: Split) -> Split:
        """The split without the training rows that are of a tested group, or not earlier than all tested rows.

        Of the earlier ones the last `gap` are left out too, and with a row all others of its time. Raises
        BadArgument if no training row is left.
        """
        train, tested = split.train, split.validation
        if not len(tested):
            return split
        if self.group is not None:
            met = np.zeros(int(self.group.max()) + 1, dtype=np.bool_)
            met[self.group[tested]] = True
            train = train[~met[self.group[train]]]
        if self.time is not None:
            train = train[self.time[train] < self._end_of_training(self.time[tested].min())]
        if not len(train):
            raise self._nothing_left(len(tested))
        return Split(train, tested)

    def clusters(self, rows: Rows) -> NDArray[np.int64] | None:
        """The independent unit that each of the tested `rows` belongs to, shape (n,); None for independent rows.

        A group; of rows in time a batch of about sqrt(n) consecutive ones, whose means are nearly independent
        where the dependence is shorter than a batch (batch means; Law, Kelton, Simulation modeling and analysis).
        With groups and time the groups.
        """
        if self.group is not None:
            return distinct(self.group[rows])
        if self.time is None:
            return None
        cluster = np.empty(len(rows), dtype=np.int64)
        cluster[np.argsort(self.time[rows], kind="stable")] = np.arange(len(rows)) // max(1, round(len(rows) ** 0.5))
        return cluster

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The number of rows before each distinct time."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.time))])  # type: ignore[arg-type]

    def _end_of_training(self, first_tested: np.int64) -> int:
        """The distinct time that all training rows lie before."""
        last = self._starts[first_tested] - self.gap
        return int(np.searchsorted(self._starts, last, side="right")) - 1 if last > 0 else 0

    def _nothing_left(self, tested: int) -> BadArgument:
        if self.time is None:
            reason = "every row to train on is of a group that is tested; more groups are needed"
            return BadArgument("groups", f"groups: {reason}")
        if self.group is not None:
            reason = "every earlier row is of a group that is tested later; give groups or time, not both"
            return BadArgument("groups", f"groups: {reason}")
        return BadArgument(
            "gap", f"gap is {self.gap}, which leaves no row to train on before {tested} tested ones; use a smaller gap"
        )


INDEPENDENT = Dependence()


def distinct(values: Any) -> NDArray[np.int64]:
    """The place of each value among the distinct ones, 0, 1, …, in ascending order; mixed types by appearance."""
    values = np.asarray(values)
    try:
        places = np.unique(values, return_inverse=True)[1]
    except TypeError:  # values that cannot be compared
        numbers: dict[Any, int] = {}
        places = np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()])
    return places.astype(np.int64)


def joined(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Groups that hold together what either `one` or the `other` grouping, both of shape (N,), holds together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    shape = (int(one.max()) + 1, int(other.max()) + 1)
    links = coo_array((np.ones(len(one), dtype=np.int8), (one, other + shape[0])), shape=(sum(shape), sum(shape)))
    return distinct(connected_components(links, directed=False)[1][one])
