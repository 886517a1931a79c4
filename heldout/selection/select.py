"""Choosing a candidate, and what the choice costs.

METHOD, sections 2 and 6; Abu-Mostafa, Learning From Data, lecture 13.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.intervals import clustered_t, hoeffding
from heldout.losses import Loss, Losses
from heldout.records import Estimate
from heldout.selection.confidence_set import confidence_set, variance_factor

Criterion = Literal["E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt", "max(E_cv, E_maxdt)"]
Rule = Literal["minimum", "one_standard_error", "indistinguishable"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
RULES: tuple[Rule, ...] = get_args(Rule)
# the criteria that are a mean of paired losses: they have a standard error, and a confidence set
WITH_LOSSES = ("E_val", "E_cv", "E_2cv", "E_prog")


_ROUNDING = 1e-12  # sums of the same errors in another order are a tie


@dataclass(frozen=True)
class Selection:
    """The winner, the criterion's value for every candidate, and who else could have won.

    `indistinguishable` are the candidates of the model confidence set, in their order; empty where the
    criterion is no mean of paired losses.
    """

    selected: str
    criterion: Criterion
    rule: Rule
    values: Mapping[str, float]
    indistinguishable: tuple[str, ...]


def criterion_value(criterion: Criterion, estimates: Mapping[str, float]) -> float:
    """The criterion's value from one candidate's `estimates`, a mapping from name to value.

    Raises BadArgument if an estimate that it needs was not computed.
    """
    needed = ("E_cv", "E_maxdt") if criterion == "max(E_cv, E_maxdt)" else (criterion,)
    missing = [name for name in needed if name not in estimates]
    if missing:
        raise BadArgument(
            "criterion",
            f"criterion is {criterion}, but {' and '.join(missing)} was not computed (disagreement needs "
            f"unlabelled rows); choose among {', '.join(name for name in CRITERIA if name in estimates) or 'none'}",
        )
    return max(estimates[name] for name in needed)


def standard_error(losses: Losses, cluster: NDArray[np.int64] | None = None) -> float:
    """The standard error of a mean of terms, shape (n,), independent or within each `cluster`; 0 for a single one."""
    if cluster is not None:
        return math.sqrt(clustered_t.variance(losses, cluster)) if cluster.max() > 0 else 0.0
    return float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class Paired:
    """The losses behind a criterion: one array a candidate, of shape (n,), over the same rows.

    `terms` are the independent terms that a standard error is of (the fold errors, or the losses
    themselves), `folds` the number of folds whose hypotheses share training rows, None for none. `cluster`
    numbers the groups, or batches in time, of the rows, `terms_cluster` of the terms; None where independent.
    """

    losses: Mapping[str, Losses]
    terms: Mapping[str, Losses]
    folds: int | None = None
    cluster: NDArray[np.int64] | None = None
    terms_cluster: NDArray[np.int64] | None = None


def select(
    values: Mapping[str, float],
    criterion: Criterion,
    rule: Rule,
    paired: Paired | None = None,
    *,
    level: float,
    seed: int = 0,
) -> Selection:
    """The candidate with the least criterion value; ties go to the first in the order of `values`.

    Candidates are listed from simple to complex. `one_standard_error` takes the first candidate within
    one standard error of the least, `indistinguishable` the first of the model confidence set at
    `level`. Raises BadArgument without candidates, for an unknown rule, or for those two rules without
    paired losses.
    """
    if not values:
        raise BadArgument("candidates", "there is no candidate to select from")
    for name, value in values.items():
        if not math.isfinite(value):
            raise BadArgument("values", f"the {criterion} of {name} is {value}; leave failed candidates out")
    check_rule(criterion, rule)
    if rule != "minimum" and paired is None:
        raise BadArgument("rule", f"rule is {rule}, which needs the losses behind {criterion}; use the rule minimum")
    best = min(values, key=values.__getitem__)
    alike: tuple[str, ...] = ()
    if paired is not None:
        table = np.stack([paired.losses[name] for name in values])
        places = confidence_set(table, level, variance_factor(paired.folds), seed, paired.cluster)
        alike = tuple(name for place, name in enumerate(values) if place in places)
    spread = 0.0 if paired is None else standard_error(paired.terms[best], paired.terms_cluster)
    allowed = {
        "minimum": lambda name: values[name] <= values[best] * (1 + _ROUNDING),
        "one_standard_error": lambda name: values[name] <= values[best] + spread,
        "indistinguishable": lambda name: name in alike,
    }[rule]
    return Selection(next(filter(allowed, values)), criterion, rule, dict(values), alike)


def check_rule(criterion: Criterion, rule: Rule) -> None:
    """Raise BadArgument for an unknown rule, or one that the criterion does not admit."""
    if rule not in RULES:
        raise BadArgument("rule", f"rule is {rule!r}; it must be one of {', '.join(RULES)}")
    if rule != "minimum" and criterion not in WITH_LOSSES:
        raise BadArgument(
            "rule",
            f"rule is {rule}, but {criterion} is no mean of paired losses; use the rule minimum, or a criterion "
            f"among {', '.join(WITH_LOSSES)}",
        )


def check_admitted(criterion: Criterion, loss: Loss) -> None:
    """Raise BadArgument for a criterion that needs an estimate which the loss does not admit."""
    reason = loss.refuses("E_maxdt") if "E_maxdt" in criterion else None
    if reason is not None:
        raise BadArgument(
            "criterion",
            f"criterion is {criterion}, but the {loss.name} loss does not admit E_maxdt: {reason}; use a criterion "
            f"among {', '.join(WITH_LOSSES)}",
        )


def bound_of(held_out: Estimate, loss: Loss, models: int, level: float) -> float | None:
    """The bound on the error of the winner's g-, from its E_val; None for a loss that Hoeffding's does not admit."""
    return selection_bound(held_out.value, held_out.n_tested, models, level) if loss.bounded else None


def selection_bound(holdout_error: float, n_validation: int, models: int, level: float) -> float:
    """The upper bound on the error of a g- chosen among M models, with probability >= level.

    E_out <= E_val + sqrt(ln(M / (1 - level)) / (2 K)): Hoeffding for a loss in [0, 1] and the union
    bound (METHOD, section 2). `models` is the number of candidates ever compared on these labels.
    """
    return holdout_error + hoeffding.upper_reach(n_validation, 1 - level, models)
