"""The alarm on the rows themselves: evidence that columns, pairs of them or whole rows are distributed otherwise.

Every question of `heldout.unlabelled.row_questions` has the evidence of `share_alarm`; their weighted mean is evidence
too. So without drift it ever reaches 1 / delta with probability delta at most, over all shards and columns together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from heldout.monitoring.share_alarm import ShareAlarm
from heldout.unlabelled.row_questions import Questions

_MOST, _LEAST = 3, 0.1  # subjects that are named, and the part of the wealth that each has


@dataclass(frozen=True, eq=False)
class ColumnAlarm:
    """The evidence after some shards, by `questions` that were made of known rows.

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": np.arange(20.0, 70.0)})
    >>> alarm = ColumnAlarm.of(ages, [ages] * 4).after(ages)
    >>> old = ages[ages["age"] >= 55]
    >>> alarm.raised(0.05), alarm.after(old).raised(0.05), [name for name, *_ in alarm.after(old).carriers()]
    (False, True, ['age'])
    """

    questions: Questions
    shares: ShareAlarm

    @classmethod
    def of(cls, known: Any, reference: Sequence[Any]) -> Self:
        """From data frames of the known rows, and of the shards of the reference, at least one."""
        questions = Questions.of(known)
        answers = [questions.answers(X) for X in reference]
        return cls(questions, ShareAlarm.of([yes for yes, _ in answers], [asked for _, asked in answers]))

    def after(self, X: Any) -> Self:
        """The evidence after one more shard, a data frame of shape (n, p)."""
        return replace(self, shares=self.shares.after(*self.questions.answers(X)))

    @property
    def log(self) -> float:
        """The logarithm of the evidence."""
        return float(np.logaddexp.reduce(self.shares.logs + np.log(self.questions.weights)))

    @property
    def value(self) -> float:
        """The evidence; of more than 1e300, 1e300."""
        return math.exp(min(self.log, 300 * math.log(10)))

    def raised(self, delta: float) -> bool:
        """Whether the evidence has reached 1 / delta; without drift it ever does so with probability delta at most."""
        return self.log >= -math.log(delta)

    def carriers(self) -> list[tuple[str, float, int]]:
        """The subjects that hold the wealth, at most three: the name, its part of all, and its strongest question."""
        logs = self.shares.logs + np.log(self.questions.weights)
        parts = np.exp(logs - np.logaddexp.reduce(logs))
        held: dict[str, list[int]] = {}
        for place, subject in enumerate(self.questions.subjects):
            held.setdefault(subject, []).append(place)
        found = [
            (subject, float(parts[places].sum()), places[int(parts[places].argmax())])
            for subject, places in held.items()
        ]
        most = sorted(found, key=lambda one: -one[1])[:_MOST]
        return [one for one in most if one[1] >= _LEAST] or most[:1]
