"""The losses of whole schemes for a learner that is updated once with each row, and never fitted anew for a fold.

Folds are those of TreeCV (`heldout.tree_cv`), steps one pass. Rows are learnt fold after fold, or step after step: of
independent rows each order gives hypotheses of one distribution, so that E_cv and E_prog keep their targets.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heldout import tree_cv
from heldout.design import Design
from heldout.errors import BadArgument, FitFailure
from heldout.fit_warnings import FitWarnings
from heldout.fitting import first_line, recorded, test
from heldout.learners import seeded
from heldout.losses import Losses
from heldout.records import Rows, Split
from heldout.schemes import SchemeName

if TYPE_CHECKING:
    from heldout.online import OnePass


def held_out(
    learner: "OnePass", X: Any, design: Design, scheme: SchemeName, state: int
) -> tuple[list[Losses], FitWarnings]:
    """The losses of each split of a scheme of `updates_shared`, and what any update warned of, each kind once.

    Losses are in the order of `Design.splits`; the learner's open randomness is set to `state`. X is an array, a data
    frame or a sparse matrix of shape (N, p). Raises BadArgument for rows that depend on each other, whose splits leave
    rows out, and FitFailure as `heldout.fitting.fit_and_test`.
    """
    if design.dependence.kind is not None:
        raise BadArgument(
            "update", f"update is partial_fit, but rows depend on each other by {design.dependence.kind}; leave it out"
        )
    blank = seeded(learner, state).estimator
    weights = {} if design.weights is None else {"sample_weight": design.weights.values}

    def ask(hypothesis: Any, rows: Rows) -> Losses:
        return test(hypothesis, X, design.y, rows, design.loss, design.weights)

    with recorded() as warned:
        try:
            losses = list(_losses(blank, X, design.y, design.splits(scheme), scheme, ask, weights))
        except FitFailure:
            raise
        except Exception as error:
            raise FitFailure(f"{type(error).__name__}: {first_line(error)}") from error
    return losses, tuple(dict.fromkeys(warned))


def passes(design: Design, scheme: SchemeName) -> int:
    """How often, at most, the hypotheses of a scheme of `updates_shared` learn each row in all."""
    if scheme == "progressive":
        return 1
    parts = [split.validation for split in design.splits(scheme)]
    return sum((len(own) - 1).bit_length() for own in _partitions(parts, len(design.y)))


def _losses(
    blank: Any,
    X: Any,
    y: NDArray[np.generic],
    splits: Sequence[Split],
    scheme: SchemeName,
    ask: tree_cv.Evaluate[Losses],
    weights: dict[str, NDArray[np.float64]],
) -> Iterator[Losses]:
    parts = [split.validation for split in splits]
    if scheme == "progressive":
        yield from tree_cv.blocks(blank, X, y, splits[0].train, parts, ask, **weights)
        return
    for own in _partitions(parts, len(y)):
        yield from tree_cv.folds(blank, X, y, own, ask, **weights)


def _partitions(parts: Sequence[Rows], n: int) -> Iterator[list[Rows]]:
    """The folds of each partition, which tests all n rows."""
    number = (np.cumsum([len(part) for part in parts]) - 1) // n
    for _, own in groupby(zip(number, parts, strict=True), key=itemgetter(0)):
        yield [part for _, part in own]


def updated_once(target: str) -> str:
    """The target of an estimate, where its hypotheses are updated once."""
    return f"{target}; updated once with each of its rows"
