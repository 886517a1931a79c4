"""The prediction sets of the winner: the threshold of its hold-out hypothesis, and what it covers as delivered."""

from dataclasses import replace

import numpy as np

from heldout.diagnosis.prediction_sets import answers_of, measured, without_threshold
from heldout.errors import FitFailure
from heldout.notebook.result import Validation
from heldout.records import PredictionSets
from heldout.schemes.delivery import FORMS
from tasks.fits.stored_models import target_of
from tasks.outcome.deliver import Delivered
from tasks.outcome.opening import Opening
from tasks.params import Candidate, Settings
from tasks.plans.all_labeled import read_all_labeled


def measure(
    settings: Settings, validation: Validation, winner: Candidate, delivered: Delivered, opening: Opening
) -> PredictionSets:
    """The line of prediction_sets.csv; its reason says why there is no threshold, or no coverage.

    The coverage is that of the delivered hypothesis, on the opened rows of the test set.
    """
    design, part = validation.design, opening.part
    if reason := _no_threshold(settings, of_classes=design.loss.of_classes):
        line = without_threshold(winner.name, design, reason)
    else:
        line = validation.calibrated(winner.name)
    line = replace(line, hypothesis=target_of(winner, FORMS[settings.deliver].target))
    if line.threshold is None:
        return line
    if part is None:
        return _without_coverage(line, opening.closed)
    classes = np.unique(read_all_labeled(settings).y) if design.loss.of_classes else None
    try:
        return measured(line, answers_of(delivered.hypothesis, part.X, classes), part.y, classes)
    except FitFailure as failure:
        return _without_coverage(line, str(failure))


def _no_threshold(settings: Settings, *, of_classes: bool) -> str:
    """Why the settings allow none; empty where they do."""
    if settings.data.sampling != "iid":
        return f"data.sampling is {settings.data.sampling}: new rows are not exchangeable with rows that were picked"
    if of_classes and settings.deliver != "final":
        return (
            f"deliver is {settings.deliver}: its probabilities are shares of votes, for which the threshold of one "
            "hypothesis does not hold; deliver: final has prediction sets"
        )
    return ""


def _without_coverage(line: PredictionSets, reason: str) -> PredictionSets:
    return replace(line, reason="; ".join(filter(None, [line.reason, f"no coverage: {reason}"])))
