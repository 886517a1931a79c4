"""The splits of each scheme, read from the prepared partitions, and how a person calls them."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heldout import covalidation, cross_validation, holdout, progressive
from heldout.records import Split
from tasks import files

_FITS_A_TASK = 10
REPEATS_A_TASK = 10


@dataclass(frozen=True)
class Scheme:
    """A list of splits: how many, the split of each number, and how a person calls a few of them."""

    name: str
    count: int
    split: Callable[[int], Split]
    label: Callable[[Sequence[int]], str]
    fits_a_task: int = 1
    keep: bool = False  # the hypothesis is needed later
    training: bool = False  # and its losses on the rows that it was trained on


def holdout_scheme() -> Scheme:
    """g-, tested on the rows held out."""
    validation = files.read_partition().validation
    return Scheme("holdout", 1, lambda _: holdout.split(validation), lambda _: "hold-out")


def final_scheme() -> Scheme:
    """g, trained on all labelled rows."""
    n = len(files.read_partition().validation)
    return Scheme("final", 1, lambda _: holdout.final_split(n), lambda _: "all rows", keep=True)


def cross_validation_scheme() -> Scheme:
    """One fit a fold."""
    splits = cross_validation.splits(files.read_partition().fold)
    group = max(1, len(splits) // 100)
    return Scheme(
        "cross_validation", len(splits), splits.__getitem__, lambda folds: _span("fold", folds, len(splits)), group
    )


def progressive_scheme(block: int) -> Scheme:
    """One fit a block of steps."""
    splits = progressive.splits(files.read_partition().step, block)
    return Scheme(
        "progressive",
        len(splits),
        splits.__getitem__,
        lambda blocks: _span("block", blocks, len(splits)),
        _FITS_A_TASK,
    )


def covalidation_scheme() -> Scheme:
    """Two fits a repeat, one on each half: number 2 r + half."""
    halves = files.read_halves()
    return Scheme(
        "covalidation",
        2 * len(halves),
        lambda number: covalidation.splits(halves[number // 2])[number % 2],
        lambda numbers: _span("repeat", [number // 2 for number in numbers], len(halves)),
        2 * REPEATS_A_TASK,
        keep=True,
        training=True,
    )


@functools.lru_cache(maxsize=8)
def scheme_named(name: str, block: int, _version: str) -> Scheme:
    """The scheme of a name, read once for each process and version of the partitions."""
    return {
        "holdout": holdout_scheme,
        "final": final_scheme,
        "cross_validation": cross_validation_scheme,
        "progressive": lambda: progressive_scheme(block),
        "covalidation": covalidation_scheme,
    }[name]()


def _span(kind: str, numbers: Sequence[int], count: int) -> str:
    """What a person reads: fold 3/10, repeats 1-10/30."""
    first, last = min(numbers) + 1, max(numbers) + 1
    return f"{kind} {first}/{count}" if first == last else f"{kind}s {first}-{last}/{count}"
