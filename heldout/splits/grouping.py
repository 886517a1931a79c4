"""Cuts and folds of whole groups: no group is on both sides.

Groups are taken in random order, so that chance decides which groups are held out. Sizes and class shares are as near
to the requested numbers as whole groups allow.
"""

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument

Groups = NDArray[np.int64]
_ORDERS = 10


def cut(y: NDArray[np.generic], group: Groups, size: int, *, stratify: bool, random_state: int) -> NDArray[np.bool_]:
    """A mask of shape (N,) over whole groups with about `size` rows, of each class in proportion with `stratify`.

    In random order a group is taken if it fits into the number of rows still wanted. Then a group is taken if it
    brings the number of rows (of each class, with `stratify`) nearer to the wanted number. So a giant group is left
    out of a small part. Of ten orders the nearest result counts. Both sides hold a group. Raises BadArgument for a
    single group.
    """
    rows = _rows_by_class(y, group, stratify)
    if len(rows) < 2:
        raise BadArgument("groups", f"groups has {len(rows)} group; at least 2 are needed, one on each side of a split")
    wanted = rows.sum(axis=0) * (size / len(y))
    rng = np.random.default_rng(random_state)
    best, least = _taken(rows, wanted, rng.permutation(len(rows)))
    for _ in range(_ORDERS - 1):
        if least <= len(wanted):  # a row of each class
            break
        taken, distance = _taken(rows, wanted, rng.permutation(len(rows)))
        if distance < least:
            best, least = taken, distance
    mask: NDArray[np.bool_] = best[group]
    return mask


def _taken(
    rows: NDArray[np.int64], wanted: NDArray[np.float64], waiting: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], float]:
    """The groups taken in the order of `waiting`, a mask of shape (G,), and the distance from `wanted` in rows."""
    left, taken = wanted, np.zeros(len(rows), dtype=np.bool_)
    while len(waiting) > 1:  # the last group stays on the other side
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
    """The fold of each row, 0 … k-1: whole groups, of nearly equal sizes; k = N or k = G makes each group a fold.

    Each fold takes an equal share of the rows that earlier folds left; a group with at least so many rows is a
    fold by itself. Raises BadArgument for more folds than groups, except for k = N.
    """
    n, groups = len(y), int(group.max()) + 1
    if folds in (n, groups):  # leave-one-group-out
        return group.astype(np.int64)
    if not 2 <= folds <= groups:
        allowed = f"2 to {groups}" if groups > 2 else f"{groups}"
        raise BadArgument("folds", f"folds is {folds}, but there are {groups} groups; use {allowed} folds")
    rng = np.random.default_rng(random_state)
    fold = np.full(n, folds - 1, dtype=np.int64)
    left = np.arange(n)
    for number in range(folds - 1):
        group_left = np.unique(group[left], return_inverse=True)[1]
        others = folds - number - 1  # each needs a group
        share, rows = round(len(left) / (others + 1)), np.bincount(group_left)
        if rows.max() >= share:
            mask = group_left == rows.argmax()
        else:
            mask = cut(y[left], group_left, share, stratify=stratify, random_state=int(rng.integers(2**32)))
            mask = _leaving(mask, group_left, others)
        fold[left[mask]] = number
        left = left[~mask]
    return fold


def in_order(tested: NDArray[np.bool_], group: Groups, seed: int) -> NDArray[np.intp]:
    """The tested rows: groups in random order, and the rows of each group in random order."""
    rng = np.random.default_rng(seeds.child(seed, "order"))
    rows = rng.permutation(np.flatnonzero(tested))
    place = rng.permutation(int(group.max()) + 1)
    return rows[np.argsort(place[group[rows]], kind="stable")]


def _rows_by_class(y: NDArray[np.generic], group: Groups, stratify: bool) -> NDArray[np.int64]:
    """The number of rows of each class in each group, shape (G, C); C is 1 without `stratify`."""
    classes = np.unique(y, return_inverse=True)[1] if stratify else np.zeros(len(y), dtype=np.int64)
    rows = np.zeros((int(group.max()) + 1, int(classes.max()) + 1), dtype=np.int64)
    np.add.at(rows, (group, classes), 1)
    return rows


def _leaving(mask: NDArray[np.bool_], group: Groups, others: int) -> NDArray[np.bool_]:
    """The mask without some of its smallest groups, so that at least `others` groups are left outside."""
    inside = np.unique(group[mask])
    surplus = others - (int(group.max()) + 1 - len(inside))
    if surplus <= 0:
        return mask
    smallest = inside[np.argsort(np.bincount(group)[inside], kind="stable")][:surplus]
    smaller: NDArray[np.bool_] = mask & ~np.isin(group, smallest)
    return smaller
