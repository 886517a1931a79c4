"""Co-validation: the half models of a repeat answer the unlabelled shards; and what else their answers are for."""

from collections.abc import Mapping

from heldout.schemes.halvings import HALVES
from tasks.fits.controls import control_all
from tasks.fits.fitted import Fitted
from tasks.fits.half_model_disagreement import disagree_all
from tasks.params import Settings
from tasks.storage.parquet import Pieces


def compare_halves(settings: Settings, fitted: Fitted) -> tuple[Fitted, Mapping[str, Pieces]]:
    """The tables of the disagreement and of the controls; and the same fits, with the candidates that do not answer."""
    halves = fitted.finished[HALVES]
    tables, no_answer = disagree_all(settings, fitted.design.loss, halves)
    answering = {name: found for name, found in halves.items() if name not in no_answer}
    controls = control_all(settings, fitted.design, answering)
    return fitted.without_answers(no_answer), {**tables, "controls": controls}
