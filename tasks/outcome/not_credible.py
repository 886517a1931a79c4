"""Which intervals of a run cannot be right, since few rows carry the loss (`heldout.intervals.credible`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heldout.records import Estimate
from heldout.selection.doubts import doubts
from tasks.outcome.estimate import Results


@dataclass(frozen=True)
class NotCredible:
    """`lines` are those of not_credible.csv; `of_winner` has the winner's reasons by the name of the estimate."""

    lines: Sequence[tuple[str, str, str]]
    of_winner: dict[str, str]

    def described(self) -> dict[str, Any]:
        """The entry of selection.json."""
        return {"not_credible": self.of_winner}


def look(results: Results, winner: str, records: Sequence[Estimate]) -> NotCredible:
    """Every doubt about the intervals of `records`, and about the differences of the `winner` from the others."""
    of_winner = doubts(results.design, results.evidence, winner, records)
    of_others = [
        (record.candidate, record.estimate, record.not_credible)
        for record in records
        if record.not_credible is not None and record.candidate != winner
    ]
    return NotCredible([*((winner, *reason) for reason in of_winner.items()), *of_others], of_winner)
