"""A sketch of a set of rows, from which it can be told whether two sets overlap.

The `SIZE` least identities of a set are a uniform sample of it, and those of two sets are the same sample of what the
two share (bottom-k sketches: Cohen, Kaplan, Summarizing data using bottom-k sketches, PODC 2007).
"""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from heldout.rows.row_identity import Words

SIZE = 256
SHARE = 0.05  # of the rows that two sketches can compare: fewer in common are chance, such as equal rows of few values
_DIGITS = 16  # hexadecimal, of an identity


@dataclass(frozen=True)
class Sketch:
    """The least identities of a set of rows, ascending: all of them if they are fewer than `SIZE`."""

    identities: tuple[int, ...] = ()

    @classmethod
    def of(cls, identity: Words) -> "Sketch":
        """The sketch of rows with these identities."""
        return cls(tuple(np.unique(identity)[:SIZE].tolist()))

    @classmethod
    def parsed(cls, text: str) -> "Sketch":
        """The sketch that was written as `text`."""
        return cls(tuple(int(text[place : place + _DIGITS], 16) for place in range(0, len(text), _DIGITS)))

    def __str__(self) -> str:
        return "".join(f"{identity:0{_DIGITS}x}" for identity in self.identities)

    def overlaps(self, other: "Sketch") -> bool:
        """Whether at least the share `SHARE` of the smaller set's rows is in the other set, as far as is known.

        Where two sets share s rows and the larger has n, these are all missed with probability about exp(-SIZE s / n).
        """
        end = min(self._end, other._end)
        mine, others = (set(one.identities[: bisect_right(one.identities, end)]) for one in (self, other))
        fewer = min(len(mine), len(others))
        return fewer > 0 and len(mine & others) >= SHARE * fewer

    @property
    def _end(self) -> float:
        """The identity up to which the sketch holds every row."""
        return self.identities[-1] if len(self.identities) == SIZE else float("inf")
