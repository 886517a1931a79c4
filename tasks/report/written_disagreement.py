"""How disagreements, and the shards that they are about, are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from heldout.losses import Loss, amounts
from tasks.report.summary import Summary


@dataclass(frozen=True)
class Scale:
    """Shares in percent, distances in units of the target; `compared_by` is the loss that compares answers."""

    compared_by: Loss

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """That of a run."""
        return cls(summary.loss.disagreement_loss or summary.loss)

    @property
    def unit(self) -> str:
        """What follows the name of a column."""
        if self.compared_by.binary:
            return ", %"
        return ", root mean square" if self.compared_by.power == 2 else ""

    def shown(self, values: Any) -> Any:
        """The numbers that people read: a number or an array."""
        return amounts.shown(values, self.compared_by)

    def text(self, value: float) -> str:
        """A disagreement."""
        return amounts.number(value, self.compared_by)

    def ends(self, line: Mapping[Any, Any]) -> str:
        """The interval of a line, if there is one."""
        return "–" if pd.isna(line["low"]) else f"{self.text(line['low'])} to {self.text(line['high'])}"


def shard_name(line: Mapping[Any, Any]) -> str:
    """The user's file; for rows of the data the name of the prepared shard."""
    return str(line["shard"]) if pd.isna(line["file"]) else str(line["file"])
