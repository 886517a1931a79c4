"""What a selection rule is: its name, the candidate that it takes in words, and the choice itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Any  # a number, or an array of one for each bootstrap


@dataclass(frozen=True)
class Compared:
    """What a rule chooses from: candidates in the order of `values`, from simple to complex.

    `best` has the least value, the first of them in a tie, and `standard_error` is the error of its value.
    `indistinguishable` are the candidates that are not shown to err more than it. Without paired losses the error is 0
    and the set is empty.
    """

    values: Mapping[str, float]
    best: str
    standard_error: float
    indistinguishable: tuple[str, ...]


@dataclass(frozen=True)
class SelectionRule:
    """One line of the registry of rules.

    `says` is the candidate that it takes, in words for params.yaml and docs/choosing.md. `needs_losses`: it needs a
    criterion that is a mean of paired losses. The first candidate is taken whose value is at most
    `largest(least value, its standard error)`, numbers or arrays; if None, the first of `indistinguishable`.
    """

    name: str
    says: str
    needs_losses: bool
    largest: Callable[[Values, Values], Values] | None = None

    def take(self, compared: Compared) -> str:
        """The first candidate, in the order of the values, that the rule admits."""
        if self.largest is None:
            return next(name for name in compared.values if name in compared.indistinguishable)
        limit = self.largest(compared.values[compared.best], compared.standard_error)
        return next(name for name, value in compared.values.items() if value <= limit)
