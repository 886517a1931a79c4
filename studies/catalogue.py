"""The studies under `python -m studies`, in the order of the page."""

import importlib
from collections.abc import Mapping
from typing import cast

from studies.study import Study

# what a study is called on the page, by the name of its module
CALLED: Mapping[str, str] = {
    "blum_table": "Progressive validation against a hold-out: the table",
    "blum_figure_1": "Progressive validation against a hold-out: figure 1",
    "moments": "How far k folds and a hold-out are off",
    "counterexamples": "Two learners that gain nothing by folds",
    "blum_bounds": "Bounds for folds and steps",
    "progressive_gain": "What progressive validation gains",
    "min_of_two": "The smaller of two estimates",
    "polynomials": "Second or fifth order",
    "three_points": "Leave-one-out on three points",
    "digits_terms": "How many terms for digits",
    "validation_variance": "The variance of a validation error",
    "dilemma": "The dilemma about K",
    "chosen_parameter": "Choosing one parameter by validation",
    "svm_estimates": "Linear machines on picked rows: the estimates",
    "svm_degrees": "Linear machines on picked rows: the choice",
    "variance_bounds": "Disagreement bounds the variance",
    "bound_tightness": "How tight the bounds without labels are",
    "selection_regret": "What a choice costs, by its rule",
    "error_without_labels": "The error on shifted rows without labels",
    "fewer_labels": "How fast a learner learns from picked labels",
    "coverage": "Coverage of the intervals",
    "credible": "Intervals that few rows carry",
    "hard_cells": "A rare class, costs, weights, groups and time",
    "verdicts": "The verdict's own errors, and its power",
    "test_sets": "A test set of few distinct rows",
    "discrete_cells": "Deep trees on few distinct rows",
    "bootstrap_632": "The bootstrap .632+",
    "race": "The race: what it keeps and spares",
    "race_sets": "The race on public data sets",
    "race_bbc": "`E_bbc` after a race",
    "adaptive_repeats": "When halvings stop",
    "half_model_interval": "Half models in place of subsamples",
    "repeated_folds": "Repeated folds",
    "metric_estimates": "Intervals of metrics by folds",
    "own_metrics": "Intervals of metrics without further fits",
    "several_labels": "Several labels a row",
    "margin": "Words by a margin",
    "column_reliance": "Which columns matter",
    "column_alarm": "The alarm on columns",
    "moved_reference": "The alarm on columns after its reference was moved",
    "shift_alarms": "Which alarm sees which shift",
    "promotion": "How a champion is replaced",
    "datasets": "Twenty-five public data sets",
}
NAMES = tuple(CALLED)


def load(name: str) -> Study:
    """The study of that name."""
    return cast(Study, importlib.import_module(f"studies.{name}"))


def title(name: str) -> str:
    """The first line of what the study says of itself."""
    return (load(name).__doc__ or "").splitlines()[0]
