"""The result of a run: the object that `heldout.validate` returns in a notebook.

`select` reads it from what the fits left, and saves it with the opened test set, for `report` and `heldout.load`.
"""

from dataclasses import replace
from pathlib import Path

from heldout.errors import BadArgument
from heldout.notebook.result import Validation
from heldout.selection.selection import Selection
from tasks.fits.race_result import remedy
from tasks.fits.saved_fits import read_fits
from tasks.fits.stored_models import StoredModels
from tasks.params import Settings
from tasks.params.messages import with_key
from tasks.plans.check_before_fits import check_margin
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files


def read_validation(settings: Settings, folder: Path = files.FITTED) -> Validation:
    """What a saved result knows of the candidates, in the order of the parameters; their losses stay in their file.

    One that failed in E_prog or the half models alone lacks these estimates.
    """
    made, saved = read_fits(settings, folder)
    left = [candidate for candidate in settings.candidates if candidate.name in saved]
    return replace(
        made,
        design=replace(read_design(settings), dropped=len(made.dropped)),
        _fits={one.name: StoredModels(settings, one, saved[one.name]) for one in left},
        criterion=settings.criterion,
        rule=settings.selection.rule,
    )


def choose(settings: Settings, validation: Validation) -> Selection:
    """The winner by `selection.criterion` and `selection.rule`.

    Raises UserError if nothing can be chosen, for a margin that is too large, and for an interval that does not fit.
    """
    if not validation.candidates:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in validation.failed.items())
        further = remedy(validation.dropped)
        raise UserError(f"candidates: all failed ({reasons}), so there is nothing to select; fix at least one{further}")
    check_margin(settings, validation.design)
    try:
        chosen = validation.select(settings.criterion, settings.selection.rule)
    except BadArgument as error:
        of_selection = error.argument in type(settings.selection).model_fields
        raise UserError(with_key(f"{'selection.' * of_selection}{error.argument}", error)) from None
    try:
        _ = validation.baseline
    except BadArgument as error:
        raise UserError(f"the baseline has no interval: {error}") from None
    return chosen
