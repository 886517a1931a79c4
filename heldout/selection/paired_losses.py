"""The losses of all candidates on the same rows, behind a criterion."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.losses.tested_losses import Tested
from heldout.selection.comparison import in_same_clusters


@dataclass(frozen=True, eq=False)
class Paired:
    """What was observed of each candidate on the same rows, in the same clusters, for a criterion.

    `terms` are the independent terms whose mean has the standard error (the fold errors, or the losses
    themselves), `folds` the number of folds whose hypotheses share training rows, None for none. `terms_cluster`
    numbers the groups, or batches in time, of the terms; None where independent.
    """

    observed: Mapping[str, Tested]
    terms: Mapping[str, Losses]
    folds: int | None = None
    terms_cluster: NDArray[np.int64] | None = None


def paired_rows(tested: Mapping[str, Tested]) -> Paired:
    """The losses of rows that are each tested once."""
    seen = in_same_clusters(tested)
    losses = {name: rows.losses for name, rows in seen.items()}
    return Paired(seen, losses, terms_cluster=next(iter(seen.values())).cluster)
