"""The disagreement of two half models on the unlabelled rows."""

from heldout.estimates.definition import Definition
from heldout.estimates.e_2cv import SKEWED, TWO_WAY
from heldout.intervals import two_way_clopper_pearson, two_way_log_t
from heldout.intervals.method import Default, estimate_with
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, disagreement_of

_FEW_DIFFER = f"{TWO_WAY}, where Wilson's fell short for a stable learner, whose half models differ on few rows"


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate | None:
    """The mean over pairs of half models and rows; None without unlabelled rows."""
    return at_level(design, evidence, candidate, design.level)


def at_level(design: Design, evidence: Evidence, candidate: str, level: float) -> Estimate | None:
    """The same with its interval at another level."""
    found = disagreement_of(design, evidence)
    if found is None:
        return None
    target, method = "two hypotheses trained on disjoint halves", design.methods.get("disagreement")
    return estimate_with(candidate, "disagreement", found, target, len(design.y) // 2, method, level)


ESTIMATE = Definition(
    name="disagreement",
    meaning="How often two models, each trained on a half of the labelled rows, give different answers on the "
    "unlabelled rows; for numbers, how far apart the answers are. It is not an error.",
    about="not an error: how often two half models differ on unlabelled rows",
    trained_on="N/2",
    kind="disagreement",
    column=70,
    scheme="covalidation",
    of_candidate=of_candidate,
    default=Default(two_way_clopper_pearson.METHOD, two_way_log_t.METHOD, _FEW_DIFFER, SKEWED),
)
