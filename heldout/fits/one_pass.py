"""The losses of whole schemes for a learner that is updated once with each row, and never fitted again for a fold.

Folds are made by TreeCV (`heldout.learners.tree_cv`), steps in one pass. Rows are learned fold after fold, or step
after step: for independent rows each order gives hypotheses of one distribution, so that E_cv and E_prog keep their
targets.
"""

import copy
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from heldout.errors import FitFailure
from heldout.fits.metric_terms import NOT_UPDATED
from heldout.fits.specs import ExactSpec
from heldout.learners import seeded, tree_cv
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.fitting import failures, recorded, test
from heldout.losses import Losses
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.seeds import same_global_draws
from heldout.shortcuts.scheme_losses import check_independent
from heldout.splits.split import Rows

if TYPE_CHECKING:
    from heldout.online import OnePass

Asked = TypeVar("Asked")


def is_updated_once(learner: Any) -> bool:
    """Whether `learner` is a `heldout.online.OnePass`."""
    from heldout.online import OnePass

    return isinstance(learner, OnePass)


def shared_update_losses(spec: ExactSpec) -> tuple[list[Losses], FitWarnings]:
    """The losses of each split of a scheme of `updates_shared`, and what any update warned of, each kind once.

    Losses are in the order of the splits; the open randomness of the learner, a `heldout.online.OnePass`, is the seed
    of the record. Raises Declined for rows that depend on each other, whose splits leave rows out, and FitFailure as
    `heldout.learners.fitting.fit_and_test`, and for metrics of a set.
    """
    if asked := spec.terms.value:
        raise FitFailure(f"{' and '.join(asked)}: {NOT_UPDATED}")
    rows, loss = spec.rows.value, spec.loss.value

    def ask(hypothesis: Any, tested: Rows) -> Losses:
        return test(hypothesis, rows.X, rows.y, tested, loss)

    return _asked(spec, ask)


def shared_update_hypotheses(spec: ExactSpec) -> list["OnePass"]:
    """The hypotheses behind `shared_update_losses`, each as the learner fitted. Raises as `shared_update_losses`."""

    def fitted(hypothesis: Any, _rows: Rows) -> "OnePass":
        held: OnePass = seeded(spec.learner.value, spec.state).hold(copy.deepcopy(hypothesis))
        return held

    return _asked(spec, fitted)[0]


def _asked(spec: ExactSpec, ask: tree_cv.Evaluate[Asked]) -> tuple[list[Asked], FitWarnings]:
    """The answer of the hypothesis of each split, and the warnings."""
    check_independent(spec.splits.value)
    with recorded() as warned, same_global_draws(), failures():
        answers = list(_each(spec, ask))
    return answers, tuple(dict.fromkeys(warned))


def passes(design: Design, scheme: SchemeName) -> int:
    """How often, at most, the hypotheses of a scheme of `updates_shared` learn each row in all."""
    if scheme == "progressive":
        return 1
    parts = [split.validation for split in design.splits(scheme)]
    return sum((len(folds) - 1).bit_length() for folds in _partitions(parts, len(design.y)))


def _each(spec: ExactSpec, ask: tree_cv.Evaluate[Asked]) -> Iterator[Asked]:
    blank = seeded(spec.learner.value, spec.state).estimator
    rows, of, weights = spec.rows.value, spec.splits.value, spec.weights.value
    of_fit = None if weights is None else weights.of_fit
    further = {} if of_fit is None else {"sample_weight": of_fit}
    parts = [split.validation for split in of.splits]
    if of.scheme == "progressive":
        yield from tree_cv.blocks(blank, rows.X, rows.y, of.splits[0].train, parts, ask, **further)
        return
    for folds in _partitions(parts, len(rows.y)):
        yield from tree_cv.folds(blank, rows.X, rows.y, folds, ask, **further)


def _partitions(parts: Sequence[Rows], n: int) -> Iterator[list[Rows]]:
    """The folds of each partition, which tests all n rows."""
    number = (np.cumsum([len(part) for part in parts]) - 1) // n
    for _, folds in groupby(zip(number, parts, strict=True), key=itemgetter(0)):
        yield [part for _, part in folds]


def updated_once(target: str) -> str:
    """The target of an estimate, where its hypotheses are updated once."""
    return f"{target}; updated once with each of its rows"
