"""Whether to ship a candidate of `heldout.validate`; the rule is `heldout.decision.ship`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heldout.decision import ship
from heldout.decision.ship import Decision, Known, Planned
from heldout.diagnosis import too_good
from heldout.diagnosis.too_good import Carrier
from heldout.estimates import criteria, scheme_of
from heldout.fits import baseline
from heldout.metrics.answered_rows import ask_held_out
from heldout.metrics.skill import Skill, shown_skill
from heldout.notebook.candidate_fits import CandidateFits
from heldout.parts import class_shares
from heldout.records import Difference
from heldout.schemes.design import Design, Evidence, tested
from heldout.selection.selected import Selection

if TYPE_CHECKING:
    from heldout.notebook.result import Validation


def decided(made: "Validation", chosen: Selection, design: Design, evidence: Evidence, fits: CandidateFits) -> Decision:
    """The decision about the candidate that was `chosen`, with its `evidence` and `fits`."""
    winner, values = chosen.selected, chosen.values
    compares_by = criteria.compares_by(chosen.criterion)
    beaten = made.beats_baseline(winner, compares_by)
    carried_by = doubted(made, winner, design, fits)
    return ship.decide(
        Known(
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
            skill=None if beaten else _skill(design, evidence, fits),
            not_credible=made.not_credible(winner),
            too_good="" if carried_by is None else too_good.short(carried_by),
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
    """E_cv, or 1 - a metric, of the winner less that of the baseline, by its name; empty where it was not computed."""
    found = [record for record in made.differences(winner, estimate) if record.against == baseline.NAME]
    return {estimate: found[0]} if found else {}


def doubted(made: "Validation", winner: str, design: Design, fits: CandidateFits) -> Sequence[Carrier] | None:
    """The columns that carry an error which is too low to be believed, by E_cv or else E_val; None where it is not."""
    of_baseline = made.judged
    if of_baseline is None:
        return None
    error = next(one.value for one in made.estimates if (one.candidate, one.estimate) == (winner, of_baseline.estimate))
    if not too_good.is_too_low(error, of_baseline.value):
        return None
    scheme = scheme_of(of_baseline.estimate)
    hypothesis, split = fits.hypotheses(scheme)[0], design.splits(scheme)[0]
    return too_good.carriers(hypothesis, fits.X, design, split, of_baseline.value)


def _skill(design: Design, evidence: Evidence, fits: CandidateFits) -> Skill | None:
    """What the hold-out hypothesis is shown to have learned; None without E_val, and for several labels a row."""
    if "E_val" not in design.estimates or design.loss.labels > 1:
        return None
    held_out = design.splits("holdout")[0].validation
    observed = tested(design, evidence, "holdout")
    answered = ask_held_out(fits.hypotheses("holdout")[0], fits.X, design.y, held_out, observed)
    return shown_skill(answered, design.level, "held-out rows")
