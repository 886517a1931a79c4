"""What fails in `heldout.validate`: candidates, and estimates of candidates; recorded with the reasons, or raised."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from heldout.errors import FitFailure

OnError = Literal["record", "raise"]


@dataclass(frozen=True)
class Failures:
    """The reason of each candidate that failed, by its name; with "raise" the first failure is an error.

    `may_fail` says of a scheme whether a candidate that fails in it lacks its estimates alone: then the reason is in
    `lacking`, by the candidate and the scheme.
    """

    on_error: OnError
    may_fail: Callable[[str], bool]
    reasons: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, dict[str, str]] = field(default_factory=dict)

    @contextmanager
    def of(self, name: str, scheme: str = "") -> Iterator[None]:
        """Record a failure of the block, which is about a candidate, in a scheme if that is named.

        Raises it where it is not to be recorded.
        """
        try:
            yield
        except FitFailure as failure:
            if self.on_error == "raise":
                raise
            reason = str(failure).removeprefix(f"{name}: ")
            if self.may_fail(scheme):
                self.lacking.setdefault(name, {})[scheme] = reason
            else:
                self.reasons[name] = reason

    def has(self, name: str, scheme: str) -> bool:
        """Whether a candidate failed as a whole, or in a scheme."""
        return name in self.reasons or scheme in self.lacking.get(name, {})

    def check_not_all(self, left: int) -> None:
        """Raise FitFailure with every reason where none is `left`."""
        if not left and self.reasons:
            raise FitFailure("; ".join(f"{name}: {reason}" for name, reason in self.reasons.items()))
