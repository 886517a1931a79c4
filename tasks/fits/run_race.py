"""The race of a run: block by block of the progressive stream, those that fall behind are dropped."""

import logging
from collections.abc import Sequence

from heldout.errors import BadArgument
from heldout.parts.splits import tested_sizes
from heldout.selection.race import Race, limit_for, worth_saying
from tasks.fits.race_result import STREAM, Raced, is_run, reason_for_none
from tasks.fits.run_schemes import check_not_all_failed, fit_one
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


def run_race(settings: Settings) -> Raced:
    """The race, with the fits that it takes; a candidate that fails leaves it and is not dropped.

    Raises UserError as `fit_all`, and for a loss above a limit that was stated.
    """
    if (none := reason_for_none(settings)) and worth_saying(settings.selection.race, len(settings.candidates)):
        log.info("no race among the %d candidates: %s", len(settings.candidates), none)
    if not is_run(settings):
        return Raced(none=none)
    design = read_design(settings)
    splits = design.splits(STREAM)
    names = [candidate.name for candidate in settings.candidates]
    stream, limit = int(tested_sizes(splits).sum()), limit_for(none, design.loss)
    race = Race.of(names, stream, limit, design.level, settings.selection.finalists)
    failures: dict[str, str] = {}
    for number, split in enumerate(splits):
        if len(race.racing) < 2:
            break
        losses, failed = fit_one(_among(settings, race.racing), STREAM, number)
        failures |= failed
        check_not_all_failed(settings, failures)
        try:
            for name, found in losses.items():
                design.loss.check_losses(found, split.validation, name)
        except BadArgument as error:
            raise UserError(str(error)) from None
        race = race.after(losses)
    log.info("race: %d of %d candidates left out", len(race.dropped), len(names))
    return Raced(race.dropped, none)


def _among(settings: Settings, names: Sequence[str]) -> Settings:
    racing = [candidate for candidate in settings.candidates if candidate.name in names]
    return settings.model_copy(update={"candidates": racing})
