"""A value that is missing, in a list of objects."""

from typing import Any

import numpy as np

SHOWN = "(missing)"  # in a table, in place of a value


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT, or the NA of pandas."""
    if value is None or type(value).__name__ == "NAType":  # NA is neither equal to itself nor not
        return True
    other = value != value  # NaN alone is not itself
    return isinstance(other, bool | np.bool_) and bool(other)
