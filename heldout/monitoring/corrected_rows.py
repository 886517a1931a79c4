"""Have rows that are known by a key still the same values as a whole? By how far their distribution moved.

Kind: no test, and no probability: all of these rows are known, so that every difference is real, and the question is
whether it is one of a few corrections, of a column that ages, or of another unit. A column is named where the share of
rows below one of its former deciles, of one of its frequent values, or of its gaps, changed by more than a limit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

DECILES = np.arange(1, 10) / 10
MOVED, EMPTIED = 0.2, 0.1  # the shares of rows by which a column may change: of its values; of its gaps
_MOST_VALUES = 20  # of a column, the most frequent


@dataclass(frozen=True)
class Moved:
    """A column that moved: what is asked, in which share of the rows it was true, and is now."""

    column: str
    asked: str
    before: float
    now: float

    def __str__(self) -> str:
        now, before = (f"{100 * share:.3g} %" for share in (self.now, self.before))
        return f"{self.column} is {self.asked} in {now} of the known rows, and was in {before}"


@dataclass(frozen=True)
class Profile:
    """Of each column the share of gaps, and of the other rows the shares at its thresholds or of its values.

    Examples
    --------
    >>> bill = np.linspace(20, 100, 200)
    >>> profile = Profile.of({"bill": bill, "plan": np.array(["basic", "plus"] * 100, object)})
    >>> [str(one) for one in profile.moved({"bill": bill + 0.5, "plan": np.array(["basic", "plus"] * 100, object)})]
    []
    >>> [one.column for one in profile.moved({"bill": 100 * bill, "plan": np.array(["plus", "plus"] * 100, object)})]
    ['bill', 'plan']
    """

    columns: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]]) -> Self:
        """From columns of equal length, numbers (a gap is NaN) or objects (None)."""
        return cls({name: _profile(values) for name, values in columns.items()})

    def moved(self, columns: Mapping[str, NDArray[Any]]) -> Sequence[Moved]:
        """The columns that moved by more than the limits, each once, with what moved most."""
        found = []
        for name, values in columns.items():
            if (known := self.columns.get(name)) is not None:
                most = max(_asked(name, known, values), key=_by, default=None)
                if most is not None and _by(most) > MOVED:
                    found.append(most)
        return found


def _profile(values: NDArray[Any]) -> dict[str, Any]:
    missing = float((~_there(values)).mean()) if len(values) else 0.0
    some = values[_there(values)]
    if _numeric(values):
        at = np.unique(np.quantile(some.astype(np.float64), DECILES, method="lower")).tolist() if len(some) else []
        return {"missing": missing, "at": at, "shares": [float((some <= one).mean()) for one in at]}
    kinds, counts = np.unique(some.astype(str), return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
    return {"missing": missing, "values": {str(kinds[one]): float(counts[one] / len(some)) for one in frequent}}


def _asked(name: str, known: Mapping[str, Any], values: NDArray[Any]) -> list[Moved]:
    """What moved, of a column that is of the same kind; of one of another kind nothing."""
    found = [Moved(name, "missing", float(known["missing"]), float((~_there(values)).mean()) if len(values) else 0.0)]
    some = values[_there(values)]
    if not len(some) or _numeric(values) != ("at" in known):
        return found
    if _numeric(values):
        pairs = zip(known["at"], known["shares"], strict=True)
        return [*found, *(Moved(name, f"at most {at:.4g}", share, float((some <= at).mean())) for at, share in pairs)]
    kinds, counts = np.unique(some.astype(str), return_counts=True)
    now = {str(kind): float(count / len(some)) for kind, count in zip(kinds, counts, strict=True)}
    before = known["values"]
    frequent = sorted(now, key=lambda kind: -now[kind])[:_MOST_VALUES] if len(before) < _MOST_VALUES else []
    return [
        *found,
        *(
            Moved(name, kind, before.get(kind, 0.0), now.get(kind, 0.0))
            for kind in {**before, **dict.fromkeys(frequent)}
        ),
    ]


def _by(one: Moved) -> float:
    return abs(one.now - one.before) * (MOVED / EMPTIED if one.asked == "missing" else 1)


def _numeric(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "biuf"


def _there(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        there: NDArray[np.bool_] = ~np.isnan(values)
        return there
    if values.dtype.kind in "biu":
        return np.ones(len(values), np.bool_)
    return np.array([value is not None for value in values], np.bool_)
