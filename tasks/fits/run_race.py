"""The race of a run: block by block of the progressive stream, those that fall behind are dropped."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from heldout.errors import BadArgument
from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.selection.race import STREAM, limit_for, worth_saying
from tasks.fits import race_result
from tasks.fits.race_result import Raced, is_run, reason_for_none
from tasks.fits.run_schemes import AllFailed, StageFits, check_not_all_failed, fit_all
from tasks.params import Settings
from tasks.plans.check_before_fits import check_before_fits
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


def run_race(settings: Settings) -> tuple[Raced, dict[str, str]]:
    """The race, with all fits of its stream of those who are left; and the reason of each that failed there.

    One that fails on the stream is not dropped, and drops nobody (`heldout.running.plan`). Raises UserError as
    `fit_all`, and for a loss above a limit that was stated.
    """
    check_before_fits(settings)
    if (none := reason_for_none(settings)) and worth_saying(settings.selection.race, len(settings.candidates)):
        log.info("no race among the %d candidates: %s", len(settings.candidates), none)
    if not is_run(settings):
        return Raced(none=none), {}
    fits = StageFits(settings, [STREAM])
    plan = fits.plan(limit=limit_for(none, fits.design.loss), finalists=settings.selection.finalists)
    try:
        fits.carry_out(plan, measuring=True)
    except BadArgument as error:
        raise UserError(str(error)) from None
    check_not_all_failed(settings, plan.failures)
    log.info("race: %d of %d candidates left out", len(plan.dropped), len(settings.candidates))
    return Raced(plan.dropped, tuple(plan.failures), none), plan.failures


def fit_left(
    settings: Settings, names: Sequence[SchemeName], *, measuring: bool = False
) -> tuple[Settings, dict[str, dict[str, Finished]], dict[str, str]]:
    """`fit_all` of those that the race left, and the settings with these. Raises UserError as `fit_all`."""
    with among_left(settings) as left:
        return left, *fit_all(left, names, measuring=measuring)


@contextmanager
def among_left(settings: Settings) -> Iterator[Settings]:
    """The settings with those that the race left. Where all of them fail, the error names what helps."""
    raced = race_result.read(settings)
    try:
        yield raced.left(settings)
    except AllFailed as error:
        raise UserError(f"{error}{raced.remedy}") from None
