"""The decision strip of a `Validation` (`heldout.display.strip`)."""

from typing import TYPE_CHECKING

from heldout.decision.judging import no_bound
from heldout.decision.ship import won_by
from heldout.display.strip import Strip, strip
from heldout.notebook.decision import planned
from heldout.schemes.design import Design

if TYPE_CHECKING:
    from heldout.notebook.result import Validation


def strip_of(made: "Validation", winner: str, design: Design) -> Strip:
    """The strip of the `winner` by E_cv, or by E_val without it."""
    plan = planned(made, winner)
    bounded = no_bound(design) is None
    judged = "" if made.judged is None else made.judged.estimate
    return strip(
        winner,
        [*made.estimates, *made.baseline],
        design.loss,
        planned="" if plan is None else plan.record.estimate,
        against=judged if plan is None else plan.against,
        won=won_by(judged, winner, made.estimates),
        bound=made.bound(winner).value if bounded else None,
        level=design.level,
        plain=design.dependence.kind is None and design.weights is None,
    )
