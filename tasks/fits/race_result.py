"""Whether candidates race, and whom the last race dropped."""

from collections.abc import Sequence

from heldout.selection.race import Dropped, chooses, why_none
from tasks.fits import saved_fits
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.storage import stage_settings


def remedy(dropped: Sequence[Dropped]) -> str:
    """What helps where all that are left fail; empty where a race dropped none."""
    if not dropped:
        return ""
    return (
        "; or remove those that failed from candidates, or set selection.race to off and selection.finalists to "
        f"null: the {len(dropped)} that were left out are then fitted, and finished fits are used again"
    )


def reason_for_none(settings: Settings) -> str:
    """Why these settings have no race; empty where they have one."""
    design, selection = read_design(settings), settings.selection
    return why_none(
        selection.race, len(settings.candidates), design.loss, design.dependence.kind, nested=settings.nested
    )


def is_run(settings: Settings) -> bool:
    """Whether the candidates run for the later fits: in a race, or since not all of them can be finalists."""
    return not reason_for_none(settings) or chooses(settings.selection.finalists, len(settings.candidates))


def known(settings: Settings) -> tuple[Sequence[Dropped] | None, bool]:
    """Those whom the last race with these settings dropped, in the order in which they left it, None where there was no
    race; and whether it was run on the present rows.
    """
    if not is_run(settings) or not stage_settings.made_with("fit", settings, any_rows=True):
        return None, False
    return saved_fits.read_fits(settings)[0].dropped, stage_settings.made_with("fit", settings)
