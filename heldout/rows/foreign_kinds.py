"""The kinds of columns that packages of others add (`heldout.extensions`), by name; heldout's own are no part of it."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from heldout import extensions
from heldout.errors import BadArgument
from heldout.rows.column_kind import ColumnKind
from heldout.rows.columns import Kind

HALF = 0.5  # of the values of a column may be no string of its kind


def why_not(name: str) -> str | None:
    """Why a foreign kind cannot have this name, a clause; None if it can."""
    if extensions.plain(name) in get_args(Kind):
        return f"has the name {name!r}, which is a kind of heldout's own; take another name"
    if not name.isidentifier():
        return f"has the name {name!r}; it must be one word, as data.columns writes it"
    return None


_FROM_OUTSIDE = extensions.of("heldout.column_kinds", ColumnKind, (), lambda kind: why_not(kind.name))
KINDS: Mapping[str, ColumnKind] = {kind.name: kind for kind in _FROM_OUTSIDE}


def recognising(counts: Mapping[str, int]) -> ColumnKind | None:
    """The first kind that recognises the strings of a column, and reads at least half of its values; None without one.

    `counts` are the distinct strings, and how many values each is. Raises BadArgument as `numbers`.
    """
    for kind in KINDS.values():
        if counts and kind.recognises([*counts]) and sum(unread(counts, kind).values()) <= HALF * sum(counts.values()):
            return kind
    return None


def unread(counts: Mapping[str, int], kind: ColumnKind) -> dict[str, int]:
    """The part of `counts` that is no string of the kind. Raises BadArgument as `numbers`."""
    lost = np.isnan(numbers([*counts], kind))
    return {string: count for (string, count), is_lost in zip(counts.items(), lost, strict=True) if is_lost}


def numbers(strings: Sequence[str], kind: ColumnKind) -> NDArray[np.float64]:
    """The numbers that the strings mean, shape (n,), NaN for a string that is none.

    Raises BadArgument for a kind that gives something else than a number for each string.
    """
    found = np.asarray(kind.convert(strings))
    if found.shape != (len(strings),) or found.dtype != np.float64 or np.isinf(found).any():
        raise BadArgument(
            "X",
            f"the kind {kind.name} gives {found.dtype} of shape {found.shape}, or infinite numbers, for {len(strings)} "
            "strings; it must give a finite float64, or NaN, for each: heldout.testing.check_column_kind tries it",
        )
    return found


def sentence(name: str, counts: Mapping[str, int], kind: ColumnKind) -> str:
    """What is read of the column `name`, and what is not."""
    lost = unread(counts, kind)
    first = next(string for string in counts if string not in lost)
    said = f"{name}: strings such as {first!r} are {kind.name}: {numbers([first], kind)[0]:.12g}"
    if not lost:
        return said
    example = min(lost, key=lambda string: (-lost[string], string))
    missing, present = sum(lost.values()), sum(counts.values())
    are = "it is" if missing == 1 else "they are"
    return f"{said}; {missing:,} of {present:,} values are none, such as {example!r}: {are} missing"
