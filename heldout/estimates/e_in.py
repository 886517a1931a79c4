"""E_in: the training error of the final hypothesis."""

from heldout import holdout
from heldout.design import Design, Evidence, tested
from heldout.estimates.definition import Definition
from heldout.records import Estimate


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean loss on the rows that were trained on; no interval."""
    return holdout.training_estimate(candidate, tested(design, evidence, "final"))


ESTIMATE = Definition(
    name="E_in",
    meaning="The training error, on the rows that the model was trained on. It is too low, and only shows how closely "
    "the learner follows its rows.",
    about="g, retrained on all rows of the estimates: its training error, not an estimate of its true error",
    trained_on="all N",
    kind="training error",
    column=50,
    scheme="final",
    of_candidate=of_candidate,
)
