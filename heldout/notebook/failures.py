"""Candidates of `heldout.validate` that cannot be fitted: recorded with their reasons, or raised."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from heldout.errors import FitFailure

OnError = Literal["record", "raise"]


@dataclass(frozen=True)
class Failures:
    """The reason of each candidate that failed, by its name; with "raise" the first failure is an error."""

    on_error: OnError
    reasons: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Record a failure of the block, which is about a candidate. Raises it where it is not to be recorded."""
        try:
            yield
        except FitFailure as failure:
            if self.on_error == "raise":
                raise
            self.reasons[name] = str(failure).removeprefix(f"{name}: ")

    def check_not_all(self, left: int) -> None:
        """Raise FitFailure with every reason where none is `left`."""
        if not left and self.reasons:
            raise FitFailure("; ".join(f"{name}: {reason}" for name, reason in self.reasons.items()))
