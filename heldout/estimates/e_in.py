"""E_in: the training error of the final hypothesis."""

from heldout.estimates.definition import Definition
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, tested
from heldout.schemes.holdout import TARGET_FINAL


def training_estimate(candidate: str, observed: Tested) -> Estimate:
    """E_in: the training error of g. It estimates no true error, so it has no interval."""
    return Estimate(candidate, "E_in", observed.error, training_target(observed.n), observed.n, observed.n)


def training_target(n: int, labeled: int | None = None) -> str:
    """What E_in is about: a hypothesis trained on n rows, of `labeled` rows; None where these are all."""
    trained = TARGET_FINAL if labeled in (None, n) else f"trained on {n} of {labeled} labelled rows"
    return f"{trained} (its training error)"


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean loss on the rows that were trained on; no interval."""
    return training_estimate(candidate, tested(design, evidence, "final"))


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
