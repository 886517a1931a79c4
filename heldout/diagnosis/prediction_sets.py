"""Split conformal prediction: sets of classes, or intervals of numbers, that hold the label of a new row.

g- is tested on the K held-out rows, which calibrate a threshold t: the ceil((K + 1) level)-th smallest score of these
rows. The score of a class is one less its probability (LAC; Sadinle, Lei, Wasserman, Journal of the American
Statistical Association 114, 2019), of a number its absolute residual (Lei and others, the same journal 113, 2018).
The set of a row x then holds
    each class c with p_c(x) >= 1 - t, or the numbers from g(x) - t to g(x) + t.

Claim: the set of g- holds the label of a new row with probability `level` at least, in the mean over draws of the K
rows and of the new row, whatever the learner is (Vovk, Gammerman, Shafer, 2005). It holds on average over all rows, not
for each row and not for each class; given that no calibration row has a class of share s, it is level (1 - s).
Assumption: the K rows and the new row are exchangeable, and neither trained g- nor chose it. So there is no threshold
for rows with groups, in time order, or with weights. A candidate that was chosen by errors on the same rows, as a
winner is, may be covered a little less often, and another hypothesis, such as g, has t by analogy alone: what these
cover is measured on a test set (`measured`), with Clopper and Pearson's interval. docs/intervals.md has what was found
for both.

Probabilities that occur often, as those of a tree, make ties: so t is raised by 1e-8, and a rounded t has equal
sets. Answers on another scale than those of g- need a threshold of their own: the votes of several hypotheses are no
such probabilities.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument, FitFailure
from heldout.intervals import clopper_pearson
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers
from heldout.losses import ABSOLUTE, ZERO_ONE, choose_loss
from heldout.losses.loss import places
from heldout.losses.tested_losses import Tested
from heldout.metrics.measure import NO_PROBABILITIES
from heldout.records import PredictionSets
from heldout.rows.checked_rows import checked_unlabeled
from heldout.schemes import holdout
from heldout.schemes.design import Design

LAC, RESIDUAL = "LAC", "absolute residual"
_TOLERANCE = 1e-8  # by which t is raised
_ROUNDING = 1e-12  # relative: of (K + 1) level, which is to be whole where it is whole on paper, as 20 x .95
Classes = NDArray[np.generic] | None  # None for numbers


@dataclass(frozen=True, eq=False)
class SetsOfRows:
    """The sets of n rows: truth values, shape (n, C), a column for each of `classes`; of numbers the bounds, (n, 2).

    They follow from the `threshold`, which `calibrated` held-out rows gave at the `level`.
    """

    sets: NDArray[Any]
    classes: Classes
    threshold: float
    level: float
    calibrated: int


def without_threshold(candidate: str, design: Design, reason: str = "") -> PredictionSets:
    """A line without a threshold, for a `reason`."""
    method = LAC if design.loss.of_classes else RESIDUAL
    return PredictionSets(candidate, holdout.TARGET, design.level, method, reason=reason)


def calibrated(candidate: str, design: Design, g_minus: Any, X: Any) -> PredictionSets:
    """The threshold of `g_minus` from the held-out rows of X, shape (N, p), or the reason why there is none."""
    line = without_threshold(candidate, design)
    if design.dependence.kind is not None:
        return replace(line, reason=f"rows with {design.dependence.kind} are not exchangeable")
    if design.weights is not None:
        return replace(line, reason="rows with weights are not exchangeable with those that they stand for")
    if design.loss.labels > 1:
        return replace(line, reason="they are for one label a row")
    rows, least = design.splits("holdout")[0].validation, least_rows(design.level)
    if len(rows) < least:
        reason = f"{len(rows)} held-out rows; a threshold at {100 * design.level:g} % needs at least {least}"
        return replace(line, reason=reason)
    classes, y = np.unique(design.y) if design.loss.of_classes else None, design.y[rows]
    try:
        given = answers_of(g_minus, X, classes, rows)
    except FitFailure as failure:
        return replace(line, reason=str(failure))
    line = replace(line, threshold=threshold(given, y, classes, design.level), calibrated=len(rows))
    return line if classes is None else replace(line, reason=_without_rows(design.y, y))


def of_new_rows(candidate: str, design: Design, g_minus: Any, X: Any, X_new: Any) -> SetsOfRows:
    """The sets of g- for the rows of X_new, as `Validation.prediction_sets` returns them. Raises BadArgument."""
    rows = checked_unlabeled(X_new, X, "X_new")
    line = calibrated(candidate, design, g_minus, X)
    if line.threshold is None:
        raise BadArgument("candidate", f"prediction_sets: there are none of {candidate}: {line.reason}")
    classes = np.unique(design.y) if design.loss.of_classes else None
    sets = sets_of(answers_of(g_minus, rows, classes), classes, line.threshold)
    return SetsOfRows(sets, classes, line.threshold, line.level, line.calibrated)


def measured(line: PredictionSets, given: NDArray[Any], y: ArrayLike, classes: Classes) -> PredictionSets:
    """`line` with what its threshold covers: of rows with labels `y`, shape (n,), that were `given` these answers."""
    sets, labels = sets_of(given, classes, line.threshold), np.asarray(y)  # type: ignore[arg-type]  # there is one
    if classes is None:
        covered = (sets[:, 0] <= labels) & (labels <= sets[:, 1])
        line = replace(line, mean_width=float((sets[:, 1] - sets[:, 0]).mean()))
    else:
        place, sizes = places(labels, classes), sets.sum(axis=1)
        covered = sets[np.arange(len(labels)), place] & (place >= 0)  # a class that is not known is in no set
        single, empty = float((sizes == 1).mean()), float((sizes == 0).mean())
        line = replace(line, mean_size=float(sizes.mean()), single=single, empty=empty)
    low, high = clopper_pearson.bounds(Tested(covered.astype(np.float64), ZERO_ONE, 0), line.level)
    return replace(line, tested=len(labels), coverage=float(covered.mean()), low=low, high=high)


def answers_of(hypothesis: Any, X: Any, classes: Classes, rows: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Predicted numbers, shape (n,), or probabilities of the `classes`, shape (n, C). Raises FitFailure."""
    if classes is not None and not gives_probabilities(hypothesis):
        raise FitFailure(NO_PROBABILITIES)
    loss = ABSOLUTE if classes is None else choose_loss("log", classes)
    return np.asarray(answers(hypothesis, X, loss, rows), dtype=np.float64)


def sets_of(given: NDArray[Any], classes: Classes, threshold: float) -> NDArray[Any]:
    """The sets of rows with these answers: truth values, shape (n, C), or bounds, shape (n, 2)."""
    if classes is None:
        return np.column_stack([given - threshold, given + threshold])
    within: NDArray[np.bool_] = given >= 1 - threshold
    return within


def threshold(given: NDArray[Any], y: NDArray[np.generic], classes: Classes, level: float) -> float:
    """t, from the answers that the K >= `least_rows` calibration rows were `given` and their labels y, shape (K,)."""
    place = rank(len(y), level) - 1
    if classes is None:
        residuals = np.abs(np.asarray(y, dtype=np.float64) - given)
        return float(np.partition(residuals, place)[place]) * (1 + _TOLERANCE)
    of_label = given[np.arange(len(y)), places(y, classes)]
    return float(np.partition(1 - of_label, place)[place]) + _TOLERANCE


def rank(rows: int, level: float) -> int:
    """Which of the scores of `rows` calibration rows, the smallest first, is the threshold: ceil((rows + 1) level)."""
    return math.ceil((rows + 1) * level * (1 - _ROUNDING))


def least_rows(level: float) -> int:
    """The fewest calibration rows whose `rank` is at most their number: 19 at .95, 9 at .9."""
    return math.ceil(level / (1 - level) * (1 - _TOLERANCE))


def _without_rows(y: NDArray[np.generic], of_calibration: NDArray[np.generic]) -> str:
    """The classes that no calibration row has, and their share s of the labelled rows; empty if each has some."""
    absent = np.setdiff1d(y, of_calibration)
    if not len(absent):
        return ""
    share = float(np.isin(y, absent).mean())
    some = f"class {absent[0]}" if len(absent) == 1 else f"{len(absent)} classes, such as {absent[0]}"
    return f"no held-out row of {some}: the level holds for the other {100 * (1 - share):.3g} % of the labelled rows"
