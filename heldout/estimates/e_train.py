"""E_train: the training error of the half models."""

from heldout.estimates.definition import Definition
from heldout.estimates.e_2cv import OF_HALVES, TARGET
from heldout.intervals.method import estimate_with
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, half_trained


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean over repeats and rows."""
    return at_level(design, evidence, candidate, design.level)


def at_level(design: Design, evidence: Evidence, candidate: str, level: float) -> Estimate:
    """The same with its interval at another level."""
    observed, target = half_trained(design, evidence), f"{TARGET} (its training error)"
    method = design.methods.get("E_train")
    return estimate_with(candidate, "E_train", observed, target, len(design.y) // 2, method, level)


ESTIMATE = Definition(
    name="E_train",
    meaning="The training error of these half models.",
    about="a model trained on half of the rows: its training error",
    trained_on="N/2",
    kind="training error",
    column=60,
    scheme="covalidation",
    of_candidate=of_candidate,
    default=OF_HALVES,
    hidden="it is a part of E_maxdt, and says little alone",
)
