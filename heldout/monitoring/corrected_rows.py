"""Have rows that are known by a key still the same values as a whole? By how far their distribution moved.

Kind: no test, and no probability: all of these rows are known, so that every difference is real, and the question is
whether it is one of a few corrections, of a column that ages, or of another unit. A column is named where the share of
rows below one of its former deciles, of one of its frequent values, or of its gaps, changed by more than a limit. A
column that was sorted alone changes no such share: it is named where more rows than the limit, or than half as many as
if its values were drawn at random, have another value, of numbers one that is far from theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

DECILES = np.arange(1, 10) / 10
MOVED, EMPTIED = 0.2, 0.1  # the shares of rows by which a column may change: of its values; of its gaps
FAR = 1 / 3  # the share of all rows that a number passes, from where it is another one and not an older one
_LEAST = 0.05  # of the rows: so many changed labels of a rare class are corrections
_GAP = np.uint8(255)
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
class Changed:
    """A column whose values went to other rows: in which share of the known rows it has another value, or a far one."""

    column: str
    share: float
    number: bool

    def __str__(self) -> str:
        what = "a value far from the one before" if self.number else "another value"
        return f"{self.column} has {what} in {100 * self.share:.3g} % of the known rows"


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

    def ranks(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.uint8]]:
        """Which of its column's thresholds, or of its frequent values, each value is at; of columns of the same kind.

        Examples
        --------
        >>> profile = Profile.of({"bill": np.arange(100.0)})
        >>> profile.ranks({"bill": np.array([0.0, 5.0, 15.0, 99.0, np.nan])})["bill"].tolist()
        [0, 0, 1, 9, 255]
        """
        same = {name: values for name, values in columns.items() if _same_kind(self.columns.get(name), values)}
        return {name: _ranks(self.columns[name], values) for name, values in same.items()}

    def far(
        self, before: Mapping[str, NDArray[np.uint8]], columns: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[np.bool_]]:
        """In which rows a column has another value than that whose `ranks` were so before, of numbers a far one."""
        found = {}
        for name, now in self.ranks(columns).items():
            if (was := before.get(name)) is None:
                continue
            there, found[name] = (was != _GAP) & (now != _GAP), np.zeros(len(now), np.bool_)
            found[name][there] = _far_ranks(self.columns[name])[was[there], now[there]]
        return found

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


def changed(far: Mapping[str, NDArray[np.bool_]], columns: Mapping[str, NDArray[Any]]) -> list[Changed]:
    """The columns of which more rows than the limit are `far` from what they were."""
    found = []
    for name, rows in far.items():
        known = _profile(columns[name])
        share = float(rows.mean()) if len(rows) else 0.0
        if share > min(MOVED, max(_LEAST, _by_chance(known, columns[name]) / 2)):
            found.append(Changed(name, share, len(known.get("at", ())) > 2))  # of two values each is another
    return found


def _by_chance(known: Mapping[str, Any], values: NDArray[Any]) -> float:
    """In which share of the rows a column would have another value if its values were drawn at random."""
    there, far = _ranks(known, values), _far_ranks(known)
    shares = np.bincount(there[there != _GAP], minlength=len(far)) / max((there != _GAP).sum(), 1)
    return float(shares @ far @ shares)


def _far_ranks(known: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Of any two ranks, whether a row that went from one to the other has another value."""
    if "at" not in known:
        return ~np.eye(len(known["values"]) + 1, dtype=np.bool_)
    ends = np.array([0.0, *known["shares"], 1.0])
    place = (ends[:-1] + ends[1:]) / 2
    far: NDArray[np.bool_] = np.abs(place[:, None] - place) > FAR
    return far


def _ranks(known: Mapping[str, Any], values: NDArray[Any]) -> NDArray[np.uint8]:
    there, found = _there(values), np.full(len(values), _GAP)
    some = values[there]
    if "at" in known:
        found[there] = np.searchsorted(np.array(known["at"], np.float64), some.astype(np.float64))
    else:
        kinds = {kind: place for place, kind in enumerate(known["values"])}
        found[there] = [kinds.get(str(value), len(kinds)) for value in some]
    return found


def _same_kind(known: Mapping[str, Any] | None, values: NDArray[Any]) -> bool:
    return known is not None and _numeric(values) == ("at" in known)


def _asked(name: str, known: Mapping[str, Any], values: NDArray[Any]) -> list[Moved]:
    """What moved. Of a column of another kind it is whether the values are still numbers, or still texts."""
    found = [Moved(name, "missing", float(known["missing"]), float((~_there(values)).mean()) if len(values) else 0.0)]
    some = values[_there(values)]
    if not len(some) or not (known.get("at") or known.get("values")):
        return found
    if not _same_kind(known, values):
        still = 0.0 if "at" not in known else float(np.mean([_is_number(value) for value in some]))
        return [*found, Moved(name, "a number" if "at" in known else "a text", 1.0, still)]
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


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


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
