"""Cuts and folds of whole groups: no group is on both sides.

Groups are taken in random order, so that which of them are held out is a matter of chance; sizes and the
shares of classes are those asked for as nearly as whole groups allow.
"""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument

Groups = NDArray[np.int64]
_ORDERS = 10


def cut(y: NDArray[np.generic], group: Groups, size: int, *, stratify: bool, random_state: int) -> NDArray[np.bool_]:
    """A mask of shape (N,) over whole groups with about `size` rows, by class in proportion if asked.

    In random order each group is taken that fits into what is still wanted, then each that brings the rows
    taken (of each class, if stratified) nearer to the wanted ones. A giant group is so left out of a small
    part. Of ten orders the one that comes nearest counts. Both sides hold a group. Raises BadArgument for a
    single group.
    """
    rows = _rows_by_class(y, group, stratify)
    if len(rows) < 2:
        raise BadArgument("groups", f"groups has {len(rows)} group; at least 2 are needed, one on each side of a split")
    wanted = rows.sum(axis=0) * (size / len(y))
    rng = np.random.default_rng(random_state)
    best, off = _taken(rows, wanted, rng.permutation(len(rows)))
    for _ in range(_ORDERS - 1):
        if off <= len(wanted):  # a row of each class
            break
        taken, its = _taken(rows, wanted, rng.permutation(len(rows)))
        if its < off:
            best, off = taken, its
    mask: NDArray[np.bool_] = best[group]
    return mask


def _taken(
    rows: NDArray[np.int64], wanted: NDArray[np.float64], waiting: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], float]:
    """The groups taken in the order of `waiting`, a mask of shape (G,), and how many rows they are off."""
    left, taken = wanted, np.zeros(len(rows), dtype=np.bool_)
    while len(waiting) > 1:  # the last one stays on the other side
        fits = waiting[(rows[waiting] <= left).all(axis=1)][: len(waiting) - 1]
        if len(fits):
            fits = fits[: int((rows[fits].cumsum(axis=0) <= left).all(axis=1).argmin()) or len(fits)]
        else:
            nearer = np.abs(left - rows[waiting]).sum(axis=1) < np.abs(left).sum()
            fits = waiting[nearer][:1]
            if not len(fits):
                break
        taken[fits] = True
        left = left - rows[fits].sum(axis=0)
        waiting = waiting[~taken[waiting]]
    if not taken.any():
        taken[waiting[np.argmin(rows[waiting].sum(axis=1))]] = True
        left = wanted - rows[taken].sum(axis=0)
    return taken, float(np.abs(left).sum())


def draw_folds(y: NDArray[np.generic], group: Groups, folds: int, stratify: bool, random_state: int) -> Groups:
    """The fold of each row, 0 … k-1: whole groups, in sizes as equal as they allow; k = N or k = G is one group a fold.

    Each fold is a cut of what the folds before it left, of an equal share; a group that has as many rows is a
    fold of its own. Raises BadArgument for more folds than groups, unless there is one for each row.
    """
    n, groups = len(y), int(group.max()) + 1
    if folds in (n, groups):  # leave-one-group-out
        return group.astype(np.int64)
    if not 2 <= folds <= groups:
        raise BadArgument("folds", f"folds is {folds}, but there are {groups} groups; use 2 to {groups} folds, or loo")
    rng = np.random.default_rng(random_state)
    fold = np.full(n, folds - 1, dtype=np.int64)
    left = np.arange(n)
    for number in range(folds - 1):
        own = np.unique(group[left], return_inverse=True)[1]
        others = folds - number - 1  # each needs a group
        share, rows = round(len(left) / (others + 1)), np.bincount(own)
        if rows.max() >= share:
            mask = own == rows.argmax()
        else:
            mask = cut(y[left], own, share, stratify=stratify, random_state=int(rng.integers(2**32)))
            mask = _leaving(mask, own, others)
        fold[left[mask]] = number
        left = left[~mask]
    return fold


def in_order(tested: NDArray[np.bool_], group: Groups, seed: int) -> NDArray[np.intp]:
    """The tested rows, groups in random order and rows in random order within each."""
    rng = np.random.default_rng(seeds.child(seed, "order"))
    rows = rng.permutation(np.flatnonzero(tested))
    place = rng.permutation(int(group.max()) + 1)
    return rows[np.argsort(place[group[rows]], kind="stable")]


def _rows_by_class(y: NDArray[np.generic], group: Groups, stratify: bool) -> NDArray[np.int64]:
    """The rows of each class in each group, shape (G, C); C is 1 without stratification."""
    classes = np.unique(y, return_inverse=True)[1] if stratify else np.zeros(len(y), dtype=np.int64)
    rows = np.zeros((int(group.max()) + 1, int(classes.max()) + 1), dtype=np.int64)
    np.add.at(rows, (group, classes), 1)
    return rows


def _leaving(mask: NDArray[np.bool_], group: Groups, others: int) -> NDArray[np.bool_]:
    """The mask without some of its smallest groups, where fewer than `others` groups would be left."""
    inside = np.unique(group[mask])
    surplus = others - (int(group.max()) + 1 - len(inside))
    if surplus <= 0:
        return mask
    smallest = inside[np.argsort(np.bincount(group)[inside], kind="stable")][:surplus]
    found: NDArray[np.bool_] = mask & ~np.isin(group, smallest)
    return found
