"""What a choice among candidates gave."""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.selection.rules import Rule

Criterion = str  # a name in CRITERIA


@dataclass(frozen=True)
class Selection:
    """The winner, the criterion's value for every candidate, and who else could have won.

    `indistinguishable` are the winner and the candidates that are not shown to err more than it, in their order
    (`heldout.selection.comparison`): by E_cv, or by the criterion where E_cv was not computed. Empty where neither is a
    mean of paired losses.
    """

    selected: str
    criterion: Criterion
    rule: Rule
    values: Mapping[str, float]
    indistinguishable: tuple[str, ...]
