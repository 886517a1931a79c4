"""The k-fold hypothesis: the target of E_cv."""

from collections.abc import Sequence
from typing import Any

from heldout import seeds
from heldout.hypotheses.drawn import DrawnHypothesis
from heldout.schemes.cross_validation import splits
from heldout.splits.partition import Labels, draw_folds, rarest_class
from heldout.splits.split import Split


class KFoldHypothesis(DrawnHypothesis):
    """A random member answers each query: the k members are trained without one fold each, as in cross-validation.

    Its true error is the mean of the members' true errors, weighted by fold size, and `E_cv` estimates it at least as
    well as a hold-out of N/k rows would (METHOD, section 3; Blum, Kalai, Langford, COLT 1999, Thms 1 to 3).

    Parameters
    ----------
    learner : estimator
        An unfitted scikit-learn classifier or regressor.
    folds : int, default 10
        The number k of folds; N is leave-one-out. `fit` raises BadArgument unless 2 <= folds <= N.
    stratify : bool, optional
        Whether the folds of a classifier hold the classes in proportion, if each class has at least k rows. None means
        two classes alone, as in `heldout.validate`.
    vote : bool, default False
        Whether `predict` is the majority vote of the members (of regressors the mean). The error of the vote is not
        what `E_cv` estimates.
    seed : int, default 0
        The seed of the folds, of the learner's open `random_state`, and of the draws. `heldout.validate` makes the
        same folds and members from the same seed.

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
    >>> hypothesis = KFoldHypothesis(GaussianNB(), folds=5, seed=0).fit(X, y)
    >>> hypothesis.tested_.tolist()
    [20.0, 20.0, 20.0, 20.0, 20.0]

    The hypothesis equals this loop:

    >>> from heldout import seeds
    >>> fold = draw_folds(y, 5, stratify=True, random_state=seeds.random_state(0, "folds"))
    >>> members = [GaussianNB().fit(X[fold != j], y[fold != j]) for j in range(5)]
    >>> loop = [members[j].predict(X[[row]])[0] for row, j in enumerate(hypothesis.draw(X))]
    >>> hypothesis.predict(X).tolist() == loop
    True
    """

    _scheme = "cross_validation"

    def __init__(
        self, learner: Any, *, folds: int = 10, stratify: bool | None = None, vote: bool = False, seed: int = 0
    ) -> None:
        self.learner = learner
        self.folds = folds
        self.stratify = stratify
        self.vote = vote
        self.seed = seed

    def _splits(self, y: Labels) -> Sequence[Split]:
        stratify = self.folds != len(y) and self._stratified(y, self._why_not_stratified(y))
        return splits(draw_folds(self._strata(y), self.folds, stratify, seeds.random_state(self.seed, "folds")))

    def _why_not_stratified(self, y: Labels) -> str | None:
        rarest, rows = rarest_class(y)
        return f"folds is {self.folds}, but class {rarest} has {rows} rows" if rows < self.folds else None
