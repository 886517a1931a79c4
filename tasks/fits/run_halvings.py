"""The half models of all candidates: of the halvings that params.yaml names, or in rounds, of as many as are needed."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from heldout.running.stored import Finished
from heldout.schemes.design import Design
from heldout.schemes.halvings import HALVES, Halvings, most
from tasks.fits.run_schemes import StageFits
from tasks.params import Settings
from tasks.storage import files

log = logging.getLogger("heldout")


@dataclass(frozen=True, eq=False)
class HalfFits:
    """The half models by candidate, without those that `failed`, for a reason each, and the `design` of their halvings.

    `halvings` says how many they are where the rule of `heldout.schemes.halvings` decided it; None for a number.
    """

    design: Design
    by_candidate: Mapping[str, Finished]
    failed: Mapping[str, str]
    halvings: Halvings | None = None


def fit_halves(settings: Settings) -> HalfFits:
    """Every half model that is needed; a fit that is stored is not made again. Raises UserError as `fit_all`."""
    files.HALVINGS.unlink(missing_ok=True)  # what an earlier run needed
    fits = StageFits(settings, [HALVES])
    auto, rows = settings.covalidation.repeats == "auto", len(fits.design.y)
    plan = fits.plan(by_rule=auto and fits.design.dependence.time is None)
    fits.carry_out(plan)
    halvings = plan.halvings or (Halvings(most(rows), most(rows)) if auto else None)
    if plan.halvings and plan.left:
        log.info("%s: %d halvings, %s", HALVES, plan.halvings.made, plan.halvings.says)
    return HalfFits(plan.design, fits.finished(plan)[HALVES], plan.failures, halvings)
