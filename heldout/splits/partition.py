"""The random partition of the labelled rows that every scheme reads.

Two classes are stratified (proportional allocation), which does not raise the variance of the estimates. With more
classes that would make the estimates too low: parts are then plain draws, repeated until each class is in the training
rows (`heldout.splits.class_shares`, docs/decisions/0005). `y` are classes everywhere; numbers are passed as one class
(`class_shares.strata`).
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument, is_fraction
from heldout.splits import grouping, time_order
from heldout.splits.class_shares import codes, redrawn
from heldout.splits.dependence import INDEPENDENT, Dependence

Labels = NDArray[np.generic]
Part = Literal["validation", "fold", "step"]


@dataclass(frozen=True, eq=False)
class Partition:
    """Three independent partitions of N labelled rows, each array of shape (N,).

    `validation` marks the K held-out rows; `fold` is the fold of each row, 0 … k-1; `step` its
    position in the progressive order, 0 … m-1, and -1 for rows that only train. For rows in time, the fold is -1
    where no earlier rows can train.
    """

    validation: NDArray[np.bool_]
    fold: NDArray[np.int64]
    step: NDArray[np.int64]


def make_partition(
    y: Labels,
    *,
    validation_fraction: float,
    folds: int,
    tested_fraction: float,
    stratify: bool,
    seed: int,
    dependence: Dependence = INDEPENDENT,
    parts: Collection[Part] = get_args(Part),
) -> Partition:
    """Draw the hold-out, the folds and the progressive order of `y`, shape (N,), from one seed.

    `folds = N` is leave-one-out. Shuffled folds meet the condition of Blum et al., Thm 2 (the
    learner sees no example order). Parts of grouped rows are whole groups. Parts of rows in time are the later rows,
    without randomness. Of independent rows only the `parts` are drawn, each with its own seed; the others are empty.
    Without `stratify` each class is in the training rows of each part, as `heldout.splits.class_shares.redrawn` says.
    Raises BadArgument where a part would be empty or a class too rare to be stratified.
    """
    n = len(y)
    sizes = (
        part_size(n, validation_fraction, "validation_fraction"),
        part_size(n, tested_fraction, "tested_fraction"),
    )
    time, group = dependence.time, dependence.group
    if time is not None:
        return Partition(
            validation=time_order.last(time, sizes[0]),
            fold=time_order.forward_folds(time, folds, dependence.gap),
            step=time_order.steps(time, sizes[1]),
        )
    if folds == n and {"validation", "step"} & {*parts}:  # leave-one-out is never refused by stratification
        stratify = stratify and all(can_stratify(y, size) for size in sizes)
    if group is not None:
        parts = get_args(Part)
    validation, fold, step = np.zeros(n, dtype=np.bool_), np.full(n, -1), np.full(n, -1)
    if "validation" in parts:
        state = seeds.random_state(seed, "validation")
        validation = training_cut(y, sizes[0], stratify=stratify, random_state=state, group=group)
    if "step" in parts:
        step = draw_steps(y, sizes[1], stratify, seed, group)
    if "fold" in parts:
        fold = draw_folds(y, folds, stratify, seeds.random_state(seed, "folds"), group)
    else:
        _check_folds(y, folds, stratify)
    return Partition(validation=validation, fold=fold, step=step)


def make_halves(
    y: Labels, *, repeats: int, stratify: bool, seed: int, dependence: Dependence = INDEPENDENT
) -> NDArray[np.int8]:
    """The half, 0 or 1, of each row in each repeat: shape (R, N) (Madani et al., section 3).

    A repeat depends on the seed and its number alone. Halves of grouped rows are whole groups.
    """
    if repeats < 1:
        raise BadArgument("repeats", f"repeats is {repeats}; it must be at least 1")
    if len(y) < 2:
        raise BadArgument("y", f"there are {len(y)} labelled rows; at least 2 are needed")
    if not stratify:
        y = codes(y)  # once, not for each repeat
    return np.stack(
        [
            training_cut(
                y,
                len(y) // 2,
                stratify=stratify,
                random_state=seeds.random_state(seed, "halves", repeat),
                group=dependence.group,
                both=True,
            )
            for repeat in range(repeats)
        ]
    ).astype(np.int8)


def stratify_halves(y: Labels, folds: int, stratify: bool) -> bool:
    """Whether halves are stratified: `stratify`, except where leave-one-out has a class too rare for it."""
    return stratify and (folds != len(y) or can_stratify(y, len(y) // 2))


def part_size(n: int, fraction: float, argument: str) -> int:
    """The number of rows in a `fraction` of n, at least 1 and at most n - 1."""
    if not is_fraction(fraction):
        raise BadArgument(argument, f"{argument} is {fraction}; it must lie between 0 and 1, both excluded")
    if n < 2:
        raise BadArgument("y", f"there are {n} labelled rows; at least 2 are needed")
    return min(max(round(n * fraction), 1), n - 1)


def cut(
    y: Labels, size: int, *, stratify: bool, random_state: int, group: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """A mask of shape (N,) over `size` random rows, 0 < size < N, or over whole groups; with `stratify` by class.

    Raises BadArgument where a class has a single row or a side has fewer rows than there are classes.
    """
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    if group is not None:
        return grouping.cut(y, group, size, stratify=stratify, random_state=random_state)
    if stratify and (reason := _why_not_stratified(y, size)):
        raise BadArgument("stratify", reason)
    splitter = StratifiedShuffleSplit if stratify else ShuffleSplit
    (_, part), *_ = splitter(1, test_size=size, random_state=random_state).split(np.zeros(len(y)), y)
    mask = np.zeros(len(y), dtype=np.bool_)
    mask[part] = True
    return mask


def training_cut(
    y: Labels,
    size: int,
    *,
    stratify: bool,
    random_state: int,
    group: NDArray[np.int64] | None = None,
    both: bool = False,
) -> NDArray[np.bool_]:
    """A `cut` whose other rows train, or with `both` the rows of each side.

    Without `stratify` it is redrawn until each class is in the training rows (`heldout.splits.class_shares.redrawn`).
    """

    def draw(state: int) -> NDArray[np.bool_]:
        return cut(y, size, stratify=stratify, random_state=state, group=group)

    return draw(random_state) if stratify else redrawn(draw, y, random_state, only=None if both else 1, group=group)


def draw_folds(
    y: Labels, folds: int, stratify: bool, random_state: int, group: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The fold of each row, 0 … k-1, drawn at random; leave-one-out for k = N; with `group` folds of whole groups.

    Without `stratify` they are redrawn until no class is in a single fold (`heldout.splits.class_shares.redrawn`).
    Raises BadArgument unless 2 <= k <= N, or with `stratify` where a class has fewer rows than there are folds.
    """
    n = len(y)
    if group is None:
        _check_folds(y, folds, stratify)
        if folds == n:  # leave-one-out: nothing to draw, nothing to stratify
            return np.arange(n)

    def draw(state: int) -> NDArray[np.int64]:
        if group is not None:
            return grouping.draw_folds(y, group, folds, stratify, state)
        return _independent_folds(y, folds, stratify, state)

    return draw(random_state) if stratify else redrawn(draw, y, random_state, group=group)


def _independent_folds(y: Labels, folds: int, stratify: bool, random_state: int) -> NDArray[np.int64]:
    from sklearn.model_selection import KFold, StratifiedKFold

    splitter = (StratifiedKFold if stratify else KFold)(folds, shuffle=True, random_state=random_state)
    fold = np.empty(len(y), dtype=np.int64)
    for number, (_, rows_of_fold) in enumerate(splitter.split(np.zeros(len(y)), y)):
        fold[rows_of_fold] = number
    return fold


def _check_folds(y: Labels, folds: int, stratify: bool) -> None:
    n = len(y)
    if not 2 <= folds <= n:
        raise BadArgument("folds", f"folds is {folds}; it must lie between 2 and {n}, the number of labelled rows")
    if folds == n or not stratify:
        return
    rarest, rows = rarest_class(y)
    if folds > rows:
        raise BadArgument("folds", f"folds is {folds}, but class {rarest} has {_few(rows)}")


def _few(rows: int) -> str:
    return "1 row; merge or drop that class" if rows == 1 else f"{rows} rows; use at most {rows} folds"


def rarest_class(y: Labels) -> tuple[str, int]:
    """The class with the fewest rows, as text for a message, and its number of rows."""
    classes, counts = np.unique(y, return_counts=True)
    place = int(np.argmin(counts))
    return repr(classes.tolist()[place]), int(counts[place])


def draw_steps(
    y: Labels, size: int, stratify: bool, seed: int, group: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The position of each row in the progressive order, 0 … m-1 for `size` random rows and -1 for the others.

    The steps of a group follow each other.
    """
    state = seeds.random_state(seed, "tested")
    tested = training_cut(y, size, stratify=stratify, random_state=state, group=group)
    if group is None:
        order = np.random.default_rng(seeds.child(seed, "order")).permutation(np.flatnonzero(tested))
    else:
        order = grouping.in_order(tested, group, seed)
    step = np.full(len(y), -1, dtype=np.int64)
    step[order] = np.arange(len(order))
    return step


def can_stratify(y: Labels, size: int) -> bool:
    """Whether a stratified cut of `size` rows exists."""
    return _why_not_stratified(y, size) is None


def _why_not_stratified(y: Labels, size: int) -> str | None:
    """Why no stratified cut of `size` rows exists; None where one does."""
    counts = np.unique(y, return_counts=True)[1]
    if counts.min() < 2:
        return (
            f"class {rarest_class(y)[0]} has a single row, which no stratified split can divide; "
            "merge or drop that class, or set stratify to false"
        )
    classes, smaller = len(counts), min(size, len(y) - size)
    if smaller < classes:
        return (
            f"a part of {smaller} rows cannot hold all {classes} classes; take a larger part, or set stratify to false"
        )
    return None
