"""Batches of new labelled rows, by the ledger of operations: what was said of each, and what a person decided."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from tasks.outcome.chain import Entry
from tasks.outcome.operations import Of

State = Literal["accepted", "held", "released", "dropped"]


@dataclass(frozen=True)
class Batch:
    """New labelled rows of one run, known by the number of their entry; `file` names their identities in the store.

    `first` is a table of which no row was known: it is accepted as it is. `state` says whether runs use the rows; `why`
    is what a person said who released or dropped it.

    A batch with rows that `left` is a whole delivery: so many rows of the past are not in the table as they were, and
    its `rows` are new. `file` names those that left; no run uses the table until it has them again, or a person
    releases the delivery: the rows are then no longer expected, and the new ones are examined as any others.
    """

    number: int
    time: str
    rows: int
    first: bool
    state: State
    reasons: tuple[str, ...]
    not_asked: tuple[str, ...]
    file: str
    left: int = 0
    who: str = ""
    why: str = ""

    @property
    def used(self) -> bool:
        """Whether runs use its rows, expect them in the table, and compare later rows with them."""
        return self.state in ("accepted", "released") and not self.left


def batches(entries: Iterable[Entry], of: Of) -> list[Batch]:
    """The batches of a data source, the oldest first; one of two that hold the same rows, which two runs met."""
    found: dict[int, Batch] = {}
    files: set[str] = set()
    for entry in of.among(entries):
        said = entry.said
        if entry.kind == "batch" and (said.get("left") or said["file"] not in files):
            files.add(said["file"])
            found[entry.number] = Batch(
                entry.number,
                entry.time,
                int(said["rows"]),
                said["verdict"] == "first",
                "held" if said["verdict"] == "held" else "accepted",
                tuple(said["reasons"]),
                tuple(said["not_asked"]),
                str(said["file"]),
                int(said.get("left", 0)),
            )
        elif entry.kind in ("batch-released", "batch-dropped") and (one := found.get(said["batch"])) is not None:
            state: State = "released" if entry.kind == "batch-released" else "dropped"
            found[one.number] = replace(one, state=state, who=entry.who, why=str(said["why"]))
    return [*found.values()]


def examined(past: Iterable[Batch]) -> int:
    """How many batches were compared with rows before them."""
    return sum(not one.first and not one.left for one in past)
