"""What a fit of a candidate costs, as far as a run on these rows has measured it on this machine.

It decides how fits are grouped into tasks and which task is first, and people read it. It changes no result.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from heldout import digests
from tasks.params import Candidate
from tasks.storage import fit_cache


@dataclass(frozen=True)
class FitCost:
    """The seconds of a fit and test for each training row, the microseconds of a prediction, and the stored bytes."""

    seconds_a_row: float
    microseconds: float | None = None
    size: int | None = None

    def of_all(self, rows: int) -> dict[str, float]:
        """The seconds of a fit on so many rows, the microseconds and the bytes, as far as they were measured."""
        measured = {"prediction_microseconds": self.microseconds, "model_bytes": self.size}
        known = {name: float(number) for name, number in measured.items() if number is not None}
        return {"fit_seconds": self.seconds_a_row * rows, **known}

    def text(self, rows: int) -> str:
        """The same in a line."""
        prediction = "" if self.microseconds is None else f", {self.microseconds:.3g} µs a prediction"
        size = "" if self.size is None else f", a model of {self.size / 1024:.3g} KiB"
        return f"{self.seconds_a_row * rows:.2g} s a fit{prediction}{size}, on this machine"


def note(candidate: Candidate, labeled: str, cost: FitCost) -> None:
    """Store a cost, unless a fit that took less is known: a first one also waits for imports.

    `labeled` is the hash of the rows' file.
    """
    before = known(candidate, labeled)
    if before is None or cost.seconds_a_row < before.seconds_a_row:
        fit_cache.store.save(_key(candidate, labeled), cost)


def known(candidate: Candidate, labeled: str) -> FitCost | None:
    """The cost, None before one was measured."""
    key = _key(candidate, labeled)
    if not fit_cache.store.has(key):
        return None
    cost: FitCost = fit_cache.store.load(key)
    return cost


def of_each(candidates: Iterable[Candidate], labeled: str) -> dict[str, FitCost]:
    """The costs that are known, by the names of the candidates."""
    found = {candidate.name: known(candidate, labeled) for candidate in candidates}
    return {name: cost for name, cost in found.items() if cost is not None}


def _key(candidate: Candidate, labeled: str) -> str:
    return digests.key("cost", candidate.fit_identity(), labeled)
