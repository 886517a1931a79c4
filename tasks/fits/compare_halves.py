"""Co-validation: the half models of a repeat answer the unlabelled shards; and what else their answers are for."""

from heldout.schemes.halvings import HALVES
from tasks.fits.controls import control_all
from tasks.fits.fit_results import Compared, Fitted
from tasks.fits.half_model_disagreement import disagree_all
from tasks.params import Settings


def compare_halves(settings: Settings, fitted: Fitted) -> Compared:
    """The disagreement and the controls of the candidates that answer, and why others do not."""
    halves = fitted.finished[HALVES]
    shards, largest, no_answer = disagree_all(settings, fitted.design.loss, halves)
    answering = {name: found for name, found in halves.items() if name not in no_answer}
    return Compared(shards, largest, control_all(settings, fitted.design, answering), no_answer)
