"""What a selection rule is: its name, the candidate that it takes in words, and the choice itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Compared:
    """What a rule chooses from: candidates in the order of `values`, from simple to complex.

    `best` has the least value, the first of them in a tie, and `standard_error` is the error of its value.
    `indistinguishable` is the model confidence set. Without paired losses the error is 0 and the set is empty.
    """

    values: Mapping[str, float]
    best: str
    standard_error: float
    indistinguishable: tuple[str, ...]


@dataclass(frozen=True)
class SelectionRule:
    """One line of the registry of rules.

    `says` is the candidate that it takes, in words for params.yaml and docs/method.md. `needs_losses`: it needs a
    criterion that is a mean of paired losses. `admits` says whether a candidate may be taken: the
    first such candidate is.
    """

    name: str
    says: str
    needs_losses: bool
    admits: Callable[[str, Compared], bool]

    def take(self, compared: Compared) -> str:
        """The first candidate, in the order of the values, that the rule admits."""
        return next(name for name in compared.values if self.admits(name, compared))
