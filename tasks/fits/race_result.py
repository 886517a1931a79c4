"""What a race left: which candidates were dropped, in data/results/race.json, and which the later stages fit."""

from dataclasses import asdict, dataclass
from typing import Any

from heldout.selection.race import STREAM, Dropped, chooses, why_none
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, stage_settings


@dataclass(frozen=True)
class Raced:
    """Which candidates a race dropped, in the order in which they left it, and which `failed` on its stream.

    `none` says why nobody could be dropped by evidence.
    """

    dropped: tuple[Dropped, ...] = ()
    failed: tuple[str, ...] = ()
    none: str = ""

    def left(self, settings: Settings) -> Settings:
        """The settings with the candidates that were not dropped and did not fail."""
        gone = {*self.failed, *(one.candidate for one in self.dropped)}
        kept = [candidate for candidate in settings.candidates if candidate.name not in gone]
        return settings.model_copy(update={"candidates": kept})

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


def write(raced: Raced) -> None:
    """Write data/results/race.json."""
    files.write_json(files.RACE, {"dropped": raced.described(), "failed": raced.failed, "none": raced.none})


def read(settings: Settings) -> Raced:
    """The race of these settings. Raises UserError if it has not been run, or on other rows or settings."""
    if not is_run(settings):
        return Raced(none=reason_for_none(settings))
    if not stage_settings.made_with(STREAM, settings):
        raise UserError(
            f"the race among the candidates was not run with these settings; run `{COMMAND} progressive` first, "
            "or set selection.race to off, and selection.finalists to null"
        )
    return _stored()


def known(settings: Settings) -> tuple[Raced | None, bool]:
    """The last race with these settings, None where there is none, and whether it was run on the present rows."""
    if not is_run(settings) or not stage_settings.made_with(STREAM, settings, any_rows=True):
        return None, False
    return _stored(), stage_settings.made_with(STREAM, settings)


def _stored() -> Raced:
    stored = files.read_json(files.RACE)
    dropped = tuple(Dropped(**one) for one in stored["dropped"])
    return Raced(dropped, tuple(stored["failed"]), stored["none"])
