"""The terms of metrics of a set (`heldout.losses.set_metrics`), from what a hypothesis answers on tested rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.fits.specs import FitSpec
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers, probabilities, scores
from heldout.losses import ZERO_ONE, Losses
from heldout.losses.loss import Classes, places
from heldout.rows.frames import take
from heldout.schemes import SchemeName
from heldout.schemes.design import Design

NOT_UPDATED = "it is not computed for a learner that is updated once (heldout.online); leave out one of both"


def metric_terms(hypothesis: Any, spec: FitSpec) -> dict[str, Losses]:
    """The terms of the tested rows of a split, shape (n_validation,), for each estimate that needs them in a scheme.

    Empty where none does. Raises FitFailure for a hypothesis that does not give what ranks the rows.
    """
    asked = spec.terms.value
    if not asked:
        return {}
    X, every, rows = spec.rows.value.X, spec.rows.value.y, spec.split.value.validation
    classes, of_rows = np.unique(every), spec.weights.value
    weights = np.ones(len(rows)) if of_rows is None else of_rows.relative[rows]
    y, needed = places(every[rows], classes), {loss.needs for loss in asked.values()}
    given: dict[str, NDArray[Any]] = {}
    if "class" in needed:
        given["class"] = places(answers(hypothesis, X, ZERO_ONE, rows), classes)
    if "ranks" in needed:
        given["ranks"] = ranks(hypothesis, take(X, rows), classes)
    return {name: loss.terms(y, given[loss.needs], weights, len(classes)) for name, loss in asked.items()}


def ranks(hypothesis: Any, X: Any, classes: Classes) -> NDArray[np.float64]:
    """What ranks the rows of X by each class, shape (n, C): probabilities, or else scores.

    Raises FitFailure for a hypothesis that gives neither.
    """
    if gives_probabilities(hypothesis):
        return np.asarray(probabilities(hypothesis, X, classes), dtype=np.float64)
    if hasattr(hypothesis, "decision_function"):
        return scores(hypothesis, X, classes)
    raise FitFailure("it gives neither probabilities nor scores (decision_function), by which rows are ranked")


def of_constant(design: Design, scheme: SchemeName) -> Mapping[str, list[Losses]]:
    """The terms of the best constant answer: of the class that is the best one for all training rows of a split, the
    more frequent one of several; of ranks those of a random order.
    """
    classes, y = np.unique(design.y, return_inverse=True)
    every = np.ones(len(y)) if design.weights is None else design.weights.relative
    terms: dict[str, list[Losses]] = {name: [] for name in design.set_metrics_in(scheme)}
    for split in design.splits(scheme) if terms else ():
        for name, loss in design.set_metrics_in(scheme).items():
            terms[name].append(loss.terms_of_constant(y, every, split.train, split.validation, len(classes)))
    return terms
