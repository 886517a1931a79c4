"""Columns that are named after classes: which class a column of probabilities, or of scores, is about.

A name is that of a class as `heldout.rows.group_names` writes it, so that 1, 1.0 and "1" are one; or it is marked as
a probability of it, as `p_ill`, `proba_1` and `.pred_ill` are.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.frames import column_names, is_other_frame
from heldout.rows.group_names import group_names

_MARKED = re.compile(r"(?:p|prob|proba|probability|predict_proba|\.pred)[\s_.:(\[]+(.+?)[)\]]?", re.IGNORECASE)


def class_named(name: Any, classes: NDArray[Any]) -> int | None:
    """The place among the `classes` of the one that a column is named after; None for another name."""
    try:
        [text, *of_classes] = group_names([name, *classes.tolist()])
    except ValueError:  # floats that may stand for several names
        return None
    marked = _MARKED.fullmatch(text or "")
    named = next((one for one in (text, marked and marked[1]) if one in of_classes), None)
    return None if named is None else of_classes.index(named)


def in_order(given: Any, classes: NDArray[Any], argument: str) -> Any:
    """`given`, shape (n, C), with a column for each class in the order of the `classes`, by the names of its columns.

    An array, and a data frame whose columns have no names of their own (0, 1, …), are in that order already. Raises
    BadArgument for other names than those of the classes.
    """
    if not (hasattr(given, "iloc") or is_other_frame(given)) or len(given.shape) != 2:
        return given
    names = [*given.columns] if hasattr(given, "iloc") else column_names(given)
    places = [class_named(name, classes) for name in names]
    if sorted(-1 if place is None else place for place in places) == [*range(len(classes))]:
        return np.asarray(given)[:, np.argsort(np.array(places))]
    if _unnamed(names) or len(names) != len(classes):  # the shape is refused by who reads it
        return given
    raise BadArgument(
        argument,
        f"{argument} has the columns {', '.join(map(str, names))}, and the classes are "
        f"{', '.join(map(str, classes.tolist()))}: name each column after its class, or give {argument}.to_numpy() "
        "where the columns are in that order",
    )


def _unnamed(names: Sequence[Any]) -> bool:
    """Whether names are those that pandas or polars give by themselves."""
    return any([*names] == [*made] for made in (range(len(names)), [f"column_{place}" for place in range(len(names))]))
