"""Rows of a set that get their labels one batch after the other, and what E_cv says of the learner they train."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.losses.ratio import error_of
from heldout.schemes import covalidation, cross_validation
from heldout.splits.partition import draw_folds, make_halves
from heldout.splits.weights import Weights
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.label_next import draw, lure_weights
from studies.picked import Rows, least_sure
from studies.real_sets import RealSet


@dataclass
class Labelled:
    """The labelled rows of a set, at first random ones, and the rows of its pool without a label.

    Label-next draws by the disagreement of `halvings` pairs of half models; `probability` are those of the draws.
    """

    known: RealSet
    learner: Any
    halvings: int
    rows: Rows
    left: Rows
    probability: list[float] = field(default_factory=list)

    def add(self, way: str, count: int, rng: np.random.Generator) -> None:
        """Label `count` further rows: random, by uncertainty, or by label-next."""
        if way == "uncertainty":
            new = least_sure(self.learner, self.known.X, self.known.y, self.rows, self.left, count)
        else:
            scores = np.zeros(len(self.left)) if way == "random" else self._disagreement(rng)
            places, probability = draw(scores, count, rng)
            new = self.left[places]
            self.probability += probability.tolist()
        self.rows, self.left = np.concatenate([self.rows, new]), np.setdiff1d(self.left, new)

    def _disagreement(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """How far half models disagree at each row without a label."""
        X, y, seed = self.known.X[self.rows], self.known.y[self.rows], int(rng.integers(2**31))
        halves = make_halves(y, repeats=self.halvings, stratify=False, seed=seed)
        made = [split.train for half in halves for split in covalidation.splits(half)]
        models = [clone(self.learner).fit(X[train], y[train]) for train in made]
        return disagreements(models, self.known.X[self.left], ZERO_ONE)[1] / self.halvings

    def weights(self) -> Weights | None:
        """Of the first rows 1, and of draws by their probabilities; none for rows that were picked without."""
        draws = len(self.probability)
        if not draws:
            return None
        pool, first = np.full(draws, len(self.left) + draws), np.ones(len(self.rows) - draws)
        return Weights.of(np.concatenate([first, lure_weights(self.probability, pool)]), drawn=True)

    def cross_validated(self, folds: int, rest: Rows, seed: int) -> tuple[float, float]:
        """E_cv, and the mean true error of the hypotheses of its folds, over the rows `rest`."""
        X, y, weights = self.known.X[self.rows], self.known.y[self.rows], self.weights()
        made = cross_validation.splits(draw_folds(y, folds, False, seed))
        fitted = [fit_and_test(self.learner, X, y, split, ZERO_ONE, seed, weights) for split in made]
        tested = np.concatenate([split.validation for split in made])
        counted = None if weights is None else weights.values[tested]
        estimate = error_of(np.concatenate([one.losses for one in fitted]), counted)
        return estimate, float(np.mean([self.known.error(one.hypothesis, rest) for one in fitted]))
