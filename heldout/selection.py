"""Choosing a candidate, and what the choice costs.

METHOD, sections 2 and 6; Abu-Mostafa, Learning From Data, lecture 13.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from heldout.errors import BadArgument
from heldout.intervals import hoeffding
from heldout.losses import Losses

Criterion = Literal["E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt", "max(E_cv, E_maxdt)"]
Rule = Literal["minimum", "one_standard_error"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
# the criteria that are a mean of losses, and so have a standard error
WITH_STANDARD_ERROR = ("E_val", "E_cv", "E_2cv", "E_prog")


@dataclass(frozen=True)
class Selection:
    """The winner, the criterion's value for every candidate, and the limit that the rule allowed."""

    selected: str
    criterion: Criterion
    rule: Rule
    values: Mapping[str, float]
    limit: float


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
            f"unlabelled rows); choose among {', '.join(name for name in CRITERIA if name in estimates)}",
        )
    return max(estimates[name] for name in needed)


def standard_error(losses: Losses) -> float:
    """The standard error of a mean of independent terms, shape (n,); 0 for a single one."""
    return float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0


def select(
    values: Mapping[str, float],
    criterion: Criterion,
    rule: Rule,
    standard_errors: Mapping[str, float] | None = None,
) -> Selection:
    """The candidate with the least criterion value; ties go to the first in the order of `values`.

    Candidates are listed from simple to complex. `one_standard_error` takes the first candidate
    within one standard error of the least. Raises BadArgument without candidates, or for that rule
    without standard errors.
    """
    if not values:
        raise BadArgument("candidates", "there is no candidate to select from")
    for name, value in values.items():
        if not math.isfinite(value):
            raise BadArgument("values", f"the {criterion} of {name} is {value}; leave failed candidates out")
    if rule not in get_args(Rule):
        raise BadArgument("rule", f"rule is {rule!r}; it must be one of {', '.join(get_args(Rule))}")
    best = min(values, key=values.__getitem__)
    limit = values[best]
    if rule == "one_standard_error":
        if standard_errors is None:
            raise BadArgument(
                "rule",
                f"rule is one_standard_error, but {criterion} has no standard error; "
                f"use the rule minimum, or a criterion among {', '.join(WITH_STANDARD_ERROR)}",
            )
        limit += standard_errors[best]
    selected = next(name for name, value in values.items() if value <= limit)
    return Selection(selected, criterion, rule, dict(values), limit)


def selection_bound(holdout_error: float, n_validation: int, models: int, level: float) -> float:
    """The upper bound on the error of a g- chosen among M models, with probability >= level.

    E_out <= E_val + sqrt(ln(M / (1 - level)) / (2 K)): Hoeffding for a loss in [0, 1] and the union
    bound (METHOD, section 2). `models` is the number of candidates ever compared on these labels.
    """
    return holdout_error + hoeffding.upper_reach(n_validation, 1 - level, models)
