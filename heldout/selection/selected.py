"""What a choice among candidates gave."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import clustered_t
from heldout.losses import Losses
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


def standard_error(losses: Losses, cluster: NDArray[np.int64] | None = None) -> float:
    """The standard error of a mean of terms, shape (n,), independent or within each `cluster`; 0 for a single term."""
    if cluster is not None:
        return math.sqrt(clustered_t.variance(losses, cluster)) if cluster.max() > 0 else 0.0
    return float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0
