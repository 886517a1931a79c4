"""Whether to ship a candidate; the rule is `heldout.decision.ship`."""

from typing import TYPE_CHECKING

from heldout.decision import ship
from heldout.decision.ship import Decision, Further, Known, Planned
from heldout.diagnosis import too_good
from heldout.estimates import criteria
from heldout.fits import baseline
from heldout.records import Difference
from heldout.selection.selection import Selection
from heldout.splits import class_shares

if TYPE_CHECKING:
    from heldout.notebook.result import Validation


def decided(made: "Validation", chosen: Selection, further: Further) -> Decision:
    """The decision about the candidate that was `chosen`."""
    winner, values, design = chosen.selected, chosen.values, made.design
    compares_by = criteria.compares_by(chosen.criterion)
    beaten = made.beats_baseline(winner, compares_by)
    return ship.decide(
        Known(
            **vars(further),
            selected=winner,
            lowest=min(values, key=values.__getitem__),
            not_ruled_out=chosen.indistinguishable,
            compared=len(made.candidates),
            loss=design.loss,
            judged_by=criteria.judged_by(chosen.criterion, design.loss),
            beats_baseline=beaten,
            planned=planned(made, winner, compares_by),
            differences=made.differences(winner, compares_by),
            error=next(
                (one.value for one in made.estimates if (one.candidate, one.estimate) == (winner, compares_by)), 0.0
            ),
            margin=design.margin,
            skill=None if beaten else made.skill(winner),
            not_credible=made.not_credible(winner),
            other_population=made.other_population(winner),
            too_good=_too_good(made, winner, further),
            failed=[*made.failed],
            optimism=(class_shares.optimism(design.y) if design.stratify else None) or "",
        )
    )


def planned(made: "Validation", winner: str, compares_by: str = "E_cv") -> Planned | None:
    """The estimate to plan with; None where none has an interval."""
    records = [record for record in made.estimates if record.candidate == winner]
    of_baseline = {record.estimate: record.value for record in made.baseline}
    return ship.plan_with(records, of_baseline, against_baseline(made, winner, compares_by))


def against_baseline(made: "Validation", winner: str, estimate: str = "E_cv") -> dict[str, Difference]:
    """E_cv, or 1 - a metric, and E_test of the winner less that of the baseline, as far as they were computed."""
    found = {}
    for one in made.differences(winner, estimate):
        if one.against == baseline.NAME:
            found[estimate] = one
    if made.opened is not None and made.opened.candidate == winner:
        found["E_test"] = made.opened.less_baseline
    return found


def _too_good(made: "Validation", winner: str, further: Further) -> str:
    """What to check of an error that is too low; empty where somebody has decided about the columns that carry it."""
    carried_by = made.too_good(winner)
    if carried_by is None:
        return ""
    columns = {column for one in carried_by for column in one.columns}
    return "" if columns and columns <= set(further.decided) else too_good.short(carried_by)
