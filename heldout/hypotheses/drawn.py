"""The common part of both randomized hypotheses: fitted members, and a random member for each query."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from heldout.errors import BadArgument
from heldout.hypotheses import row_hash
from heldout.learners import seeded
from heldout.rows.aligned_rows import aligned
from heldout.rows.frames import take
from heldout.schemes import SchemeName, fit_state
from heldout.seeds import same_global_draws
from heldout.splits import class_shares
from heldout.splits.partition import Labels
from heldout.splits.split import Split

# for sklearn.utils.estimator_checks.check_estimator; with vote=True nothing fails
EXPECTED_FAILED_CHECKS = {
    "check_classifiers_train": "expects predict to be the argmax of predict_proba; here one member answers each row"
}


class DrawnHypothesis(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A randomized hypothesis: `predict` answers each row with a randomly drawn member.

    The chance of a member is proportional to the number of rows that it tested. So the true error is the mean that
    the estimate estimates (Blum, Kalai, Langford, COLT 1999). The draw depends on the seed and the content of the
    row alone (`row_hash`): equal rows get the same member, and draws are random over seeds or over different rows.
    With `vote`, `predict` is the majority vote (of equals the smaller class), for regressors the mean: this is not
    the target of the estimate.

    `fit` splits independent rows. For grouped or time-ordered rows, `of` makes the whole from members that a
    design fitted.

    After `fit`: `members_`, a list of k fitted hypotheses; `tested_`, shape (k,), the number of rows that each tested;
    `weights_`, the same with sum 1; `classes_` for classifiers; `n_features_in_`, `feature_names_in_`.
    """

    _scheme: ClassVar[SchemeName]

    learner: Any
    stratify: bool | None
    vote: bool
    seed: int
    members_: list[Any]
    tested_: NDArray[np.float64]

    @classmethod
    def of(
        cls, members: Sequence[Any], weights: Sequence[float] | NDArray[Any], *, learner: Any, **settings: Any
    ) -> Self:
        """The whole from fitted members, as `fit` with the same settings would make it.

        Parameters
        ----------
        members : sequence of k fitted estimators
        weights : array-like of shape (k,)
            The number of rows that each member tested, or any proportional numbers. With whole numbers, ties of votes
            are exact.
        learner : estimator
        **settings
            The other constructor parameters.

        Raises
        ------
        BadArgument
            Unless each member has a finite weight of at least 0, and one weight is positive.
        """
        tested = np.asarray(weights)
        if tested.shape != (len(members),):
            raise BadArgument("weights", f"weights has shape {tested.shape}, but there are {len(members)} members")
        if not (np.isfinite(tested).all() and (tested >= 0).all() and tested.sum() > 0):
            raise BadArgument("weights", f"weights is {tested}; they must be finite, 0 or more, and not all 0")
        whole = cls(learner, **settings)
        for name in ("feature_names_in_", "n_features_in_"):
            if hasattr(members[0], name):
                setattr(whole, name, getattr(members[0], name))
        return whole._with(list(members), tested)

    @abstractmethod
    def _splits(self, y: Labels) -> Sequence[Split]:
        """The rows that train each member, and the rows that it tests."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (N, p)
        y : array-like of shape (N,)

        Returns
        -------
        self

        Raises
        ------
        BadArgument
            For a setting outside its limits.
        Exception
            Whatever the learner raises.

        Warns
        -----
        UserWarning
            Where a class is too rare to be stratified; the split is then not stratified.
        """
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise BadArgument("seed", f"seed is {self.seed!r}; it must be a whole number, 0 or more")
        X, y = aligned({"X": X, "y": y}).values()
        X, y = validate_data(self, X, y, **_checks(X, ensure_min_samples=2))
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        assert_all_finite(y, input_name="y")
        if is_classifier(self):
            check_classification_targets(y)
        splits = self._splits(y)
        members = []
        for number, split in enumerate(splits):
            labels, state = y[split.train], fit_state(self.seed, self._scheme, number)
            with same_global_draws():
                members.append(seeded(self.learner, state, labels).fit(take(X, split.train), labels))
        # the last block trains no member: here the learner refuses a NaN in it
        members[-1].predict(take(X, splits[-1].validation))
        return self._with(members, np.array([len(split.validation) for split in splits]))

    def draw(self, X: Any) -> NDArray[np.intp]:
        """The number of the member that answers each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of int of shape (n,)
        """
        check_is_fitted(self)
        return self._draw(self._queries(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction of the drawn member for each row; with `vote` the majority vote or the mean of all members.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = self._queries(X)
        if self.vote and is_classifier(self):
            labels: NDArray[Any] = self.classes_[self._votes(X).argmax(axis=1)]
            return labels
        if self.vote:
            return np.average([member.predict(X) for member in self.members_], axis=0, weights=self.tested_)
        drawn = self._draw(X)
        predictions = np.empty(len(drawn), self.classes_.dtype if is_classifier(self) else np.float64)
        for number in np.unique(drawn):
            rows = np.flatnonzero(drawn == number)
            predictions[rows] = self.members_[number].predict(take(X, rows))
        return predictions

    @available_if(lambda self: is_classifier(self.learner))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the members' votes for each class.

        This is the chance, over random draws, that `predict` returns the class; it is not a mean of the members'
        `predict_proba`.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n, number of classes)
        """
        check_is_fitted(self)
        return self._votes(self._queries(X)) / float(self.tested_.sum())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier, or R² of a regressor; scikit-learn's tools call it.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X, y, sample_weight = aligned({"X": X, "y": y, "sample_weight": sample_weight}).values()
        kind = ClassifierMixin if is_classifier(self) else RegressorMixin
        return float(kind.score(self, X, y, sample_weight))

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The chance of each member, shape (k,)."""
        return self.tested_ / float(self.tested_.sum())

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.learner)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        tags.target_tags.required = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def _with(self, members: list[Any], tested: NDArray[Any]) -> Self:
        self.members_, self.tested_ = members, np.asarray(tested, dtype=np.float64)
        if is_classifier(self):
            self.classes_ = np.unique(np.concatenate([member.classes_ for member in members]))
        return self

    def _queries(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, **_checks(X))

    def _draw(self, X: Any) -> NDArray[np.intp]:
        ends = np.cumsum(self.tested_) / self.tested_.sum()
        return np.searchsorted(ends, row_hash.uniform(X, self.seed), side="right")

    def _votes(self, X: Any) -> NDArray[np.float64]:
        votes = np.zeros((X.shape[0], len(self.classes_)))
        rows = np.arange(len(votes))
        # sums of rows, not of chances: with whole numbers ties are exact
        for member, tested in zip(self.members_, self.tested_, strict=True):
            votes[rows, np.searchsorted(self.classes_, member.predict(X))] += tested
        return votes

    def _strata(self, y: Labels) -> Labels:
        """The class of each row, which the parts are drawn by; of a regressor one class."""
        return class_shares.strata(y, is_classifier(self))

    def _stratified(self, y: Labels, why_not: str | None) -> bool:
        """Whether to stratify; warns where `stratify` says so but `why_not` gives a reason against it."""
        if not (is_classifier(self) and class_shares.stratified(y, self.stratify)):
            return False
        if why_not:
            warnings.warn(f"not stratified: {why_not}", UserWarning, stacklevel=4)
        return why_not is None


def _checks(X: Any, **further: Any) -> dict[str, Any]:
    """The options of `validate_data`: a data frame goes to the members unchanged, and they check the values."""
    if hasattr(X, "iloc"):
        return {"skip_check_array": True}
    return {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False, **further}
