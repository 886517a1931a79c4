"""The half models of all candidates: of the halvings that params.yaml names, or in rounds, of as many as are needed."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, half_tested
from heldout.schemes.halvings import Halvings, after_look, looks, most
from tasks.fits.run_schemes import fit_all
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.storage import files

log = logging.getLogger("heldout")
_HALVES: SchemeName = "covalidation"


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
    design = read_design(settings)
    rows = len(design.y)
    if settings.covalidation.repeats != "auto" or design.dependence.time is not None:
        finished, failed = fit_all(settings, [_HALVES], all_may_fail=True)
        found = None if settings.covalidation.repeats != "auto" else Halvings(most(rows), most(rows))
        return HalfFits(design, finished[_HALVES], failed, found)
    return _in_rounds(settings, design)


def _in_rounds(settings: Settings, design: Design) -> HalfFits:
    """Halvings up to each look, until the rule says that no more are needed. `design` has the most."""
    rows, made, failed = len(design.y), 0, dict[str, str]()
    look: int | None = looks(rows)[0]
    while look is not None:
        left = [candidate for candidate in settings.candidates if candidate.name not in failed]
        settings = settings.model_copy(update={"candidates": left})
        finished, reasons = fit_all(settings, [_HALVES], range(2 * made, 2 * look), all_may_fail=True)
        failed |= reasons
        if not finished[_HALVES]:
            return HalfFits(design, {}, failed, Halvings(most(rows), most(rows)))
        made, cut = look, replace(design, halves=design.halves[:look])
        observed = {
            name: half_tested(cut, Evidence({_HALVES: units.losses})) for name, units in finished[_HALVES].items()
        }
        found, look = after_look(observed, made, rows)
    log.info("%s: %d halvings, %s", _HALVES, found.made, found.says)
    return HalfFits(cut, finished[_HALVES], failed, found)
