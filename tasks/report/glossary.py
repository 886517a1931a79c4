"""What the names in the report mean, a sentence each."""

from collections.abc import Mapping

from heldout.estimates import ESTIMATES

GLOSSARY: Mapping[str, str] = {
    **{name: estimate.meaning for name, estimate in ESTIMATES.items()},
    "baseline": "The best constant answer. A model that does not beat it has learned nothing from the features.",
    "interval": "Where the true error lies at the stated level, under the assumption that the last table names.",
    "bound": "What the error is at most, with all candidates counted that were ever compared on these labels: the "
    "guaranteed one.",
    "bound_joint": "The same, lower where candidates err on the same rows; approximate, and not guaranteed.",
    "alike": "Candidates that are not shown to err more than the winner. That they are as good is not shown either.",
    "RMSE": "The root of the mean squared loss, in units of the target.",
    "MAE": "The mean absolute loss, in units of the target.",
    "R²": "The share of the baseline's squared loss that the model removes: 1 is perfect, 0 is the baseline.",
}
