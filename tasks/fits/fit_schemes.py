"""Every fit of a run: the race among many candidates, then all schemes of those that are left, by one plan."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from heldout.errors import BadArgument
from heldout.running.plan import Plan
from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.schemes.halvings import HALVES, Halvings, most
from heldout.selection.race import limit_for, worth_saying
from tasks.fits.race_result import Raced, is_run, reason_for_none
from tasks.fits.run_schemes import StageFits, check_not_all_failed, may_fail
from tasks.params import Settings
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_plans import every_scheme
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


@dataclass(frozen=True, eq=False)
class Fitted:
    """The fits of a run by scheme and candidate, of those who did not fail as a whole; `design` has their halvings.

    `failures` has the reason of each that failed, `lacking` those of each that failed in a scheme alone, by the scheme.
    `halvings` says how many there are where a rule decided it; None for a number.
    """

    design: Design
    finished: Mapping[SchemeName, Mapping[str, Finished]]
    failures: Mapping[str, str] = field(default_factory=dict)
    lacking: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    raced: Raced = field(default_factory=Raced)
    halvings: Halvings | None = None

    def without_answers(self, reasons: Mapping[str, str]) -> "Fitted":
        """The same where the half models of some candidates do not answer the unlabelled rows."""
        lacking = {name: {**self.lacking.get(name, {}), "disagreement": reason} for name, reason in reasons.items()}
        return replace(self, lacking={**self.lacking, **lacking})


def fit_schemes(settings: Settings) -> Fitted:
    """Every fit that is wanted; one that is stored is not made again.

    Raises UserError before any fit for wrong settings, after them if all candidates failed, and for a loss above a
    limit that was stated.
    """
    check_before_fits(settings)
    if (none := reason_for_none(settings)) and worth_saying(settings.selection.race, len(settings.candidates)):
        log.info("no race among the %d candidates: %s", len(settings.candidates), none)
    design = read_design(settings, every_halving=True)
    fits = StageFits(settings, every_scheme(design), design=design)
    plan = _plan(settings, fits, none)
    try:
        fits.carry_out(plan, measuring=True)
    except BadArgument as error:
        raise UserError(str(error)) from None
    if is_run(settings):
        log.info("race: %d of %d candidates left out", len(plan.dropped), len(settings.candidates))
    raced = Raced(plan.dropped, none)
    check_not_all_failed(plan, raced.remedy)
    auto, rows = settings.covalidation.repeats == "auto", len(design.y)
    halvings = plan.halvings or (Halvings(most(rows), most(rows)) if auto else None)
    if plan.halvings:
        log.info("%s: %d halvings, %s", HALVES, plan.halvings.made, plan.halvings.says)
    return Fitted(plan.design, fits.finished(plan), plan.failures, plan.lacking, raced, halvings)


def _plan(settings: Settings, fits: StageFits, none: str) -> Plan:
    design, runs = fits.design, is_run(settings)
    return fits.plan(
        may_fail=lambda scheme: may_fail(design, scheme, settings.deliver),
        limit=limit_for(none, design.loss) if runs else None,
        finalists=settings.selection.finalists if runs else None,
        by_rule=settings.covalidation.repeats == "auto" and design.dependence.time is None,
    )
