"""Every fit of a run: the race among many candidates, then all schemes of those that are left, by one plan."""

import logging

from heldout.errors import BadArgument
from heldout.running.plan import Plan
from heldout.schemes.halvings import Halvings, most
from heldout.selection.race import limit_for, worth_saying
from tasks.fits.fit_results import Fitted
from tasks.fits.race_result import is_run, reason_for_none, remedy
from tasks.fits.run_schemes import StageFits, check_not_all_failed, may_fail
from tasks.params import Settings
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_plans import every_scheme
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


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
    check_not_all_failed(plan, remedy(plan.dropped))
    auto, rows = settings.covalidation.repeats == "auto", len(design.y)
    halvings = plan.halvings or (Halvings(most(rows), most(rows)) if auto else None)
    return Fitted(plan.design, fits.finished(plan), plan.failures, plan.lacking, plan.dropped, halvings)


def _plan(settings: Settings, fits: StageFits, none: str) -> Plan:
    design, runs = fits.design, is_run(settings)
    return fits.plan(
        may_fail=lambda scheme: may_fail(design, scheme, settings.deliver),
        limit=limit_for(none, design.loss) if runs else None,
        finalists=settings.selection.finalists if runs else None,
        by_rule=settings.covalidation.repeats == "auto" and design.dependence.time is None,
    )
