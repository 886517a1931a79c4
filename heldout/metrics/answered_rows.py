"""What a hypothesis answers on rows with labels, as metrics and curves read it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers, scores
from heldout.losses import ABSOLUTE, ZERO_ONE, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.metrics.measure import NO_PROBABILITIES
from heldout.metrics.metric import Answered
from heldout.metrics.metrics_of import of_classes
from heldout.rows.frames import take


def ask(
    hypothesis: Any, X: Any, y: NDArray[np.generic], known: NDArray[np.generic], tested: Tested
) -> tuple[Answered, str]:
    """What `hypothesis` answers on the rows of X, shape (n, p), whose losses were `tested`.

    `known` are the labels that make the classes, next to those of y. The second value says why there are no
    probabilities, or scores in their place.
    """
    relative = np.ones(len(y)) if tested.weights is None else tested.weights / tested.weights.mean()
    lacking = NO_PROBABILITIES
    if not tested.loss.of_classes:
        predicted = answers(hypothesis, X, ABSOLUTE)
        return Answered(y, predicted, relative, cluster=tested.cluster, seed=tested.seed), lacking
    classes = np.unique(np.concatenate([known, y]))
    shares = ranks = None
    try:
        if gives_probabilities(hypothesis):
            shares = answers(hypothesis, X, choose_loss("log", classes))
        elif hasattr(hypothesis, "decision_function"):
            ranks = scores(hypothesis, X, classes)
    except FitFailure as failure:
        lacking = str(failure)
    return of_classes(y, answers(hypothesis, X, ZERO_ONE), shares, classes, tested, relative, ranks), lacking


def ask_held_out(hypothesis: Any, X: Any, y: NDArray[np.generic], rows: NDArray[np.intp], tested: Tested) -> Answered:
    """The same of some `rows` of X and y, those that the hypothesis was tested on."""
    return ask(hypothesis, take(X, rows), y[rows], y, tested)[0]
