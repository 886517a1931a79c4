"""E_worst_fold: the error of the fold on which a candidate errs most."""

from heldout.estimates.definition import Definition
from heldout.records import Estimate
from heldout.schemes.design import cross_validated, mean_fold_training_size


def of_candidate(design, evidence, candidate):
    """The largest fold error; no interval is claimed."""
    worst = float(cross_validated(design, evidence).fold_errors.max())
    target = "the fold hypothesis that errs most on its fold"
    return Estimate(candidate, "E_worst_fold", worst, target, mean_fold_training_size(design), len(design.y))


ESTIMATE = Definition(
    name="E_worst_fold",
    meaning="The largest error of a fold: how bad it was where it was worst. It is no estimate of the true error.",
    about="the fold hypothesis that errs most on its fold",
    trained_on="N - N/k",
    kind="error",
    column=12,
    scheme="cross_validation",
    of_candidate=of_candidate,
    on_request=True,
)
