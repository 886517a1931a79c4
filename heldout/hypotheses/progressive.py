"""The progressive hypothesis: the target of E_prog."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.hypotheses.drawn import DrawnHypothesis
from heldout.schemes.progressive import Block, splits
from heldout.splits.partition import Labels, can_stratify, draw_steps, part_size
from heldout.splits.split import Split


class ProgressiveHypothesis(DrawnHypothesis):
    """A random member answers each query: the members are the hypotheses along the steps of progressive validation.

    Of N rows, m = `tested_fraction` N are tested in random order, a block at a time; after its test, a block is added
    to the training rows. The chance of a member is its share of the m tested rows. So the true error is the weighted
    mean of the members' true errors, and `E_prog` estimates it as a hold-out of m rows would (METHOD, section 4; Blum,
    Kalai, Langford, COLT 1999, Thms 4 and 5).

    Parameters
    ----------
    learner : estimator
        An unfitted scikit-learn classifier or regressor.
    tested_fraction : float, default 0.5
        The share of tested rows. `fit` raises BadArgument unless it is between 0 and 1, both excluded.
    block : int or "auto", default 1
        The number of steps that share one fit; a number makes ceil(m / block) members, "auto" O(log m). `fit` raises
        BadArgument for a number below 1.
    stratify : bool, optional
        Whether the tested part of a classifier holds the classes in proportion, if this is possible. None means two
        classes alone, as in `heldout.validate`.
    vote : bool, default False
        Whether `predict` is the majority vote of the members (of regressors the mean). The error of the vote is not
        what `E_prog` estimates.
    seed : int, default 0
        The seed of the steps, of the learner's open `random_state`, and of the draws. `heldout.validate` makes the
        same steps and members from the same seed.

    Attributes
    ----------
    members_ : list of k fitted estimators
    tested_ : ndarray of shape (k,)
        The number of rows that each member tested.
    weights_ : ndarray of shape (k,)
        The chance of each member.
    classes_ : ndarray of shape (number of classes,)
        For classifiers.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(n_samples=100, random_state=0)
    >>> hypothesis = ProgressiveHypothesis(GaussianNB(), block=10, seed=0).fit(X, y)
    >>> hypothesis.tested_.tolist()
    [10.0, 10.0, 10.0, 10.0, 10.0]

    The hypothesis equals this loop:

    >>> step = draw_steps(y, 50, stratify=True, seed=0)
    >>> members = [GaussianNB().fit(X[step < first], y[step < first]) for first in range(0, 50, 10)]
    >>> loop = [members[j].predict(X[[row]])[0] for row, j in enumerate(hypothesis.draw(X))]
    >>> hypothesis.predict(X).tolist() == loop
    True
    """

    _scheme = "progressive"

    def __init__(
        self,
        learner: Any,
        *,
        tested_fraction: float = 0.5,
        block: Block = 1,
        stratify: bool | None = None,
        vote: bool = False,
        seed: int = 0,
    ) -> None:
        self.learner = learner
        self.tested_fraction = tested_fraction
        self.block = block
        self.stratify = stratify
        self.vote = vote
        self.seed = seed

    def _splits(self, y: Labels) -> Sequence[Split]:
        size = part_size(len(y), self.tested_fraction, "tested_fraction")
        stratify = self._stratified(y, _why_not_stratified(y, size))
        step = draw_steps(self._strata(y), size, stratify, self.seed)
        return splits(step, self.block)


def _why_not_stratified(y: Labels, size: int) -> str | None:
    if can_stratify(y, size):
        return None
    classes = len(np.unique(y))
    return f"a tested part of {size} of {len(y)} rows cannot be divided evenly among {classes} classes"
