"""The error of each class by cross-validation: known before any test set is opened.

Target: of each class, the mean over the k fold hypotheses of the probability that they err at a row of it, each
weighted by the rows of the class in its fold.
Kind: that of `heldout.intervals.pooled_wilson`, on the rows of the class alone; its coverage is measured in
docs/studies/class_errors.md.

The losses are those of E_cv, so no fit is made. An interval is for independent rows that count alike, and for one
class: among many classes some intervals miss.
"""

import numpy as np

from heldout.errors import BadArgument
from heldout.intervals import pooled_wilson
from heldout.losses.tested_losses import CrossValidated
from heldout.records import ClassError
from heldout.schemes.design import Design, Evidence, held_out_losses

_LEAST = pooled_wilson.METHOD.least  # rows of a class


def class_errors(design: Design, evidence: Evidence, candidate: str) -> tuple[ClassError, ...]:
    """A record for each class, in the order of the classes; none for a loss other than 0/1, or several labels a row.

    Raises BadArgument without E_cv.
    """
    if "E_cv" not in design.estimates:
        raise BadArgument("estimates", "class_errors: E_cv was not computed; estimates must contain it")
    loss = design.loss
    if not loss.of_classes or not loss.binary or design.y.dtype.names:
        return ()
    rows, losses = held_out_losses(design, evidence)
    labels, fold = design.y[rows], design.partition.fold[rows]
    weights = design.weights_of(rows)
    found = []
    for label in np.unique(design.y):
        of_class = labels == label
        observed = CrossValidated(losses[of_class], loss, fold=fold[of_class])
        counted = np.ones(observed.n) if weights is None else weights[of_class]
        value = float(observed.losses @ counted / counted.sum()) if counted.any() else None
        reason = _why_none(design, observed.n)
        low, high = (None, None) if reason else pooled_wilson.bounds(observed, design.level)
        found.append(ClassError(candidate, str(label), observed.n, value, low, high, reason))
    return tuple(found)


def _why_none(design: Design, count: int) -> str:
    """Why a class has no interval; empty where it has one."""
    if design.dependence.kind is not None:
        return "rows depend on one another"
    if design.weights_of() is not None:
        return "rows have weights"
    return "" if count >= _LEAST else f"fewer than {_LEAST} rows"
