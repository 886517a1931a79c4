"""E_maxdt: the larger of E_train and E_dis, since learners may agree because they learn nothing."""

from collections.abc import Iterable
from dataclasses import replace

from heldout.estimates import disagreement, e_train
from heldout.estimates.definition import Definition
from heldout.estimates.e_2cv import TARGET
from heldout.estimates.e_dis import carried, flag
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate | None:
    """The larger of both; each part takes half of what the level leaves (union bound). None without a disagreement."""
    level, each = design.level, (1 + design.level) / 2
    rate = disagreement.at_level(design, evidence, candidate, each)
    if rate is None or design.loss.bound_factor is None:
        return None
    bound = carried(rate, design)
    parts = e_train.at_level(design, evidence, candidate, each), bound
    return replace(
        bound,
        estimate="E_maxdt",
        value=max(part.value for part in parts),
        target=f"{TARGET} (max of E_train and E_dis){flag(rate, design)}",
        low=_largest(part.low for part in parts),
        high=_largest(part.high for part in parts),
        level=None if any(part.low is None for part in parts) else level,
    )


def _largest(bounds: Iterable[float | None]) -> float | None:
    known = list(bounds)
    return None if None in known else max(bound for bound in known if bound is not None)


ESTIMATE = Definition(
    name="E_maxdt",
    meaning="The larger of E_train and E_dis: a learner can agree with itself because it has learned nothing.",
    about="the larger of `E_dis` and the half models' training error",
    trained_on="N/2",
    kind="implied error",
    column=90,
    scheme="covalidation",
    of_candidate=of_candidate,
    carried_from="disagreement",
    interval="the intervals of both parts",
    is_criterion=True,
)
