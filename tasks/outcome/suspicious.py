"""A winner whose error is too low to be believed, and the columns that carry it (`heldout.diagnosis.too_good`)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from heldout.diagnosis import too_good
from heldout.diagnosis.too_good import Carrier
from heldout.schemes.design import cross_validated
from tasks.storage import files

if TYPE_CHECKING:
    from tasks.outcome.estimate import Results


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


def look(results: "Results", winner: str, g_minus: Any, of_baseline: float) -> Suspicious | None:
    """What carries an E_cv below a hundredth of the baseline's, by the hold-out hypothesis of the winner; else None."""
    design = results.design
    E_cv = cross_validated(design, results.evidence[winner]).error
    if not too_good.is_too_low(E_cv, of_baseline):
        return None
    X, _ = files.read_table(files.LABELED)
    (split,) = design.splits("holdout")
    return Suspicious(E_cv, too_good.carriers(g_minus, X, design, split, of_baseline))
