"""A kind of columns that a package of others adds: strings of one form that mean numbers, as '1:23' 83 seconds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ColumnKind:
    """One line of the registry of foreign kinds: a column of such strings is a column of numbers.

    `name` is a word, as data.columns writes it, and `example` a string of the kind. Both functions get distinct strings
    and no gaps: `recognises(all of a column)` says whether the column is of the kind, though some strings may be none;
    `convert(strings)` gives a float64 of shape (n,), NaN for a string that is none, and reads each string by itself.
    """

    name: str
    example: str
    recognises: Callable[[Sequence[str]], bool]
    convert: Callable[[Sequence[str]], NDArray[np.float64]]
