"""Questions with the answer yes or no about a row: about each column, about pairs of columns, and about the whole row.

They are made of the known rows alone, the labelled ones, before any other row is seen: so the answers of rows that are
independent draws of a population are independent draws themselves, whatever the known rows are, and evidence by their
shares keeps its promise (`heldout.monitoring.share_alarm`).

- A column of numbers: is the value above each of five quantiles, is it outside of the range? Another column: which of
  the ten most frequent values, or none of them? Asked of the rows without a gap there. And of all: is there a gap?
- A pair: are both values in the upper half (or the most frequent ones), or both not? Of many pairs those are asked
  about that go together most in the known rows. Asked of the rows without a gap in both.
- The row: is it further from the nearest known row than each of five quantiles (`nearest_row`)?

Where columns go together otherwise than before, no column alone changes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.rows.columns import Kind, columns_of, kinds
from heldout.unlabelled.nearest_row import KnownRows
from heldout.unlabelled.plain_values import Values, plain_columns, plain_values

QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
MOST_VALUES, MOST_PAIRS = 10, 200
_PAIRED = 1000  # columns, the first, of which pairs are sought
_STAKES = {1: 0.5, 2: 0.25, 0: 0.25}  # of all questions about a column, a pair, the whole row
_MIDDLE = (0.1, 0.9)  # quantiles, between which values are said to lie

Asks = Literal["above", "outside", "is", "other", "gap", "together", "far"]


@dataclass(frozen=True)
class Question:
    """One question, `asks`, about no column (the whole row), one or two; `value` is a number, a range or a name."""

    about: tuple[str, ...]
    asks: Asks
    value: Any = None

    @property
    def subject(self) -> str:
        """What it is about."""
        return " with ".join(self.about) or "the whole row"

    def __str__(self) -> str:
        """The clause that is true of a row that answers yes."""
        match self.asks:
            case "above":
                return f"{self.subject} is above {self.value:.4g}"
            case "outside":
                return f"{self.subject} is outside of {self.value[0]:.4g} to {self.value[1]:.4g}"
            case "is":
                return f"{self.subject} is {self.value}"
            case "other":
                return f"{self.subject} is none of the {self.value} usual values"
            case "gap":
                return f"{self.subject} is missing"
            case "together":
                high = [f"{name} {_half(of)}" for name, of in zip(self.about, self.value, strict=True)]
                return f"both or neither of {high[0]} and {high[1]}"
            case _:
                return f"the nearest labelled row is further than {self.value:.4g}"


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions about rows with columns `of_kind`; distances go to the `known` rows, None where they are not asked for.

    Those about one subject follow each other: first each column, in order, then pairs, then the whole row.

    Examples
    --------
    >>> import pandas as pd
    >>> asked = Questions.of(pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0, 60.0]}))
    >>> [str(one) for one in asked.questions if one.asks in ("outside", "gap")]
    ['age is outside of 20 to 60', 'age is missing']
    >>> yes, rows = asked.answers(pd.DataFrame({"age": [55.0, 70.0, None]}))
    >>> [int(yes[place]) for place, one in enumerate(asked.questions) if one.asks in ("outside", "gap")]
    [1, 1]
    """

    questions: Sequence[Question]
    of_kind: Sequence[Kind]
    known: KnownRows | None

    @classmethod
    def of(cls, known: Any) -> Self:
        """From the known rows, a data frame of shape (m, p)."""
        of_kind = kinds(known)
        columns = plain_columns(known, [*of_kind.values()])
        names = [str(name) for name in of_kind]
        questions = [
            one
            for name, kind, values in zip(names, of_kind.values(), columns, strict=True)
            for one in _about(name, kind, *values)
        ]
        if len(known) < 2 or len(names) < 2:
            return cls(questions, [*of_kind.values()], None)
        rows = KnownRows.of(columns)
        far = [Question((), "far", cut) for cut in _cuts(rows.own_distances(), last=True)]
        return cls([*questions, *_pairs(names, columns), *far], [*of_kind.values()], rows)

    @property
    def weights(self) -> Losses:
        """The part of the stake of each question, shape (J,): alike for columns, for pairs, and in each of both."""
        counts = Counter(one.about for one in self.questions)
        subjects = Counter(map(len, counts))
        parts = [_STAKES[len(one.about)] / subjects[len(one.about)] / counts[one.about] for one in self.questions]
        return np.array(parts) / sum(_STAKES[size] for size in subjects)

    @cached_property
    def subjects(self) -> list[str]:
        """What each question is about."""
        return [one.subject for one in self.questions]

    def answers(self, X: Any) -> tuple[Losses, Losses]:
        """How many of the rows of X, shape (n, p), answer yes, and how many are asked, both of shape (J,)."""
        columns = plain_columns(X, self.of_kind)
        yes: list[int] = []
        asked: list[int] = []
        for about, of_subject in groupby(self.questions, key=lambda one: one.about):
            group = list(of_subject)
            if len(about) == 1:
                values, gap = columns[self._places[about[0]]]
                there = values[~gap]
                usual = [one.value for one in group if one.asks == "is"]
                yes += [int(gap.sum()) if one.asks == "gap" else _count(one, there, usual) for one in group]
                asked += [len(gap) if one.asks == "gap" else len(there) for one in group]
            elif about:
                pair = [columns[self._places[name]] for name in about]
                both = ~pair[0][1] & ~pair[1][1]
                high = [_is_high(*values, half) for values, half in zip(pair, group[0].value, strict=True)]
                yes.append(int((high[0] == high[1])[both].sum()))
                asked.append(int(both.sum()))
            elif self.known is not None:
                far = self.known.distances(columns)
                yes += [int((far > one.value).sum()) for one in group]
                asked += [len(far)] * len(group)
        return np.array(yes, dtype=np.float64), np.array(asked, dtype=np.float64)

    def words(self, places: Sequence[int], reference: Any, X: Any, of_reference: tuple[Losses, Losses]) -> list[str]:
        """What differs by the questions at `places` between the rows of a reference and those of a shard, X.

        `of_reference` are the `answers` of the reference, which are known before many shards.
        """
        of_shard = self.answers(X)
        return [self._words(place, reference, X, of_reference, of_shard) for place in places]

    def _words(self, place: int, reference: Any, X: Any, *answers: tuple[Losses, Losses]) -> str:
        question = self.questions[place]
        shares = [yes[place] / max(asked[place], 1) for yes, asked in answers]
        text = f"{question} in {100 * shares[0]:.3g} % of the reference and in {100 * shares[1]:.3g} % of the shard"
        if question.asks not in ("above", "outside"):
            return text
        of_reference, of_shard = (self._middle(question.about[0], of) for of in (reference, X))
        return f"{text} (8 of 10 rows: {of_reference}; {of_shard})"

    @cached_property
    def _places(self) -> dict[str, int]:
        names = dict.fromkeys(one.about[0] for one in self.questions if len(one.about) == 1)
        return {name: place for place, name in enumerate(names)}

    def _middle(self, name: str, X: Any) -> str:
        place = self._places[name]
        values, gap = plain_values(columns_of(X)[place], self.of_kind[place])
        if gap.all():
            return "none"
        low, high = np.quantile(values[~gap], _MIDDLE, method="inverted_cdf")
        return f"{low:.4g} to {high:.4g}"


def _about(name: str, kind: Kind, values: NDArray[Any], gap: NDArray[np.bool_]) -> list[Question]:
    there = values[~gap]
    asked: list[Question] = []
    if values.dtype.kind != "f":
        usual = _most_frequent(there, MOST_VALUES)
        asked = [*(Question((name,), "is", one) for one in usual), Question((name,), "other", len(usual))]
    elif kind != "date" and len(there):
        asked = [Question((name,), "above", cut) for cut in _cuts(there)]
        asked.append(Question((name,), "outside", (float(there.min()), float(there.max()))))
    return [*asked, Question((name,), "gap")]


def _pairs(names: Sequence[str], columns: Sequence[Values]) -> list[Question]:
    """Those of the pairs that go together most, in the order of the columns."""
    names, columns = names[:_PAIRED], columns[:_PAIRED]
    halves = [_half_of(values[~gap]) for values, gap in columns]
    high = np.array([_is_high(*of, half) & ~of[1] for of, half in zip(columns, halves, strict=True)], dtype=float)
    there = np.array([~gap for _, gap in columns], dtype=float)
    ones, both = high @ high.T, there @ there.T
    of_first = high @ there.T  # rows in which the first is high and the second is there
    agree = both - of_first - of_first.T + 2 * ones
    n = np.maximum(both, 1)
    by_chance = (of_first * of_first.T + (both - of_first) * (both - of_first).T) / n
    splits = np.array([0 < row.sum() < (~gap).sum() for row, (_, gap) in zip(high, columns, strict=True)])
    first, second = np.triu_indices(len(names), 1)
    asked = np.flatnonzero(splits[first] & splits[second])
    strength = np.round(np.abs(agree - by_chance) / n, 9)[first, second]
    most = np.sort(asked[np.argsort(-strength[asked], kind="stable")[:MOST_PAIRS]])
    pairs = zip(first[most].tolist(), second[most].tolist(), strict=True)
    return [Question((names[a], names[b]), "together", (halves[a], halves[b])) for a, b in pairs]


def _half_of(there: NDArray[Any]) -> float | str:
    """The median of numbers, or the most frequent name."""
    if there.dtype.kind == "f":
        return float(np.quantile(there, 0.5, method="inverted_cdf")) if len(there) else 0.0
    return next(iter(_most_frequent(there, 1)), "")


def _is_high(values: NDArray[Any], gap: NDArray[np.bool_], half: float | str) -> NDArray[np.bool_]:
    """Where a number is above its median, or a name the most frequent one; in a gap it says nothing."""
    return np.asarray(values == half if isinstance(half, str) else np.where(gap, 0.0, values) > half)


def _half(half: float | str) -> str:
    return half if isinstance(half, str) else f"above {half:.4g}"


def _most_frequent(there: NDArray[Any], most: int) -> list[str]:
    """In alphabetical order."""
    names, counts = np.unique(there, return_counts=True)
    return [str(name) for name in names[np.sort(np.argsort(-counts, kind="stable")[:most])]]


def _cuts(values: Losses, *, last: bool = False) -> list[float]:
    """Distinct quantiles; the greatest value is one where `last`, as nothing else asks for more."""
    cuts = np.unique(np.quantile(values, QUANTILES, method="inverted_cdf"))
    return [float(cut) for cut in cuts if last or cut < values.max()]


def _count(question: Question, there: NDArray[Any], usual: Sequence[str]) -> int:
    match question.asks:
        case "above":
            return int((there > question.value).sum())
        case "outside":
            return int(((there < question.value[0]) | (there > question.value[1])).sum())
        case "is":
            return int((there == question.value).sum())
        case _:
            return len(there) - int(np.isin(there, usual).sum())
