"""What the fits of a run leave, before it is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.schemes.halvings import Halvings
from tasks.fits.race_result import Raced


@dataclass(frozen=True, eq=False)
class Fitted:
    """The fits of a run by scheme and candidate, of those who did not fail as a whole; `design` has their halvings.

    `failures` has the reason of each that failed, `lacking` those of each that failed in a scheme alone, by the scheme.
    `halvings` says how many there are where a rule decided it; None for a number.
    """

    design: Design
    finished: Mapping[SchemeName, Mapping[str, Finished]]
    failures: Mapping[str, str] = field(default_factory=dict)
    lacking: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    raced: Raced = field(default_factory=Raced)
    halvings: Halvings | None = None

    def without_answers(self, reasons: Mapping[str, str]) -> "Fitted":
        """The same where the half models of some candidates do not answer the unlabelled rows."""
        lacking = {name: {**self.lacking.get(name, {}), "disagreement": reason} for name, reason in reasons.items()}
        return replace(self, lacking={**self.lacking, **lacking})
