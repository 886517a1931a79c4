"""A winner whose error is too low to be believed, and the columns that carry it (`heldout.diagnosis.too_good`)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from heldout.diagnosis import too_good
from heldout.diagnosis.too_good import Carrier
from heldout.notebook.result import Validation


@dataclass(frozen=True)
class Suspicious:
    """The winner's E_cv, and the columns that carry the error of its hold-out hypothesis."""

    E_cv: float
    carriers: tuple[Carrier, ...]

    def described(self) -> dict[str, Any]:
        """The entry of selection.json."""
        return {"suspicious": asdict(self)}

    @property
    def short(self) -> str:
        """What to check, in some words."""
        return too_good.short(self.carriers)

    @classmethod
    def read(cls, selection: Mapping[str, Any]) -> "Suspicious | None":
        """The entry of selection.json, None where the winner is not suspicious."""
        entry = selection.get("suspicious")
        if entry is None:
            return None
        return cls(entry["E_cv"], tuple(Carrier(tuple(one["columns"]), one["error"]) for one in entry["carriers"]))


def look(validation: Validation) -> Suspicious | None:
    """What is said of the winner; None where nothing is."""
    carriers = validation.too_good()
    return None if carriers is None else Suspicious(validation[validation.winner]["E_cv"].value, carriers)
