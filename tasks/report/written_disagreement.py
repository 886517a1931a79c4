"""How disagreements, and the shards that they are about, are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from heldout.printable import plain
from tasks.report.summary import Summary


@dataclass(frozen=True)
class Scale:
    """Shares in percent, mean distances as they are; `unit` is what follows the name of a column."""

    factor: int
    unit: str

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """Of the loss that compares answers."""
        compared_by = summary.loss.disagreement_loss or summary.loss
        return cls(100, ", %") if compared_by.binary else cls(1, "")

    def text(self, value: float) -> str:
        """A disagreement."""
        return f"{100 * value:.1f}" if self.factor == 100 else plain(value)

    def ends(self, line: Mapping[Any, Any]) -> str:
        """The interval of a line, if there is one."""
        return "–" if pd.isna(line["low"]) else f"{self.text(line['low'])} to {self.text(line['high'])}"


def shard_name(line: Mapping[Any, Any]) -> str:
    """The user's file; for rows of the data the name of the prepared shard."""
    return str(line["shard"]) if pd.isna(line["file"]) else str(line["file"])
