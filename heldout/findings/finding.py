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

    `decide` is what to decide in params.yaml, whose `keys` answer the finding about `columns`. `init` did what `done`
    says. Where it did not look, nothing was done: then the severity is `undone`, and `asked` what to decide, which
    `asked_by` answers, where these are others. Without a params.yaml `in_python` is what to decide. `code` is that of
    the check (`heldout.findings.checks`), empty for what is said of a file.
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
    asked: str = ""
    asked_by: tuple[Key, ...] = ()
    code: str = ""

    def not_done(self) -> "Finding":
        """The finding where nobody did anything about it."""
        return replace(
            self,
            severity=self.undone or self.severity,
            done="",
            decide=self.asked or self.decide,
            keys=self.asked_by or self.keys,
            undone=None,
            in_python="",
            asked="",
            asked_by=(),
        )

    def without_params(self) -> "Finding":
        """The finding where there is no params.yaml."""
        return replace(self.not_done(), decide=self.in_python or self.decide, keys=())
