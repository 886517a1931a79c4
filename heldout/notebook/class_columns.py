"""What columns named after classes, or that hold classes, say against the answers of a table."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values, column, columns, gaps, others
from heldout.rows.class_names import class_named

_MOST = 50  # classes


def not_predicted(table: Any, y: Values, roles: set[str]) -> tuple[NDArray[np.bool_], tuple[str, ...]] | None:
    """The lines of the table whose columns of all classes are 0, and these columns; None without such columns.

    H2O writes so the rows that a model did not predict. The columns of `roles`, of the label and of several candidates,
    are about no class.
    """
    shares = _of_each_class(table, sorted_values(y[~gaps(y)]), roles)
    empty = np.all(np.stack([*shares.values()]) == 0, axis=0) if shares else np.zeros(0, dtype=np.bool_)
    return (empty, tuple(shares)) if empty.any() else None


def less_likely(table: Any, answers: Values, label: str) -> tuple[int, str]:
    """In how many lines the class in `answers`, shape (n,), is not the likeliest by the columns of all classes.

    And the names of these columns, which are empty where the table has none.
    """
    y = column(table, "label", label)
    classes = sorted_values(y[~gaps(y)])
    shares = _of_each_class(table, classes, {label})
    if not shares:
        return 0, ""
    said = np.stack([*shares.values()])
    places = {str(name): place for place, name in enumerate(classes.tolist())}
    place = np.array([places.get(str(value), -1) for value in answers.tolist()])
    known = np.flatnonzero(place >= 0)
    return int(np.sum(said[place[known], known] < said.max(axis=0)[known])), ", ".join(shares)


def _of_each_class(table: Any, classes: Values, roles: set[str]) -> dict[str, Values]:
    """The numbers of the columns that are named after the classes, in their order; none where some class has none."""
    if not 1 < len(classes) <= _MOST:
        return {}
    places = {name: class_named(name, classes) for name in columns(table)}
    shares = dict(others(table, {*roles, *(name for name, place in places.items() if place is None)}))
    in_order = sorted(shares, key=lambda name: places[name] or 0)
    whole = [places[name] for name in in_order] == [*range(len(classes))]
    return {name: shares[name] for name in in_order} if whole and _are_numbers(shares.values()) else {}


def _are_numbers(shares: Iterable[Values]) -> bool:
    return all(of.dtype.kind in "iuf" for of in shares)


def sorted_values(values: Values) -> Values:
    """The distinct values, ascending; by their texts where they cannot be compared."""
    try:
        return np.unique(values)
    except TypeError:
        return np.unique(values.astype(str))


def check_about_one_class(table: Any, name: str, values: Values, y: Values, used: set[str]) -> None:
    """Raise BadArgument for probabilities of whatever class was predicted, as Weka writes them, and of no class.

    `values`, shape (n,), and `y` are a column of answers and the labels of two classes. They are never below 1/2,
    although another column predicts either class.
    """
    if values.dtype.kind != "f" or np.all(values % 1 == 0) or not np.all((values >= 0.5) & (values <= 1)):
        return
    classes = {*map(str, y.tolist())}
    predicted = next(_of_classes(table, classes, used), None) if len(classes) == 2 else None
    if predicted is not None:
        raise BadArgument(
            "answer",
            f"answer is {name}, which is at least 0.5 in every line, also where {predicted} says the other class: it "
            f"seems to be the probability of the class in {predicted}, and not of one class; name {predicted} as the "
            "answer, or give the probability of one class",
        )


def _of_classes(table: Any, classes: set[str], used: set[str]) -> Iterator[str]:
    """The other columns whose values are both classes."""
    for other, values in others(table, used):
        if {*map(str, values.tolist())} == classes:
            yield other
