"""The studies under `python -m studies`, in the order of `docs/studies.md`."""

import importlib
from collections.abc import Mapping
from typing import cast

from studies.study import Study

GROUPS: Mapping[str, str] = {
    "Folds and progressive validation": "blum_table blum_figure_1 moments counterexamples blum_bounds progressive_gain",
    "Choosing by validation": (
        "min_of_two polynomials three_points digits_terms validation_variance dilemma chosen_parameter selection_regret"
    ),
    "Disagreement, and rows without labels": (
        "svm_estimates svm_degrees variance_bounds bound_tightness error_without_labels fewer_labels"
    ),
    "Whether intervals and verdicts hold": (
        "coverage credible hard_cells verdicts test_sets discrete_cells bootstrap_632 repeated_folds metric_estimates "
        "own_metrics given_answers several_labels class_errors margin column_reliance datasets"
    ),
    "Fewer fits": "race race_sets race_bbc adaptive_repeats half_model_interval",
    "Every night": "column_alarm moved_reference shift_alarms promotion",
}
NAMES = tuple(" ".join(GROUPS.values()).split())


def load(name: str) -> Study:
    """The study of that name."""
    return cast(Study, importlib.import_module(f"studies.{name}"))


def title(name: str) -> str:
    """The first line of what the study says of itself."""
    return (load(name).__doc__ or "").splitlines()[0]
