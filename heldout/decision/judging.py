"""All candidates side by side: the choice among them, and the bound on the error of the candidate that was chosen."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from heldout.decision.select import select
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES, lacking
from heldout.estimates.criteria import check_admitted, compares_by, criterion_value, needs
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, tested
from heldout.selection.bound import SelectionBound, selection_bound
from heldout.selection.comparison import Comparison
from heldout.selection.differences import compared_by
from heldout.selection.rules import Rule
from heldout.selection.selection import Criterion, Selection


def select_among(
    design: Design,
    evidence: Mapping[str, Evidence],
    estimates: Mapping[str, list[Estimate]],
    criterion: Criterion,
    rule: Rule,
) -> Selection:
    """The choice by `criterion` and `rule`, among the candidates that do not lack what the criterion needs.

    Raises BadArgument as `selection.select`, where the loss refuses it, and where all candidates lack that.
    """
    check_admitted(criterion, design.loss)
    evidence, estimates = _comparable(design, evidence, estimates, criterion)
    values = {
        name: criterion_value(criterion, {record.estimate: record.value for record in records})
        for name, records in estimates.items()
    }
    losses_behind = ESTIMATES[criterion].losses_behind if criterion in ESTIMATES else None
    behind = None if losses_behind is None else losses_behind(design, evidence)
    compared = compared_by(design, evidence, compares_by(criterion))
    if compared is None and behind is not None:
        compared = Comparison(behind.observed, behind.folds, design.level, design.dropped)
    return select(values, criterion, rule, behind, compared)


def _comparable(
    design: Design, evidence: Mapping[str, Evidence], estimates: Mapping[str, list[Estimate]], criterion: Criterion
) -> tuple[Mapping[str, Evidence], Mapping[str, list[Estimate]]]:
    """Without the candidates whose fits for the criterion failed."""
    failed = {name: lacking(design, of) for name, of in evidence.items() if of.failed}
    without = {name: of[need] for name, of in failed.items() for need in needs(criterion) if need in of}
    if without and len(without) == len(evidence):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in without.items())
        raise BadArgument("criterion", f"criterion is {criterion}, for which all candidates failed: {reasons}")
    left = [name for name in evidence if name not in without]
    return (
        (evidence, estimates)
        if not without
        else (
            {name: evidence[name] for name in left},
            {name: estimates[name] for name in left},
        )
    )


def no_bound(design: Design) -> BadArgument | None:
    """Why there is no bound on the error of the candidate that was chosen; None where there is one."""
    if "E_val" not in design.estimates:
        return BadArgument("estimates", "bound: E_val was not computed; estimates must contain it")
    if design.loss.weighted:
        return BadArgument("weights", "bound: it needs rows that count alike, and these have weights")
    if not design.loss.bounded:
        return BadArgument("loss_max", f"bound: no limit of the {design.loss.name} loss is known; state it as loss_max")
    if design.dependence.kind is not None:
        return BadArgument("groups", "bound: it needs independent rows, and rows of a group are not")
    return None


def bound_of(
    design: Design, evidence: Mapping[str, Evidence], name: str, models: Any = None, dropped: int = 0
) -> SelectionBound:
    """The bound on the error of the g- of candidate `name`, for `models` ever compared.

    None stands for those of `evidence` and those that a race `dropped`. Raises BadArgument where there is none, and for
    fewer models than candidates.
    """
    candidates = len(evidence) + dropped
    if (reason := no_bound(design)) is not None:
        raise reason
    models = candidates if models is None else models
    if isinstance(models, bool) or not isinstance(models, int | np.integer) or models < candidates:
        raise BadArgument(
            "models",
            f"models is {models!r}; it must be a whole number of at least {candidates}, the candidates of this call",
        )
    return selection_bound_of(design, evidence, name, int(models))  # type: ignore[return-value]  # there is one


def selection_bound_of(
    design: Design, evidence: Mapping[str, Evidence], name: str, models: int
) -> SelectionBound | None:
    """The bound on the error of the g- of candidate `name`, from the held-out losses of all candidates."""
    held_out = {other: tested(design, of, "holdout") for other, of in evidence.items()}
    compared = np.stack([other.losses for other in held_out.values()], axis=1)
    return selection_bound(held_out[name], models, design.level, compared)
