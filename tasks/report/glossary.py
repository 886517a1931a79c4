"""What the names in the report mean, a sentence each."""

from collections.abc import Mapping

from heldout.estimates import ESTIMATES

GLOSSARY: Mapping[str, str] = {
    **{name: estimate.meaning for name, estimate in ESTIMATES.items()},
    "verdict": "Whether to ship the winner, by one rule. How often it is wrong, and how often it ships a model that is "
    "worth it, was measured on tables whose truth is known: docs/verdicts.md.",
    "baseline": "The best constant answer. A model that does not beat it has learned nothing from the features.",
    "interval": "Where the true error lies at the stated level, under the assumption that the last table names.",
    "bound": "What the error is at most, with all candidates counted that were ever compared on these labels: the "
    "guaranteed one.",
    "bound_joint": "The same, lower where candidates err on the same rows; approximate, and not guaranteed.",
    "not ruled out": "Candidates that are not shown to err more than the winner. That they are as good is not shown "
    "either: what they may err more is in the differences.",
    "worse by": "How much more than the winner it errs, by the estimate that the candidates are compared by, on the "
    "same rows; below it how much that may be, at the stated level for all comparisons together. Where this reaches "
    "below 0, it is not ruled out.",
    "RMSE": "The root of the mean squared loss, in units of the target.",
    "MAE": "The mean absolute loss, in units of the target.",
    "R²": "The share of the baseline's squared loss that the model removes: 1 is perfect, 0 is the baseline.",
}


def by_margin(glossary: Mapping[str, str], margin: str) -> dict[str, str]:
    """The same where a margin was stated: alike is then what is shown to differ by no more."""
    words = {
        "alike": f"Shown to differ by at most the margin, {margin}: the whole interval lies within it, on both sides.",
        "by the margin": "Better or worse: the whole interval lies beyond it. Undecided: the interval reaches over it, "
        "or too few rows tell two candidates apart; more rows may.",
    }
    return {**glossary, **words}
