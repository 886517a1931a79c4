"""Naive Bayes from counts of each class: Bernoulli, multinomial, complement and categorical, weighted or not.

A hypothesis is the weight of each class and its counts of each feature or category, which are sums over rows.
Rennie, Shih, Teevan, Karger, Tackling the Poor Assumptions of Naive Bayes Text Classifiers (ICML 2003).
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from heldout.shortcuts.class_sums import (
    LOST,
    UNIT,
    ClassSums,
    Floats,
    Scores,
    checked_labels,
    checked_priors,
    dot,
    rounding_of,
)
from heldout.shortcuts.preconditions import Labels
from heldout.shortcuts.shortcut import Declined, PredictMethod
from heldout.splits.split import Rows

_LOG = 40 * UNIT  # the largest rounding error of a log
_LEAST_ALPHA = 1e-10  # the least alpha that scikit-learn takes without a warning, unless forced
_TIE = 1e-9  # as few rows often have equal counts
_CATEGORIES = 2**16  # the largest number of categories of all features


class _Counting(ClassSums):
    """A row adds 1 and its features; with weights it adds 1, w and w times its features."""

    learner_type: type[Any]

    def __init__(self, learner: Any, X: Floats, labels: Labels, weights: Floats | None) -> None:
        super().__init__(X, labels)
        self.weights = weights
        self.whole = _whole(X, weights)
        self.fit_prior = learner.fit_prior
        self.priors = None if learner.class_prior is None else checked_priors(learner.class_prior, len(self.classes))
        self.alpha = np.asarray(learner.alpha, dtype=np.float64)
        if self.alpha.shape not in ((), X.shape[1:]) or not (self.alpha >= 0).all():
            raise Declined("has an alpha that is not one number of at least 0, or one for each feature")
        if self.alpha.min() < _LEAST_ALPHA and not learner.force_alpha:
            raise Declined("has an alpha that scikit-learn replaces with a warning")

    @property
    def tie(self) -> float:
        """As `ClassSums.tie`: whole counts are those of a refit."""
        return _TIE if self.whole else 0.0

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], weights: Floats | None = None) -> Self:
        """The shortcut of `learner` on these rows. Raises Declined."""
        labels = checked_labels(learner, cls.learner_type, X, y, weights, weighted=True)
        return cls(learner, X, labels, weights)

    def _basis(self, rows: Rows) -> None:  # noqa: ARG002  # counts are taken about 0
        return None

    def _terms(self, basis: None, rows: Rows) -> Floats:  # noqa: ARG002
        ones = np.ones((len(rows), 1))
        if self.weights is None:
            return np.hstack([ones, self.X[rows]])
        weight = self.weights[rows, None]
        return np.hstack([ones, weight, weight * self.X[rows]])

    def _counted(self, sums: Floats) -> tuple[Floats, Floats]:
        """The weight of each class, shape (n, C), and its counts, shape (n, C, p). Raises Declined for no weight."""
        first = 1 if self.weights is None else 2
        weight = sums[..., first - 1]
        if (weight <= 0).any():
            raise Declined("is trained with rows of a class that weigh nothing")
        return weight, sums[..., first:]

    def _lost(self, *left_of: tuple[Floats, Floats]) -> Floats:
        """The largest ratio of a sum before a subtraction to its rest, shape (n,); 0 where no digit is lost."""
        lost = np.zeros(len(left_of[0][0]))
        if not self.whole:
            for left, of in left_of:
                times = np.where(left > 0, of / left, np.inf)
                lost = np.maximum(lost, times.max(axis=tuple(range(1, left.ndim))))
        return lost

    def _prior(self, weight: Floats) -> Floats:
        """The logs of the chances of the classes, shape (n, C)."""
        if self.priors is not None:
            return np.log(self.priors)[None]
        if self.fit_prior:
            prior: Floats = np.log(weight) - np.log(weight.sum(axis=1, keepdims=True))
            return prior
        return np.full((1, len(self.classes)), -np.log(len(self.classes)))

    @staticmethod
    def _log(smooth: Floats, lost: Floats) -> Floats:
        if (smooth[lost <= LOST] <= 0).any():
            raise Declined("has a chance of 0, whose log is infinite; a larger alpha avoids it")
        logs: Floats = np.log(smooth)
        return logs

    def _rounded(self, values: Floats, size: Floats, lost: Floats) -> Scores:
        """The scores `values` with their rounding: sums of products of logs with an error of units of `size`.

        A row of size 0 has no feature, and the same sum in each class to the last digit.
        """
        units = _LOG + rounding_of(np.ones(1), lost, len(self.X))[:, None]
        rounding = (4 * UNIT * np.sqrt(self.X.shape[1]) * np.abs(values) + units * size) * (size > 0)
        return Scores(values, np.broadcast_to(rounding, values.shape), np.broadcast_to(lost > LOST, len(values)))


class MultinomialNaiveBayes(_Counting):
    """Exact for MultinomialNB."""

    learner_type = MultinomialNB

    def __init__(self, learner: Any, X: Floats, labels: Labels, weights: Floats | None) -> None:
        super().__init__(learner, X, labels, weights)
        _check_not_negative(X)

    def _scores(self, basis: None, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        weight, counts = self._counted(sums)
        of_weight, of_counts = self._counted(of)
        smooth = counts + self.alpha
        lost = self._lost((weight, of_weight), (smooth, of_counts))
        x = self.X[rows]
        logs = self._log(smooth, lost) - np.log(smooth.sum(axis=2, keepdims=True))
        size = x.sum(axis=1, keepdims=True) + (self.weights is not None)  # those of a class have a rounded sum
        return self._rounded(dot(x, logs) + self._prior(weight), size, lost)


class ComplementNaiveBayes(_Counting):
    """Exact for ComplementNB, which counts in all other classes; with `norm` or not."""

    learner_type = ComplementNB

    def __init__(self, learner: Any, X: Floats, labels: Labels, weights: Floats | None) -> None:
        super().__init__(learner, X, labels, weights)
        _check_not_negative(X)
        self.norm = learner.norm

    @property
    def tie(self) -> float:
        """As `ClassSums.tie`; a refit divides each log by their sum, and rounds it."""
        return 0.0 if self.norm else super().tie

    def _scores(self, basis: None, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        _, counts = self._counted(sums)
        every = counts.sum(axis=1, keepdims=True)
        smooth = every - counts + self.alpha
        lost = self._lost((smooth, self._counted(of)[1].sum(axis=1, keepdims=True)))
        x = self.X[rows]
        logs = self._log(smooth / smooth.sum(axis=2, keepdims=True), lost)
        cancelled = 1 + (every + self.alpha) / smooth  # digits lost in the subtraction, also by a refit
        size = dot(x, cancelled)
        if not self.norm:
            return self._rounded(-dot(x, logs), size, lost)
        total = logs.sum(axis=2)
        values = dot(x, logs) / total
        return self._rounded(values, (size + values * cancelled.sum(axis=2)) / np.abs(total), lost)


class BernoulliNaiveBayes(_Counting):
    """Exact for BernoulliNB, with binary features or a threshold that makes them binary."""

    learner_type = BernoulliNB

    def __init__(self, learner: Any, X: Floats, labels: Labels, weights: Floats | None) -> None:
        if learner.binarize is not None:
            X = np.greater(X, learner.binarize).astype(np.float64)
        elif not ((X == 0) | (X == 1)).all():
            raise Declined("has features other than 0 and 1, and binarize=None")
        super().__init__(learner, X, labels, weights)
        if self.alpha.ndim:  # scikit-learn adds such an alpha to the weights of the classes
            raise Declined("has an alpha for each feature")

    def _scores(self, basis: None, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        weight, counts = self._counted(sums)
        of_weight, of_counts = self._counted(of)
        smooth, total = counts + self.alpha, weight[..., None] + 2 * self.alpha
        lost = self._lost((weight, of_weight), (smooth, of_counts), (total - smooth, of_weight[..., None] - of_counts))
        ones = self._log(smooth, lost) - np.log(total)
        rest = 1 - np.exp(ones)
        zeros = self._log(rest, lost)
        values = dot(self.X[rows], ones - zeros) + (self._prior(weight) + zeros.sum(axis=2))  # in the order of a refit
        cancelled = (1 / rest).sum(axis=2)  # digits lost in 1 - exp
        return self._rounded(values, self.X.shape[1] + cancelled, lost)


class CategoricalNaiveBayes(_Counting):
    """Exact for CategoricalNB. A row adds 1 to its category of each feature.

    A feature has as many categories as the training part shows, and at least `min_categories`; for a test row with
    another category a refit raises, and this declines.
    """

    learner_type = CategoricalNB

    def __init__(self, learner: Any, X: Floats, labels: Labels, weights: Floats | None) -> None:
        if not (np.abs(X) < _CATEGORIES).all():
            raise Declined(f"has categories of {_CATEGORIES} and more")
        category = X.astype(np.int64)  # truncated, as by scikit-learn
        _check_not_negative(category)
        super().__init__(learner, X, labels, weights)
        self.whole = _whole(np.ones((1, 1)), weights)
        categories = category.max(axis=0) + 1
        if categories.sum() > _CATEGORIES:
            raise Declined(f"has more than {_CATEGORIES} categories")
        self.starts = np.cumsum(categories) - categories
        self.place = self.starts + category  # among all categories of all features
        self.number = np.arange(categories.sum()) - np.repeat(self.starts, categories) + 1
        at_least = np.asarray(0 if learner.min_categories is None else learner.min_categories)
        if at_least.dtype.kind != "i" or at_least.shape not in ((), X.shape[1:]):
            raise Declined("has min_categories that are not one whole number, or one for each feature")
        if self.alpha == 0 and (at_least > categories).any():
            raise Declined("has categories without a row, and alpha=0")
        self.at_least = at_least

    def _terms(self, basis: None, rows: Rows) -> Floats:  # noqa: ARG002
        d = 1 + len(self.number)
        terms = np.zeros((len(rows), d if self.weights is None else 2 * d))
        terms[:, 0] = 1
        terms[np.arange(len(rows))[:, None], 1 + self.place[rows]] = 1
        if self.weights is not None:
            np.multiply(terms[:, :d], self.weights[rows, None], out=terms[:, d:])
        return terms

    def _counted(self, sums: Floats) -> tuple[Floats, Floats]:
        d = 1 + len(self.number)
        weight, counts = sums[..., -d], sums[..., sums.shape[-1] - d + 1 :]
        if (weight <= 0).any():
            raise Declined("is trained with rows of a class that weigh nothing")
        return weight, counts

    def _scores(self, basis: None, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        weight, counts = self._counted(sums)
        of_weight, of_counts = self._counted(of)
        smooth = counts + self.alpha
        lost = self._lost((weight, of_weight), (smooth, of_counts))
        seen = (sums[..., 1 : 1 + len(self.number)].sum(axis=1) > 0) * self.number
        categories = np.maximum(np.maximum.reduceat(seen, self.starts, axis=1), self.at_least)  # (n, p)
        place = self.place[rows]
        logs = self._log(smooth, lost)
        if (self.number[place] > categories).any():
            raise Declined("has a test row with a category above all categories of the training part")
        of_rows = (
            logs[0][:, place].transpose(1, 0, 2)
            if len(logs) == 1
            else np.take_along_axis(logs, place[:, None, :], axis=2)
        )
        total = weight[..., None] + (self.alpha * categories)[:, None, :]
        values = of_rows.sum(axis=2) - np.log(total).sum(axis=2) + self._prior(weight)
        return self._rounded(values, np.full((1, 1), float(self.X.shape[1])), lost)


def _check_not_negative(X: NDArray[Any]) -> None:
    if (X < 0).any():
        raise Declined("has features below 0, which are no counts")


def _whole(X: Floats, weights: Floats | None) -> bool:
    """Whether sums of the weighted features lose no digit."""
    size = np.abs(X).max(initial=0) * (len(X) if weights is None else np.abs(weights).sum())
    parts = (X,) if weights is None else (X, weights)
    return bool(size < 2**53) and all(bool((np.floor(part) == part).all()) for part in parts)
