"""The criteria by which a candidate can be chosen: what each needs, and its value."""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.errors import BadArgument
from heldout.losses import Loss

Criterion = str  # a name in CRITERIA


@dataclass(frozen=True)
class Needs:
    """The estimates whose maximum a criterion is, and whether it is a mean of paired losses.

    A mean of paired losses has a standard error.
    """

    estimates: tuple[str, ...]
    paired: bool = False


_NEEDS: Mapping[Criterion, Needs] = {
    "E_val": Needs(("E_val",), paired=True),
    "E_cv": Needs(("E_cv",), paired=True),
    "E_2cv": Needs(("E_2cv",), paired=True),
    "E_prog": Needs(("E_prog",), paired=True),
    "E_maxdt": Needs(("E_maxdt",)),
    "max(E_cv, E_maxdt)": Needs(("E_cv", "E_maxdt")),
}
CRITERIA: tuple[Criterion, ...] = tuple(_NEEDS)
WITH_LOSSES: tuple[Criterion, ...] = tuple(name for name, needs in _NEEDS.items() if needs.paired)


def criterion_value(criterion: Criterion, estimates: Mapping[str, float]) -> float:
    """The criterion's value from the `estimates` of one candidate, a mapping from name to value.

    Raises BadArgument if an estimate that it needs was not computed.
    """
    needed = _NEEDS[criterion].estimates
    missing = [name for name in needed if name not in estimates]
    if missing:
        raise BadArgument(
            "criterion",
            f"criterion is {criterion}, but {' and '.join(missing)} was not computed (disagreement needs "
            f"unlabelled rows); choose among {', '.join(name for name in CRITERIA if name in estimates) or 'none'}",
        )
    return max(estimates[name] for name in needed)


def check_admitted(criterion: Criterion, loss: Loss) -> None:
    """Raise BadArgument for a criterion that needs an estimate which the loss does not admit."""
    for estimate in _NEEDS[criterion].estimates:
        reason = loss.refuses(estimate)
        if reason is not None:
            raise BadArgument(
                "criterion",
                f"criterion is {criterion}, but the {loss.name} loss does not admit {estimate}: {reason}; use a "
                f"criterion among {', '.join(WITH_LOSSES)}",
            )
