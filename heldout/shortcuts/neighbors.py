"""k nearest neighbours on all parts of the rows from one search among all rows.

Source: the definition; the nearest rows of a training part are the first rows of a list that are in the part.

Of two rows at equal distance, the refit's choice depends on its tree or its rounding. So the lists decide only
where this has no effect: no other row is as far, to rounding, as the k-th, or all such rows have the same outcome.
Hypotheses with other test rows are fitted; where they are more than half, the shortcut is declined. A few
hypotheses are always fitted: this takes no longer than the lists.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts import preconditions
from heldout.shortcuts.preconditions import Labels, Values
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut
from heldout.splits.split import Rows

_MOST_FEATURES = 15  # for a tree; scikit-learn's own bound
_TIE = 1e-9  # votes so near, relative to all votes, may have the other order in the refit
_ROUNDED = 1e-10  # largest relative error of a squared distance for votes by distance
_FEW_OF_TREE = 3  # so many hypotheses fit and predict as fast as the lists are made
_FEW_OF_BRUTE = 20
_LARGE = 2.5  # parts of at least one of so many rows are predicted from lists
_AT_ONCE = 2_000_000  # entries of lists
_LONGEST = 4_000_000  # entries of the lists of all rows, of 16 bytes

Mask = NDArray[np.bool_]


class Neighbors(Shortcut):
    """`KNeighborsClassifier` and `KNeighborsRegressor` by Euclidean or Manhattan distance."""

    def __init__(self, learner: Any, X: Values, y: NDArray[Any], labels: Labels | None) -> None:
        self._learner, self._X, self._y, self._labels = learner, X, y, labels
        self._outcome = y.astype(np.float64) if labels is None else labels.codes
        self._squares = learner.metric == "euclidean" or (learner.metric == "minkowski" and learner.p == 2)
        self.classes = None if labels is None else labels.classes

    @classmethod
    def of(cls, learner: Any, X: Any, y: Any, weights: NDArray[np.float64] | None = None) -> Self:
        """The shortcut of `learner` for rows X of shape (N, p) and y of shape (N,). Raises Declined."""
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

        preconditions.exactly(learner, KNeighborsClassifier, KNeighborsRegressor)
        if weights is not None:
            raise Declined("takes no weights")
        if learner.weights not in ("uniform", "distance"):
            raise Declined("weighs its neighbours by a function")
        minkowski = learner.metric == "minkowski" and learner.p in (1, 2)
        if not (minkowski or learner.metric in ("euclidean", "manhattan")) or learner.metric_params:
            raise Declined("has a metric other than the Euclidean and the Manhattan metric")
        rows = preconditions.features(X)
        labels = Labels.of(y, len(rows)) if type(learner) is KNeighborsClassifier else None
        if labels is None:
            preconditions.numbers(y, len(rows))
        return cls(learner, rows, y, labels)

    @cached_property
    def _search(self) -> Callable[[Rows, int], tuple[Values, Rows]]:
        return self._tree() if self._X.shape[1] <= _MOST_FEATURES else self._brute()

    def _tree(self) -> Callable[[Rows, int], tuple[Values, Rows]]:
        from scipy.spatial import cKDTree

        tree = cKDTree(self._X)

        def search(rows: Rows, m: int) -> tuple[Values, Rows]:
            """The distances and numbers of the m nearest rows to each of `rows`, shape (n, m), ascending."""
            distances, places = tree.query(self._X[rows], m, p=2 if self._squares else 1)
            return distances.reshape(-1, m), places.reshape(-1, m)

        return search

    def _brute(self) -> Callable[[Rows, int], tuple[Values, Rows]]:
        from sklearn.neighbors import NearestNeighbors

        every = NearestNeighbors(algorithm="brute", p=2 if self._squares else 1).fit(self._X)

        def search(rows: Rows, m: int) -> tuple[Values, Rows]:
            """As with a tree. The distances are computed again, from differences."""
            places = every.kneighbors(self._X[rows], m, return_distance=False)
            difference = self._X[places] - self._X[rows][:, None]
            distances = np.sqrt((difference**2).sum(axis=2)) if self._squares else np.abs(difference).sum(axis=2)
            order = distances.argsort(axis=1)
            return np.take_along_axis(distances, order, axis=1), np.take_along_axis(places, order, axis=1)

        return search

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As Shortcut.folds."""
        preconditions.rows_of_folds(fold)
        if self._labels is not None:
            self._labels.in_each_fold(fold)
        test_rows = np.flatnonzero(fold >= 0)
        hypothesis = fold[test_rows]
        sizes = len(fold) - np.bincount(hypothesis)

        def trains(rows: Any, near: Rows) -> Mask:
            in_part: Mask = fold[near] != hypothesis[rows, None]
            return in_part

        return self._predict(test_rows, hypothesis, sizes, trains, lambda h: fold != h, method)

    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.blocks."""
        test_rows = preconditions.rows_in_steps(step)
        if self._labels is not None:
            self._labels.in_part(step < 0)
        hypothesis = np.arange(len(test_rows)) // block
        sizes = len(step) - len(test_rows) + np.arange(hypothesis[-1] + 1) * block

        def trains(rows: Any, near: Rows) -> Mask:
            return step[near] < hypothesis[rows, None] * block

        return self._predict(test_rows, hypothesis, sizes, trains, lambda h: step < h * block, method)

    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.part: by lists of all rows, made once, where the part is large and no distances are equal."""
        self._answers_to(method)
        if self._labels is not None:
            self._labels.in_part(train)
        lists = self._lists if _LARGE * len(train) >= len(self._X) else None
        if lists is not None and len(train) >= self._learner.n_neighbors and len(np.unique(train)) == len(train):
            in_part = np.zeros(len(self._X), dtype=bool)
            in_part[train] = True
            distances, near = lists[0][test_rows], lists[1][test_rows]
            sizes = np.full(len(test_rows), len(train))
            _, sure, votes = self._count(test_rows, sizes, distances, near, in_part[near])
            answers = self._of_votes(votes, sure, method)
            if sure.all():
                return answers
        return self._refit(train, test_rows, method)

    @cached_property
    def _lists(self) -> tuple[Values, Rows] | None:
        """The distances and numbers of the rows nearest to each row, for parts of a share of 1 / _LARGE and more.

        None where they would be large.
        """
        n, length = len(self._X), self._length(1 / _LARGE)
        if n * length > _LONGEST:
            return None
        at_once = max(1, _AT_ONCE // (length * self._X.shape[1]))
        found = [self._search(np.arange(first, min(first + at_once, n)), length) for first in range(0, n, at_once)]
        distances, near = (np.concatenate(pieces) for pieces in zip(*found, strict=True))
        return distances, near

    def _length(self, share: float) -> int:
        """How long a list is that has all neighbours of a part of a `share` of the rows, for nearly all rows."""
        more = self._learner.n_neighbors + 2
        return min(len(self._X), int(np.ceil((more + 3 * np.sqrt(more * (1 - share))) / share)))

    def _answers_to(self, method: PredictMethod) -> None:
        if method != "predict" and self._labels is None:
            raise Declined("has no probabilities")

    def _refit(self, train: Rows | Mask, test_rows: Rows, method: PredictMethod) -> Answers:
        from sklearn.base import clone

        with preconditions.decline_on_error():
            answers: Answers = getattr(clone(self._learner).fit(self._X[train], self._y[train]), method)(
                self._X[test_rows]
            )
        return answers

    def _predict(
        self,
        test_rows: Rows,
        hypothesis: NDArray[np.intp],
        sizes: NDArray[np.intp],
        trains: Callable[[Any, Rows], Mask],
        training: Callable[[int], Mask],
        method: PredictMethod,
    ) -> Answers:
        """Predict at each of `test_rows` by the hypothesis number `hypothesis`, shape (n,), trained on `sizes` rows.

        `trains` marks which of the rows near to s test rows, shape (s, m), train their hypothesis;
        `training` marks all training rows of a hypothesis.
        """
        self._answers_to(method)
        n, k = len(self._X), self._learner.n_neighbors
        if sizes.min() < k:
            raise Declined("is to be trained on fewer rows than it takes neighbours")
        many = len(sizes) > (_FEW_OF_TREE if self._X.shape[1] <= _MOST_FEATURES else _FEW_OF_BRUTE)
        first = self._length(sizes.min() / n)
        votes = np.zeros((len(test_rows), 1 if self._labels is None else len(self._labels.classes)))
        sure = np.zeros(len(test_rows), dtype=bool)
        pending = np.arange(len(test_rows) if many else 0)
        for length in (first, min(n, 4 * first)):
            seen_enough = np.ones(len(pending), dtype=bool)
            at_once = max(1, _AT_ONCE // (length * self._X.shape[1]))
            for start in range(0, len(pending), at_once):
                piece = slice(start, start + at_once)
                rows = pending[piece]
                distances, near = self._search(test_rows[rows], length)
                seen_enough[piece], sure[rows], votes[rows] = self._count(
                    test_rows[rows], sizes[hypothesis[rows]], distances, near, trains(rows, near)
                )
            pending = pending[~seen_enough]
            if not len(pending):
                break
        answers = self._of_votes(votes, sure, method)
        unsure = np.unique(hypothesis[~sure])
        if many and len(unsure) > len(sizes) / 2:
            raise Declined("has rows at equal distances in most training parts")
        for number in unsure:
            places = np.flatnonzero(hypothesis == number)
            places = places[test_rows[places].argsort()]  # the order of a plain loop over hypotheses
            answers[places] = self._refit(training(number), test_rows[places], method)
        return answers

    def _count(
        self, test_rows: Rows, sizes: NDArray[np.intp], distances: Values, near: Rows, trains: Mask
    ) -> tuple[Mask, Mask, Values]:
        """For lists of s test rows, shape (s, m): whether they are long enough, and whether the votes are sure.

        And the votes for each class, or the mean outcome, shape (s, C) or (s, 1). `sizes` are the sizes of the training
        parts, shape (s,); `trains`, shape (s, m), marks which rows are in them.
        """
        k, line = self._learner.n_neighbors, np.arange(len(near))
        far = distances**2 if self._squares else distances
        rank = trains.cumsum(axis=1)
        last = (rank >= k).argmax(axis=1)  # the position of the k-th
        farthest = far[line, last]
        rounding = self._rounding(test_rows, sizes, farthest)
        margin = 4 * (rounding + (self._X.shape[1] + 4) * np.finfo(float).eps * farthest)
        enough = (rank[:, -1] >= k) & ((far[:, -1] > farthest + 2 * margin) | (near.shape[1] == len(self._X)))
        level = trains & (np.abs(far - farthest[:, None]) <= margin[:, None])
        outcomes = self._outcome[near]
        differ = (level & (outcomes != outcomes[line, last][:, None])).any(axis=1)
        sure = enough & ~(differ & (level & (rank > k)).any(axis=1))
        taken = trains & (rank <= k) & sure[:, None]
        votes = np.zeros((len(near), 1 if self._labels is None else len(self._labels.classes)))
        votes[sure], clear = self._votes(
            outcomes[taken].reshape(-1, k), distances[taken].reshape(-1, k), rounding[sure]
        )
        sure[sure] = clear
        return enough, sure, votes

    def _rounding(self, test_rows: Rows, sizes: NDArray[np.intp], farthest: Values) -> Values:
        """The error of |x|^2 - 2 x y + |y|^2 as the square of a distance, where a search uses this form."""
        algorithm, features = self._learner.algorithm, self._X.shape[1]
        of_few = (algorithm == "auto") & (self._learner.n_neighbors >= sizes // 2)
        brute = of_few | (algorithm == "brute") | (features > _MOST_FEATURES)
        if not self._squares:
            return np.zeros(len(test_rows))
        norm = np.sqrt((self._X[test_rows] ** 2).sum(axis=1))
        return np.where(brute, (features + 4) * np.finfo(float).eps * (norm**2 + (norm + np.sqrt(farthest)) ** 2), 0.0)

    def _votes(self, outcomes: NDArray[Any], distances: Values, rounding: Values) -> tuple[Values, Mask]:
        """The votes of k neighbours, from arrays of shape (s, k), and whether rounding cannot change them."""
        clear = np.ones(len(outcomes), dtype=bool)
        if self._learner.weights == "uniform":
            weights = np.ones(outcomes.shape)
        else:
            with np.errstate(divide="ignore"):
                weights = 1 / distances
            infinite = np.isinf(weights)
            weights = np.where(infinite.any(axis=1, keepdims=True), infinite, weights)
            nearest = distances.min(axis=1, initial=np.inf)
            clear = rounding <= _ROUNDED * nearest**2
        if self._labels is None:
            return ((outcomes * weights).sum(axis=1) / weights.sum(axis=1))[:, None], clear
        n_classes = len(self._labels.classes)
        place = np.arange(len(outcomes))[:, None] * n_classes + outcomes
        votes = np.bincount(place.ravel(), weights.ravel(), len(outcomes) * n_classes).reshape(-1, n_classes)
        return votes / votes.sum(axis=1, keepdims=True), clear

    def _of_votes(self, votes: Values, sure: Mask, method: PredictMethod) -> Answers:
        """The predictions from votes; `sure` becomes False where rounding could change them."""
        if self._labels is None:
            return votes[:, 0]
        if method != "predict":
            return votes
        if self._learner.weights != "uniform":
            top = np.partition(votes, -2, axis=1)[:, -2:]
            sure &= top[:, 1] - top[:, 0] > _TIE
        labels: Answers = self._labels.classes[votes.argmax(axis=1)]
        return labels
