"""A finding about a table: what `heldout.audit` lists, and `python -m flows init` writes to table_checks.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Severity = Literal["note", "care", "stop"]
Topic = Literal["parsed", "leak", "time", "groups", "found", "batch"]
Key = Literal["data.time", "data.groups", "data.drop", "data.known_after", "split.duplicates", "loss"]


@dataclass(frozen=True)
class Finding:
    """What was found, the numbers that show it, what `init` did about it, and what a person should decide.

    `decide` is what to decide in params.yaml, whose `keys` answer the finding about `columns`. Where there is no
    params.yaml, nothing was done: then the severity is `undone`, if that is another, and `in_python` what to decide.
    """

    topic: Topic
    text: str
    severity: Severity = "note"
    columns: tuple[str, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)
    done: str = ""
    decide: str = ""
    keys: tuple[Key, ...] = ()
    undone: Severity | None = None
    in_python: str = ""

    def without_params(self) -> "Finding":
        """The finding where there is no params.yaml."""
        decide = self.in_python or self.decide
        return replace(
            self, severity=self.undone or self.severity, done="", decide=decide, keys=(), undone=None, in_python=""
        )
