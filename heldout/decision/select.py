"""Choosing a candidate by a criterion and a rule (METHOD, section 6)."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates.criteria import WITHOUT_LOSSES, check_rule
from heldout.intervals import clustered_t
from heldout.losses import Losses
from heldout.selection.comparison import Comparison
from heldout.selection.paired_losses import Paired
from heldout.selection.rules import RULES, Compared, Rule
from heldout.selection.selection import Criterion, Selection


def standard_error(losses: Losses, cluster: NDArray[np.int64] | None = None) -> float:
    """The standard error of a mean of terms, shape (n,), independent or within each `cluster`; 0 for a single term."""
    if cluster is not None:
        return math.sqrt(clustered_t.variance(losses, cluster)) if cluster.max() > 0 else 0.0
    return float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0


def select(
    values: Mapping[str, float],
    criterion: Criterion,
    rule: Rule,
    paired: Paired | None = None,
    compared: Comparison | None = None,
) -> Selection:
    """The candidate that the rule takes, from the value of the criterion for each candidate.

    Candidates are listed from simple to complex; the rule is a name in `RULES`. `compared` are all of them on the same
    rows. Raises BadArgument without candidates, for an unknown rule, or for a rule that needs paired losses where there
    are none.
    """
    if not values:
        raise BadArgument("candidates", "there is no candidate to select from")
    for name, value in values.items():
        if not math.isfinite(value):
            raise BadArgument("values", f"the {criterion} of {name} is {value}; leave failed candidates out")
    check_rule(criterion, rule)
    if RULES[rule].needs_losses and paired is None:
        raise BadArgument("rule", f"rule is {rule}, which needs the losses behind {criterion}; {WITHOUT_LOSSES}")
    best = min(values, key=values.__getitem__)
    spread = 0.0 if paired is None else standard_error(paired.terms[best], paired.terms_cluster)
    selected = RULES[rule].take(Compared(values, best, spread, _alike(compared, best)))
    return Selection(selected, criterion, rule, dict(values), _alike(compared, selected))


def _alike(compared: Comparison | None, name: str) -> tuple[str, ...]:
    return () if compared is None else compared.alike(name)
