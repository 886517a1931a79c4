"""The name of each row's group: its text as it is written, so that `00005` and `5` are two groups, and 5 and "5" one.

No number stands between: a float has no digits beyond 2^53, and `1E2` read as a number is another group's 100.
"""

import numbers
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from heldout.rows.hashing import EXACT
from heldout.rows.missing import is_missing


def group_names(groups: Iterable[Any]) -> list[str | None]:
    """A text for each value of `groups`, None where it is missing or empty; blanks around a text do not count.

    Raises ValueError, a clause that follows what holds the groups, for a float from 2^53 on.
    """
    listed = next(
        (getattr(groups, name)() for name in ("tolist", "to_pylist", "to_list") if hasattr(groups, name)), groups
    )
    return [_name(value) for value in listed]


def _name(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if is_missing(value):
        return None
    if isinstance(value, numbers.Integral):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, numbers.Real):
        return _of_float(float(value))
    return str(value)


def _of_float(value: float) -> str:
    if abs(value) >= EXACT:
        raise ValueError(
            f"has {value!r}, a float beyond 2^53, which may stand for several whole numbers; write the names of groups "
            "as whole numbers or as text"
        )
    return str(int(value)) if value.is_integer() else str(value)
