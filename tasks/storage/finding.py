"""What `init` found in a table: a record for each finding."""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from heldout.selection.decision import Severity

Topic = Literal["parsed", "leak", "time", "groups", "found"]
Key = Literal["data.time", "data.groups", "data.drop", "data.known_after", "split.duplicates", "loss"]


class Finding(BaseModel):
    """What was found, the numbers that show it, what `init` did about it, and what a person should decide.

    `keys` are the keys of params.yaml that answer it, about `columns`; `decided` says why it is settled.
    """

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

    findings: tuple[Finding, ...] = ()
    remark: str = ""
