"""The race of a run: block by block of the progressive stream, those that fall behind are dropped."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.selection import race
from heldout.selection.race import STREAM, Race, limit_for, worth_saying
from tasks.fits import race_result
from tasks.fits.race_result import Raced, is_run, reason_for_none
from tasks.fits.run_schemes import AllFailed, check_not_all_failed, fit_all, fit_one
from tasks.params import Settings
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


def run_race(settings: Settings) -> tuple[Raced, dict[str, str]]:
    """The race, with all fits of its stream of those who are left; and the reason of each that failed there.

    One that fails on the stream is not dropped, and drops nobody, also where it fails as the last that is left: the
    race begins again without it, on the fits that are stored. Raises UserError as `fit_all`, and for a loss above a
    limit that was stated.
    """
    check_before_fits(settings)
    if (none := reason_for_none(settings)) and worth_saying(settings.selection.race, len(settings.candidates)):
        log.info("no race among the %d candidates: %s", len(settings.candidates), none)
    if not is_run(settings):
        return Raced(none=none), {}
    failures: dict[str, str] = {}
    while True:
        run = _run(settings, failures, none)
        try:
            failures |= fit_all(_among(settings, run.racing), [STREAM])[1]
        except AllFailed as error:
            failures |= error.failures
        check_not_all_failed(settings, failures)
        if not {*run.racing} & {*failures}:
            log.info("race: %d of %d candidates left out", len(run.dropped), len(settings.candidates))
            failed = tuple(candidate.name for candidate in settings.candidates if candidate.name in failures)
            return Raced(run.dropped, failed, none), failures


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


def _run(settings: Settings, failures: dict[str, str], none: str) -> Race:
    """The race without those of `failures`, to which it adds."""

    def losses_of(names: Sequence[str], number: int) -> Mapping[str, Losses]:
        losses, failed = fit_one(_among(settings, names), STREAM, number)
        failures.update(failed)
        check_not_all_failed(settings, failures)
        return losses

    names = [candidate.name for candidate in settings.candidates if candidate.name not in failures]
    try:
        design = read_design(settings)
        return race.run(names, design, losses_of, limit_for(none, design.loss), settings.selection.finalists)
    except BadArgument as error:
        raise UserError(str(error)) from None


def _among(settings: Settings, names: Sequence[str]) -> Settings:
    racing = [candidate for candidate in settings.candidates if candidate.name in names]
    return settings.model_copy(update={"candidates": racing})
