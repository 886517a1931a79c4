"""The fits that `conservative_z` reads: subsamples inside random halves of the rows.

They have left the package with it. Their seeds are those of then: by the place in `heldout.schemes` and the purpose in
`heldout.seeds`, which both keep the name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from heldout import seeds
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated
from heldout.schemes.resampling import Folds, Resampling, random_cut, rows_tested
from heldout.splits.partition import Labels
from heldout.splits.split import Split

NAME: Final = "half_subsamples"
HALVINGS, HALF_SUBSAMPLES = 10, 15  # M and J of Nadeau and Bengio, as in their section 5


@dataclass(frozen=True, eq=False)
class Halved(CrossValidated):
    """`CrossValidated` with the mean errors `half_errors`, shape (M, 2), on both halves of M random halvings."""

    half_errors: Losses | None = None

    def has(self, scheme: str) -> bool:
        """Whether the fits of a scheme beyond the k folds were made."""
        return self.half_errors is not None if scheme == NAME else super().has(scheme)


def draw(y: Labels, fold: Folds, stratify: bool, seed: int) -> Resampling:
    """M halvings of independent rows, and inside each half J subsamples that test as many rows as a fold has."""
    rows = np.arange(len(y))
    size = min(rows_tested(len(y), fold), len(y) // 4)
    splits = []
    for halving in range(HALVINGS):
        state = seeds.random_state(seed, NAME, halving)
        mask = random_cut(y, len(y) // 2, stratify, state, both=True)
        for number, half in enumerate((rows[mask], rows[~mask])):
            for j in range(HALF_SUBSAMPLES):
                tested = random_cut(y[half], size, stratify, seeds.random_state(seed, NAME, halving, number, j))
                splits.append(Split(half[~tested], half[tested]))

    def fields(losses: Sequence[Losses]) -> dict[str, Any]:
        errors = np.array([part.mean() for part in losses])
        return {"half_errors": errors.reshape(HALVINGS, 2, -1).mean(axis=2)}

    return Resampling(splits, fields)
