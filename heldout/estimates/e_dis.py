"""E_dis: the least expected error that a disagreement implies, by `heldout.unlabelled.implied_error.error_bound`."""

from dataclasses import replace

from heldout.estimates import disagreement
from heldout.estimates.definition import Definition
from heldout.estimates.e_2cv import TARGET
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence
from heldout.unlabelled.implied_error import error_bound


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate | None:
    """The bound from the disagreement, its value and both ends; None without one."""
    rate = disagreement.of_candidate(design, evidence, candidate)
    if rate is None or design.loss.bound_factor is None:
        return None
    return carried(rate, design, f"{TARGET} (a lower bound){flag(rate, design)}")


def carried(rate: Estimate, design: Design, target: str = "") -> Estimate:
    """The record of a disagreement, its value and both ends carried through `error_bound`, which is monotone."""

    def carry(value: float | None) -> float | None:
        return None if value is None else error_bound(value, design.loss, design.classes)[0]

    value = error_bound(rate.value, design.loss, design.classes)[0]
    return replace(rate, estimate="E_dis", value=value, target=target, low=carry(rate.low), high=carry(rate.high))


def flag(rate: Estimate, design: Design) -> str:
    """What the target says where a disagreement is above what any expected one can be."""
    classes = max(design.classes, 2)
    clamped = error_bound(rate.value, design.loss, design.classes)[1]
    return f" (disagreement above {classes - 1}/{classes}, clamped)" if clamped else ""


ESTIMATE = Definition(
    name="E_dis",
    meaning="The least error that such a disagreement implies, on average over training sets.",
    about="a lower bound on the half model's error, from disagreement alone, in expectation over training rows",
    trained_on="N/2",
    kind="implied error",
    column=80,
    scheme="covalidation",
    of_candidate=of_candidate,
    carried_from="disagreement",
    interval="the interval of `disagreement`, carried over",
)
