"""The bets on a champion over the nights, and the rows that are spent by them: decision 36."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tasks.outcome.contest import PairRecord, Promotion
from tasks.storage.row_ids import WORD, Ids


@dataclass(frozen=True, eq=False)
class Book:
    """What was bet on a champion, `against`: the record of each pair and its time, and the pair and time of each row.

    Times are those of the runs, in milliseconds. `number` counts the nights: the book of a later one has a higher.
    """

    against: str
    records: Mapping[str, Any] = field(default_factory=dict)
    bets: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({WORD: [], "pair": [], "at": []}))
    number: int = 0

    def record(self, pair: str, restored: int) -> PairRecord:
        """The record of a pair, without what it won before the champion was restored by a rollback."""
        found = self.records.get(pair)
        return PairRecord() if found is None or found["at"] < restored else PairRecord.parsed(found)

    def spent(self, pair: str, known_since: int) -> Ids:
        """The rows on which the pair may not bet: its own, and all others from before its learner was known.

        A learner that was thought of after a look at the outcome on some rows may have been chosen by them.
        """
        own = (self.bets["pair"] == pair) | (self.bets["at"] < known_since)
        return self.bets[WORD][own].to_numpy(np.uint64)

    def of_pair(self, pair: str) -> Ids:
        """The rows on which the pair has bet."""
        return self.bets[WORD][self.bets["pair"] == pair].to_numpy(np.uint64)

    def after(self, pair: str, decision: Promotion, at: int) -> "Book":
        """The book with the bets of a night."""
        if decision.record is None:
            return self
        tonight = pd.DataFrame({WORD: decision.bets, "pair": pair, "at": at})
        bets = pd.concat([self.bets, tonight]) if len(self.bets) else tonight
        records = {**self.records, pair: {**decision.record.numbers(), "at": at}}
        return Book(self.against, records, bets, self.number + 1)
