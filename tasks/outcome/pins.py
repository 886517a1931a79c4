"""A rollback pins the line of the replaced champion: by the ledger of operations, which lines may not come back.

A line is a name of a candidate, or a learner with its settings: a later version of either is of the line. It comes back
if a person releases it, or on fresh evidence. The rule (decision 36): of the test set count only rows that were not
there when a run first looked after the rollback; the capital begins at 1, and must reach 2^r / (1 - level) after the
r-th rollback of the line since it was last released.

Promise: of a pair of the line and a champion than which it errs no less, the capital after the r-th rollback ever
reaches that with probability (1 - level) / 2^r at most (Ville, on rows on which the pair has not bet before). The sum
over r = 0, 1, … is 2 (1 - level): the pair is ever promoted with this probability at most, however often it is rolled
back. Without the factor each rollback would give it 1 - level again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from heldout.monitoring.promotion import needed
from tasks.outcome.chain import Entry
from tasks.outcome.contest import Promotion
from tasks.outcome.operations import Of
from tasks.runtime.own_code import COMMAND


@dataclass(frozen=True)
class Pin:
    """A line that may not come back: the entry of its last rollback, and how often it was rolled back."""

    entry: int
    time: str
    who: str
    version: str
    candidate: str
    learner: str
    rollbacks: int

    def holds(self, candidate: str, learner: str) -> bool:
        """Whether a winner is of the line."""
        return candidate == self.candidate or learner == self.learner

    def level(self, level: float) -> float:
        """The level that fresh evidence needs, where other lines need `level`."""
        return 1 - (1 - level) * 0.5**self.rollbacks

    def explained(self, level: float) -> str:
        """Since when the line is pinned, and what brings it back."""
        capital = math.exp(needed(self.level(level)))
        return (
            f"{self.candidate} is pinned since {self.who} rolled version {self.version} back on {self.time[:10]} "
            f"(entry {self.entry} of the ledger); it comes back if rows that are new since the first run after that "
            f"give a capital of {capital:.3g}, or at once after `{COMMAND} rollback --release {self.candidate}`"
        )


def pins(entries: Iterable[Entry], of: Of) -> tuple[Pin, ...]:
    """The pins that hold for a registered name and its source, the oldest first."""
    held: dict[str, Pin] = {}  # by the candidate
    rolled_back: dict[str, set[str]] = {}  # versions of the line, since its last release
    for entry in of.among(entries):
        said = entry.said
        if entry.kind == "rollback" and "candidate" in said:
            candidate, version = said["candidate"], said["instead_of"]
            # a set: a command that was killed before it moved the alias says the same version again
            versions = rolled_back.setdefault(candidate, set())
            versions.add(version)
            held.pop(candidate, None)
            held[candidate] = Pin(
                entry.number, entry.time, entry.who, version, candidate, said["learner"], len(versions)
            )
        elif entry.kind == "release":
            for candidate in said["candidates"]:
                held.pop(candidate, None)
                rolled_back.pop(candidate, None)
        elif entry.kind == "champion":
            for candidate in [name for name, pin in held.items() if pin.holds(said["candidate"], said["learner"])]:
                del held[candidate]  # its rollbacks still count
    return tuple(held.values())


def pin_of(held: Iterable[Pin], candidate: str, learner: str) -> Pin | None:
    """The pin that a winner has to outweigh: of several, that with the most rollbacks."""
    return max((pin for pin in held if pin.holds(candidate, learner)), key=lambda pin: pin.rollbacks, default=None)


def against_pin(pin: Pin, level: float, free: Promotion, fresh: Promotion) -> Promotion:
    """The decision about a pinned winner: by the `fresh` rows alone; `free` is what it would be without the pin."""
    if fresh.promoted != "no":
        return replace(fresh, reason=f"{fresh.reason}; it outweighs the pin of entry {pin.entry}", pin=pin.entry)
    prevented = free.promoted != "no"
    lead = "a pin prevents the promotion" if prevented else "pinned"
    reason = f"{lead}: {pin.explained(level)}. By new rows it is {fresh.reason}"
    return replace(fresh, reason=reason, pin=pin.entry, prevented=prevented)


def prevented_before(pin: Pin, entries: Iterable[Entry]) -> bool:
    """Whether an earlier run was prevented by the pin, and said so."""
    return any(
        entry.said.get("pin") == pin.entry and entry.said["prevented"] for entry in entries if entry.kind == "contest"
    )
