"""The half models of co-validation, in memory: R pairs, each trained on the two halves of one partition.

Their bound is about hypotheses that were trained on tables of their own; `separate_models` are these.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.learners import seeded
from heldout.learners.fitting import fit_and_test
from heldout.losses import Loss
from heldout.schemes import covalidation, fit_state
from heldout.splits import class_shares
from heldout.splits.partition import make_halves


def half_models(learner: Any, X: Any, y: NDArray[np.generic], loss: Loss, pairs: int, seed: int) -> list[Any]:
    """The 2R hypotheses, each next to its partner, of labelled rows X, shape (N, p), and y, shape (N,)."""
    stratify = loss.of_classes and class_shares.stratified(y, None)
    halves = make_halves(class_shares.strata(y, loss.of_classes), repeats=pairs, stratify=stratify, seed=seed)
    splits = [split for half in halves for split in covalidation.splits(half)]
    return [
        fit_and_test(learner, X, y, split, loss, fit_state(seed, "covalidation", number)).hypothesis
        for number, split in enumerate(splits)
    ]


def separate_models(learner: Any, X: Any, y: NDArray[np.generic], count: int, seed: int) -> list[Any]:
    """As many hypotheses, each trained on its own rows: an equal part of X, shape (N, p), and y, shape (N,)."""
    parts = np.array_split(np.arange(len(y)), count)
    states = (fit_state(seed, "covalidation", number) for number in range(count))
    return [seeded(learner, state).fit(X[part], y[part]) for part, state in zip(parts, states, strict=True)]
