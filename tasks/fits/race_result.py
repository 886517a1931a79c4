"""What a race left: which candidates were dropped."""

from dataclasses import asdict, dataclass
from typing import Any

from heldout.selection.race import Dropped, chooses, why_none
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.storage import files, stage_settings


@dataclass(frozen=True)
class Raced:
    """Which candidates a race dropped, in the order in which they left it.

    `none` says why nobody could be dropped by evidence.
    """

    dropped: tuple[Dropped, ...] = ()
    none: str = ""

    def described(self) -> list[dict[str, Any]]:
        """The entry of selection.json."""
        return [asdict(one) for one in self.dropped]

    @property
    def remedy(self) -> str:
        """What helps where all that are left fail; empty where none was dropped."""
        if not self.dropped:
            return ""
        return (
            "; or remove those that failed from candidates, or set selection.race to off and selection.finalists to "
            f"null: the {len(self.dropped)} that were left out are then fitted, and finished fits are used again"
        )


def reason_for_none(settings: Settings) -> str:
    """Why these settings have no race; empty where they have one."""
    design, selection = read_design(settings), settings.selection
    return why_none(
        selection.race, len(settings.candidates), design.loss, design.dependence.kind, nested=selection.nested
    )


def is_run(settings: Settings) -> bool:
    """Whether the candidates run for the later fits: in a race, or since not all of them can be finalists."""
    return not reason_for_none(settings) or chooses(settings.selection.finalists, len(settings.candidates))


def read() -> Raced:
    """The race of the last run."""
    stored = files.read_fits_record()
    return Raced(tuple(Dropped(**one) for one in stored["dropped"]), stored["no_race"])


def known(settings: Settings) -> tuple[Raced | None, bool]:
    """The last race with these settings, None where there is none, and whether it was run on the present rows."""
    if not is_run(settings) or not stage_settings.made_with("fit", settings, any_rows=True):
        return None, False
    return read(), stage_settings.made_with("fit", settings)
