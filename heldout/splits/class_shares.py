"""Whether each part has the class shares of all rows, what that costs, and how parts without it are drawn.

In stratified parts the tested rows have the class shares of the training rows, which new rows do not have. A learner is
better at the classes that are frequent in its training rows, so stratified estimates are too low: of C classes in N
rows by up to 2 C / sqrt(N) standard errors of E_cv (docs/decisions/0005), and by more if the features say nearly
nothing about the class. Plain parts have no such bias.
"""

from collections.abc import Callable
from itertools import chain
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import seeds

Labels = NDArray[np.generic]
DRAWS = 30
_MOST_CLASSES = 2  # that are stratified by default
_LARGEST = 0.15  # of C / sqrt(N): up to it the bias was below a third of a standard error (docs/decisions/0005)


def strata(y: Labels, of_classes: bool) -> Labels:
    """The class of each row, shape (N,), which parts are drawn by: `y`, or of numbers one class."""
    return y if of_classes else np.zeros(len(y), dtype=np.int64)


def codes(y: Labels) -> NDArray[np.int64]:
    """The number of each row's class in ascending order, shape (N,)."""
    return np.unique(y, return_inverse=True)[1].astype(np.int64)


def stratified(y: Labels, wanted: bool | None) -> bool:
    """Whether parts of the classes `y`, shape (N,), are stratified: as `wanted`; None stratifies two classes alone."""
    return len(np.unique(y)) <= _MOST_CLASSES if wanted is None else wanted


def optimism(y: Labels) -> str | None:
    """What stratified parts of the classes `y`, shape (N,), do to the estimates; None where that is little."""
    classes, n = len(np.unique(y)), len(y)
    if classes <= _MOST_CLASSES or classes <= _LARGEST * sqrt(n):
        return None
    return (
        f"parts are stratified, with {classes} classes in {n} rows: the tested rows have the class shares of the "
        f"training rows, so that every estimate is too low; {classes} / sqrt({n}) is {classes / sqrt(n):.2f}, and "
        f"above {_LARGEST} that may be more than a third of a standard error"
    )


def redrawn(
    draw: Callable[[int], NDArray[Any]],
    y: Labels,
    random_state: int,
    *,
    only: int | None = None,
    group: NDArray[np.int64] | None = None,
) -> NDArray[Any]:
    """The first of at most `DRAWS` draws that leave each class of `y`, shape (N,), in all training rows.

    `draw` gives, for a random state, the number of each row's part, shape (N,). Training rows are the rows outside of a
    part: of each part, or of the part `only`. So no class may be in such a part alone. The first draw has
    `random_state`, the n-th a child of it. A class with a single row, or in a single `group`, cannot be divided, and is
    not asked for. If each draw leaves out a class, the first one counts: the draw that leaves out the fewest would
    divide the rows of rare classes much more often than chance does, and the estimates would be too low.
    """
    code = codes(y)
    if group is None and not code.any():  # a single class, which is in every part
        return draw(random_state)
    indivisible, _ = _in_one_part(np.arange(len(y)) if group is None else group, code)

    def leaves_out(part: NDArray[Any]) -> bool:
        alone, where = _in_one_part(part, code)
        return bool((alone & ~indivisible & (only is None or where == only)).any())

    further = (seeds.random_state(random_state, "redrawn", number) for number in range(1, DRAWS))
    parts = map(draw, chain([random_state], further))
    first = next(parts)
    return next((part for part in chain([first], parts) if not leaves_out(part)), first)


def _in_one_part(part: NDArray[Any], code: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each class is in one part alone, and the least number of its parts: both of shape (C,)."""
    number, classes = part.astype(np.int64), int(code.max()) + 1
    least, most = np.full(classes, number.max()), np.full(classes, number.min())
    np.minimum.at(least, code, number)
    np.maximum.at(most, code, number)
    return least == most, least
