"""What readers ask of columns: classes that they are named after, partitions into folds, parameters as candidates."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values, gaps
from heldout.splits.dependence import distinct

INDEX = re.compile(r"(?:|Unnamed: \d+|rownames|X|index)")  # R's first column, and the index of a frame of pandas


def without_index(columns: Mapping[str, Values]) -> dict[str, Values]:
    """The columns without R's first one, which has no name, and that of a frame's index."""
    first = next(iter(columns), "")
    return {name: of for name, of in columns.items() if not (name == first and INDEX.fullmatch(name))}


def text(values: Iterable[Any]) -> list[str]:
    """The values as texts by which classes are compared: 1.0 is 1."""
    return [str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in values]


def as_text(values: Values) -> Values:
    """The same as an array of objects; a gap stays None."""
    missing = gaps(values)
    made: Values = np.array(text(values.tolist()), dtype=object)
    made[missing] = None
    return made


def are_numbers(values: Values) -> bool:
    """Whether values are numbers, and no classes: fractions, or many different ones."""
    if values.dtype.kind not in "iuf":
        return False
    known = values[~gaps(values)]
    return bool(len(known)) and (bool(np.any(known % 1 != 0)) or len(np.unique(known)) > max(20, len(known) // 20))


def of_classes(columns: Mapping[str, Values], labels: Iterable[str], prefix: str = "") -> dict[str, str]:
    """The columns of probabilities that are named after classes, by class: all of them, or none.

    `labels` are the classes that occur. A column has a `prefix` before the class, or its name is the class, whatever
    its capitals (R's TRUE).
    """
    wanted = {*labels}
    shares = {name: of for name, of in columns.items() if of.dtype.kind in "iuf" and name.startswith(prefix)}
    found: dict[str, str] = {}
    for name in shares:
        bare = name[len(prefix) :]
        same = next((one for one in wanted if one == bare), None) or next(
            (one for one in wanted if one.lower() == bare.lower()), None
        )
        if same is not None:
            found.setdefault(same, name)
        elif prefix:  # a class that no row has
            found.setdefault(bare, name)
    return found if wanted and wanted <= found.keys() else {}


def shares_of(
    columns: Mapping[str, Values], found: Mapping[str, str]
) -> tuple[Values | None, NDArray[np.float64] | None]:
    """The classes in ascending order, and their probabilities, shape (L, K); None without columns of classes."""
    if not found:
        return None, None
    classes = sorted(found)
    shares = np.stack([columns[found[one]].astype(np.float64) for one in classes], axis=1)
    return np.array(classes, dtype=object), shares


def candidates_of(columns: Mapping[str, Values], names: Sequence[str], otherwise: str) -> Values:
    """The name of each line's candidate by the columns of parameters that vary: "k = 5, weights = no"."""
    varying = [name for name in names if len(set(columns[name].tolist())) > 1]
    shown = varying or names
    length = len(next(iter(columns.values())))
    if not shown:
        return np.full(length, otherwise, dtype=object)
    of_each = [[f"{name} = {_short(value)}" for value in columns[name].tolist()] for name in shown]
    return np.array([", ".join(parts) for parts in zip(*of_each, strict=True)], dtype=object)


def repeats_of(rows: Values, resample: Values, candidate: Values) -> NDArray[np.int64] | None:
    """The partition that each line belongs to, where resamples that are numbered on are folds of several partitions.

    `rows`, `resample` (in order of their numbers) and `candidate` have the shape (L,). None where they are no
    partitions, each of which tests every row once.
    """
    first = candidate == candidate[0]
    row, part = distinct(rows[first]), distinct(resample[first])
    n, many = int(row.max()) + 1, int(part.max()) + 1
    repeats, rest = divmod(len(row), n)
    if rest or many % repeats:
        return None
    number = part // (many // repeats)
    if any(len(np.unique(row[number == one])) < n for one in range(repeats)):
        return None
    by_part = dict(zip(resample[first].tolist(), number.tolist(), strict=True))
    return np.array([by_part.get(one, -1) for one in resample.tolist()], dtype=np.int64)


def tested_once(rows: Values, candidate: Values) -> bool:
    """Whether a candidate has one line for each row."""
    pairs = distinct(rows) * (int(distinct(candidate).max()) + 1) + distinct(candidate)
    return len(np.unique(pairs)) == len(pairs)


def mean_of_parts(
    values: NDArray[np.float64], part: Values, candidate: Values, *, root: bool = False
) -> dict[str, float]:
    """The mean over parts of the mean of `values`; or the square of the mean of its `root`; for each candidate."""
    found = {}
    parts = distinct(part)
    for name in dict.fromkeys(candidate.tolist()):
        of = candidate == name
        codes = distinct(parts[of])
        means = np.bincount(codes, weights=values[of]) / np.bincount(codes)
        found[name] = float(np.mean(np.sqrt(means)) ** 2 if root else np.mean(means))
    return found


def wrong(answer: Values, label: Values) -> NDArray[np.float64]:
    """1 where an answer is not the label."""
    return np.array([a != b for a, b in zip(answer.tolist(), label.tolist(), strict=True)], dtype=np.float64)


def likeliest(classes: Values, shares: NDArray[np.float64]) -> Values:
    """The class of the largest probability in each line, the first of equal ones."""
    found: Values = classes[np.argmax(shares, axis=1)]
    return found


def only_one(found: Sequence[str], what: str, asked: str | None, argument: str, columns: Sequence[str]) -> str:
    """The one column `found` to be `what`, or the one that was `asked` for. Raises BadArgument for none and several."""
    if asked is not None:
        if asked not in columns:
            raise BadArgument(argument, f"{argument} is {asked!r}, but table has the columns {', '.join(columns)}")
        return asked
    if len(found) == 1:
        return found[0]
    seen = f"{', '.join(found)} may be" if found else f"no column of {', '.join(columns)} is"
    raise BadArgument(argument, f"{argument}: {seen} {what}; name the column by {argument} (--{argument} COLUMN)")


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
