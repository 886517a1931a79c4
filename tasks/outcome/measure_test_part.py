"""The metrics of the delivered hypothesis on the opened test part, over all rows and by the values of columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.design import Design
from heldout.errors import FitFailure
from heldout.fitting import answers, scores
from heldout.learners import gives_probabilities
from heldout.losses import ABSOLUTE, ZERO_ONE, choose_loss
from heldout.metrics.measure import NO_PROBABILITIES, Rows, TestMetrics, measure
from heldout.metrics.metric import Answered
from heldout.metrics.metrics_of import of_classes
from heldout.observed import Tested
from tasks.params import Settings
from tasks.plans.all_labeled import AllLabeled
from tasks.storage import files


def measure_test_part(
    settings: Settings,
    candidate: str,
    hypothesis: Any,
    design: Design,
    trained: AllLabeled,
    X: Any,
    y: NDArray[np.generic],
    tested: Tested,
    weights: NDArray[np.float64] | float,
) -> TestMetrics:
    """All metrics of `hypothesis` on the rows X, y, whose losses were `tested` with `weights`."""
    relative = np.broadcast_to(np.asarray(weights, dtype=np.float64), y.shape)
    lacking = NO_PROBABILITIES
    if trained.loss.of_classes:
        classes = np.unique(np.concatenate([trained.y, y]))
        shares = ranks = None
        try:
            if gives_probabilities(hypothesis):
                shares = answers(hypothesis, X, choose_loss("log", classes))
            elif hasattr(hypothesis, "decision_function"):
                ranks = scores(hypothesis, X, classes)
        except FitFailure as failure:
            lacking = str(failure)
        answered = of_classes(y, answers(hypothesis, X, ZERO_ONE), shares, classes, tested, relative, ranks)
    else:
        predicted = answers(hypothesis, X, ABSOLUTE)
        answered = Answered(y, predicted, relative, cluster=tested.cluster, seed=tested.seed)
    rows = Rows(
        candidate,
        answered,
        tested,
        design.methods.get("E_test"),
        design.level,
        design.dependence.kind,
        settings.data.target or files.TARGET,
        lacking,
    )
    return measure(rows, files.read_test_slices())
