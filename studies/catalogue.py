"""The studies under `python -m studies`, in the order of the page."""

import importlib
from typing import cast

from studies.study import Study

NAMES = (
    "blum_table",
    "blum_figure_1",
    "moments",
    "counterexamples",
    "blum_bounds",
    "progressive_gain",
    "min_of_two",
    "polynomials",
    "three_points",
    "digits_terms",
    "validation_variance",
    "dilemma",
    "chosen_parameter",
    "svm_estimates",
    "svm_degrees",
    "variance_bounds",
    "bound_tightness",
    "selection_regret",
    "error_without_labels",
    "fewer_labels",
    "coverage",
    "credible",
    "discrete_cells",
    "bootstrap_632",
    "race",
    "race_sets",
    "race_bbc",
    "adaptive_repeats",
    "half_model_interval",
    "repeated_folds",
    "metric_estimates",
    "own_metrics",
    "several_labels",
    "margin",
    "column_reliance",
    "datasets",
)


def load(name: str) -> Study:
    """The study of that name."""
    return cast(Study, importlib.import_module(f"studies.{name}"))


def title(name: str) -> str:
    """The first line of what the study says of itself."""
    return (load(name).__doc__ or "").splitlines()[0]
