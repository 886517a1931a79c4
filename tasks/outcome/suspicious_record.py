"""The record of a winner whose error is too low to be believed, as selection.json holds it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from heldout.diagnosis import too_good
from heldout.diagnosis.too_good import Carrier


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
