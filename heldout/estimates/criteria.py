"""The criteria by which a candidate can be chosen: what each needs, and its value."""

import math
from collections.abc import Mapping, Sequence

from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.losses import Loss
from heldout.losses.choice import KINDS, as_written, ordered_as
from heldout.selection.rules import RULES, Rule
from heldout.selection.selection import Criterion

# the estimates whose largest value is the criterion
_NEEDS: Mapping[Criterion, tuple[str, ...]] = {
    **{name: (name,) for name, definition in ESTIMATES.items() if definition.is_criterion},
    "max(E_cv, E_maxdt)": ("E_cv", "E_maxdt"),
}
CRITERIA: tuple[Criterion, ...] = tuple(_NEEDS)
_SET_METRICS = {name: loss for name, definition in ESTIMATES.items() if (loss := definition.set_metric) is not None}
# what others call a criterion: a metric that it is 1 - of, or in whose order E_cv puts candidates
OF_METRICS: Mapping[str, Criterion] = {
    **{metric: "E_cv" for kind in KINDS for metric in kind.metrics},
    **{loss.metric: name for name, loss in _SET_METRICS.items()},
}
_ALSO = [
    *((loss.metric, loss.also) for loss in _SET_METRICS.values()),
    *(line for kind in KINDS for line in kind.metrics.items()),
]
# means of paired losses, which have a standard error
WITH_LOSSES: tuple[Criterion, ...] = tuple(name for name, definition in ESTIMATES.items() if definition.losses_behind)
WITHOUT_LOSSES = f"use the rule {' or '.join(name for name, rule in RULES.items() if not rule.needs_losses)}"


def compares_by(criterion: Criterion) -> str:
    """The estimate whose paired differences say who errs less: the criterion if it is 1 - a metric, else E_cv."""
    return criterion if criterion in ESTIMATES and ESTIMATES[criterion].set_metric is not None else "E_cv"


def judged_by(criterion: Criterion, loss: Loss) -> str:
    """What says whether a winner beats the baseline, in words."""
    set_metric = ESTIMATES[compares_by(criterion)].set_metric
    return f"the {loss.name} loss" if set_metric is None else set_metric.metric


def of_metric(called: object) -> str | None:
    """The estimate of 1 - a metric, from what others call the metric; None for another name."""
    name = OF_METRICS.get(_listed(called) or "", "E_cv")
    return None if name == "E_cv" else name


def listed(called: object) -> str:
    """A criterion, or a metric as `OF_METRICS` writes it: R² is R2, roc_auc is AUC.

    Raises BadArgument for a name that neither has.
    """
    if (name := _listed(called)) is None:
        raise BadArgument(
            "criterion",
            f"criterion is {called!r}; it must be one of {', '.join(CRITERIA)}, or a metric: {', '.join(OF_METRICS)}",
        )
    return name


def meant(name: str) -> Criterion:
    """The criterion of a name that is `listed`: its own, or that of a metric."""
    return OF_METRICS.get(name, name)


def _listed(called: object) -> str | None:
    if called in CRITERIA:
        return str(called)
    wanted = as_written(called)
    return next((metric for metric, also in _ALSO if wanted in map(as_written, (metric, *also))), None)


def needs(criterion: Criterion) -> tuple[str, ...]:
    """The estimates whose largest value is the criterion."""
    return _NEEDS[criterion]


def criterion_value(criterion: Criterion, estimates: Mapping[str, float]) -> float:
    """The criterion's value from the `estimates` of one candidate, a mapping from name to value.

    Raises BadArgument if an estimate that it needs was not computed.
    """
    needed = _NEEDS[criterion]
    missing = [name for name in needed if name not in estimates]
    if missing:
        raise BadArgument(
            "criterion",
            f"criterion is {criterion}, but {' and '.join(missing)} was not computed{_why_missing(missing)}; choose "
            f"among {', '.join(name for name in CRITERIA if name in estimates) or 'none'}",
        )
    return max(estimates[name] for name in needed)


def _why_missing(names: Sequence[str]) -> str:
    if any(ESTIMATES[name].on_request for name in names):
        return " (it has to be asked for: further_estimates)"
    return " (disagreement needs unlabelled rows)"


def ranked(criterion: Criterion, estimates: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The candidates in the order in which people see them: the least value of the criterion first, ties as they came.

    `estimates` are the values of each candidate by the name of the estimate; a candidate without what the criterion
    needs comes last.
    """

    def value(name: str) -> float:
        known = estimates[name]
        return criterion_value(criterion, known) if all(need in known for need in _NEEDS[criterion]) else math.inf

    return sorted(estimates, key=value)


def check_admitted(name: str, loss: Loss) -> None:
    """Raise BadArgument for a criterion that needs an estimate which the loss does not admit.

    So it does for a metric in whose order the mean of another loss puts candidates; `name` is `listed`.
    """
    criterion = meant(name)
    if name != criterion == "E_cv" and (needed := ordered_as(name)) != loss.name:
        raise BadArgument(
            "criterion",
            f"criterion is {name}, whose order E_cv has where the loss is {needed}; here it is {loss.name}: use loss "
            f"{needed}, or a criterion among {', '.join(WITH_LOSSES)}",
        )
    for estimate in _NEEDS[criterion]:
        reason = ESTIMATES[estimate].refused_by(loss)
        if reason is not None:
            raise BadArgument(
                "criterion",
                f"criterion is {criterion}, but the {loss.name} loss does not admit {estimate}: {reason}; use a "
                f"criterion among {', '.join(WITH_LOSSES)}",
            )


def check_rule(criterion: Criterion, rule: Rule) -> None:
    """Raise BadArgument for an unknown rule, or a rule that the criterion does not admit."""
    if rule not in tuple(RULES):
        raise BadArgument("rule", f"rule is {rule!r}; it must be one of {', '.join(RULES)}")
    if RULES[rule].needs_losses and criterion not in WITH_LOSSES:
        raise BadArgument(
            "rule",
            f"rule is {rule}, but {criterion} is no mean of paired losses; {WITHOUT_LOSSES}, or a criterion "
            f"among {', '.join(WITH_LOSSES)}",
        )
