"""Batches of new labelled rows, by the ledger of operations: what was said of each, and what a person decided."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from tasks.outcome.chain import Entry
from tasks.outcome.operations import Of

State = Literal["accepted", "held", "released", "dropped", "replaced"]


@dataclass(frozen=True)
class Batch:
    """New labelled rows of one run, known by the number of their entry; `file` names their identities in the store.

    `first` is a table of which no row was known: it is accepted as it is. `state` says whether runs use the rows; `why`
    is what a person said who released or dropped it. One that was held, and of which a row left the table or has other
    values since, is replaced: its rows that are still there are new, with those that came for the others.

    A batch with rows that `left` is a whole delivery: so many rows of the past are not in the table as they were, and
    its `rows` are new. `file` names those that left; no run uses the table until it has them again, or a person
    releases the delivery: the rows are then no longer expected, and the new ones are examined as any others. Columns
    that are `gone` are why no row is as it was. Rows that were `corrected` are known by data.key, and their content is
    another one: a record, or a whole delivery if it is held.

    With data.key `keys` name its first rows. What was `noticed` holds nothing back; what the last batches `together`
    show is for a person to look at.
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
    gone: tuple[str, ...] = ()
    corrected: int = 0
    noticed: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    who: str = ""
    why: str = ""

    @property
    def used(self) -> bool:
        """Whether runs use its rows, expect them in the table, and compare later rows with them."""
        return self.state in ("accepted", "released") and not self.whole

    @property
    def whole(self) -> bool:
        """Whether it is about rows of the past, and not about new ones."""
        return self.left > 0 or self.corrected > 0


def batches(entries: Iterable[Entry], of: Of) -> list[Batch]:
    """The batches of a data source, the oldest first; one of two that hold the same rows, which two runs met."""
    found: dict[int, Batch] = {}
    files: set[str] = set()
    for entry in of.among(entries):
        said = entry.said
        if entry.kind == "batch" and (said.get("left") or said.get("corrected") or said["file"] not in files):
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
                tuple(said.get("gone", ())),
                int(said.get("corrected", 0)),
                tuple(said.get("noticed", ())),
                tuple(said.get("together", ())),
                tuple(said.get("keys", ())),
            )
        elif entry.kind in ("batch-released", "batch-dropped") and (one := found.get(said["batch"])) is not None:
            state: State = "replaced" if said.get("replaced") else "dropped"
            state = "released" if entry.kind == "batch-released" else state
            if state == "replaced":
                files.discard(one.file)  # the same rows may come again
            found[one.number] = replace(one, state=state, who=entry.who, why=str(said["why"]))
    return [*found.values()]


def examined(past: Iterable[Batch]) -> int:
    """How many batches were compared with rows before them."""
    return sum(not one.first and not one.whole for one in past)
