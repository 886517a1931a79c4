"""What `init` found in a table: a record for each finding, as findings.yaml has it."""

from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from heldout.findings import finding
from heldout.findings.finding import Key, Severity, Topic


class RecordedFinding(BaseModel):
    """A finding of `heldout.findings.finding`, or one about a file; `decided` says why it is settled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: Topic
    text: str
    severity: Severity = "note"
    columns: tuple[str, ...] = ()
    evidence: dict[str, float] = {}
    done: str = ""
    decide: str = ""
    keys: tuple[Key, ...] = ()
    decided: str = ""

    def __init__(self, *topic_and_text: str, **named: Any) -> None:
        super().__init__(**dict(zip(("topic", "text"), topic_and_text, strict=False)), **named)

    @classmethod
    def of(cls, found: finding.Finding) -> Self:
        """What an examination found, as a run of the pipeline has it."""
        return cls(**{name: value for name, value in vars(found).items() if name in cls.model_fields})

    @property
    def line(self) -> str:
        """The finding in a line."""
        done = f"; {self.done}" if self.done else ""
        return f"{self.text}{done}{f': {self.decide}' if self.decide else ''}"

    @property
    def open(self) -> bool:
        """Whether somebody should decide about it."""
        return self.severity != "note" and not self.decided


@dataclass(frozen=True)
class Found:
    """The findings that count for a run, and a remark where the file is about another table, or an earlier one."""

    findings: tuple[RecordedFinding, ...] = ()
    remark: str = ""
