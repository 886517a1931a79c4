"""A line that `init` prints about a table, by its first word; docs/operations.md lists the words."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """What was found, with the number that shows it and what to do."""

    topic: Literal["parsed", "leak", "time", "groups", "found"]
    text: str


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.3g} %"
