"""The e-processes of the pairs of a champion over the nights, and the rows that they used: decision 36."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tasks.outcome.contest import PairRecord, Promotion
from tasks.storage.row_ids import WORD, Ids


@dataclass(frozen=True, eq=False)
class EProcesses:
    """Those of a champion, `against`: the record of each pair and its time, and the pair and time of each row `used`.

    Times are those of the runs, in milliseconds. `number` counts the nights: a later one has a higher.
    """

    against: str
    records: Mapping[str, Any] = field(default_factory=dict)
    used: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({WORD: [], "pair": [], "at": []}))
    number: int = 0

    def record(self, pair: str, restored: int) -> PairRecord:
        """The record of a pair, without what it won before the champion was restored by a rollback."""
        found = self.records.get(pair)
        return PairRecord() if found is None or found["at"] < restored else PairRecord.parsed(found)

    def spent(self, pair: str, known_since: int) -> Ids:
        """The rows that the pair may not use: its own, and all others from before its learner was known.

        A learner that was thought of after a look at the outcome on some rows may have been chosen by them.
        """
        own = (self.used["pair"] == pair) | (self.used["at"] < known_since)
        return self.used[WORD][own].to_numpy(np.uint64)

    def of_pair(self, pair: str) -> Ids:
        """The rows that the pair has used."""
        return self.used[WORD][self.used["pair"] == pair].to_numpy(np.uint64)

    def after(self, pair: str, decision: Promotion, at: int) -> "EProcesses":
        """With the rows of a night."""
        if decision.record is None:
            return self
        tonight = pd.DataFrame({WORD: decision.used, "pair": pair, "at": at})
        used = pd.concat([self.used, tonight]) if len(self.used) else tonight
        records = {**self.records, pair: {**decision.record.numbers(), "at": at}}
        return EProcesses(self.against, records, used, self.number + 1)
