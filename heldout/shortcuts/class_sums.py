"""Shortcuts from sums over the rows of each class: a training part has the sums of all rows less the held-out sums."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.preconditions import Labels, exactly, features, row_weights
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut
from heldout.splits.split import Rows

Floats = NDArray[np.float64]

UNIT = float(np.finfo(np.float64).eps)
LOST = 1e3  # the largest ratio of a sum to its rest after a subtraction, for the rest to be used
_AT_ONCE = 2**17  # the length of temporary arrays: they fit a cache
_LARGE = 4  # parts of at least one of so many rows take the basis of all rows
_ERROR = 5e-10  # the largest rounding error of a probability


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores at n rows, shape (n, C): the highest gives the label, and the softmax the probabilities.

    `rounding`, of the same shape, bounds the difference from the scores of a refit. `loose`, shape (n,), marks
    hypotheses whose sums have lost too many digits in the subtraction: their training parts have to be summed.
    """

    values: Floats
    rounding: Floats
    loose: NDArray[np.bool_]


class ClassSums(Shortcut):
    """Predictions of a learner whose hypothesis is a function of sums over the rows of each class.

    A subclass defines the terms that a row adds (`_terms`; the first is 1, so that the first sum counts rows), and
    the scores that follow from the sums (`_scores`). `_basis` is the origin of the terms, such as the means of the
    classes. About the basis of all rows the sums of a training part are exact, while both are of similar size.
    """

    classes: NDArray[np.generic]
    least = 1  # rows of each class that a fit needs

    def __init__(self, X: Floats, labels: Labels) -> None:
        self.X = X
        self.classes, self.code = labels.classes, labels.codes
        self.every = np.arange(len(X))

    @property
    def tie(self) -> float:
        """Times the largest score: scores that are so near are equal, also in a refit, and leave no doubt."""
        return 0.0

    @abstractmethod
    def _basis(self, rows: Rows) -> Any:
        """The origin of the terms where these rows train."""

    @abstractmethod
    def _terms(self, basis: Any, rows: Rows) -> Floats:
        """The terms that each row adds to the sums of its class, shape (n, d)."""

    @abstractmethod
    def _scores(self, basis: Any, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:
        """The scores at n rows by hypotheses with `sums`, shape (n, C, d), or by a single one with (1, C, d).

        `of` are the larger sums before the subtraction, of the same shape or with a first axis of 1.
        """

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As `Shortcut.folds`."""
        test_rows = np.flatnonzero(fold >= 0)
        order = np.argsort(fold[test_rows], kind="stable")
        rows = test_rows[order]
        basis, total = self._whole()

        def left(held_out: Floats) -> tuple[Floats, Floats]:
            return total - held_out, total

        in_order = self._predict(basis, rows, fold[rows], left, lambda number: np.flatnonzero(fold != number), method)
        answers = np.empty_like(in_order)
        answers[order] = in_order
        return answers

    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """As `Shortcut.blocks`."""
        test_rows = np.flatnonzero(step >= 0)
        rows = test_rows[np.argsort(step[test_rows])]
        basis, _ = self._whole()
        before = self._summed(basis, np.flatnonzero(step < 0))

        def seen(tested: Floats) -> tuple[Floats, Floats]:
            nonlocal before
            sums = np.cumsum(np.concatenate([before, tested]), axis=0)
            before = sums[-1:]
            return sums[:-1], sums[:-1]

        number = step[rows] // block
        return self._predict(basis, rows, number, seen, lambda number: np.flatnonzero(step < number * block), method)

    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """As `Shortcut.part`; the sums are taken about the basis of all rows, or if need be of the training rows."""
        large = _LARGE * len(train) >= len(self.X)  # so that the basis of all rows is near to its own
        for basis_of in (self._whole_basis, self._basis_of) if large else (self._basis_of,):
            basis = basis_of(train)
            sums = self._summed(basis, train)
            pieces = [
                self._answers(self._checked(basis, sums, sums, rows, method), method) for rows in self._some(test_rows)
            ]
            if not any(doubt.any() for _, doubt in pieces):
                return np.concatenate([answers for answers, _ in pieces])
        raise Declined("is so near to a singular case on a training part that rounding would show")

    def _whole_basis(self, rows: Rows) -> Any:  # noqa: ARG002
        return self._whole()[0]

    def _whole(self) -> tuple[Any, Floats]:
        """The basis of all rows, and their sums, shape (1, C, d): made at the first call."""
        if not hasattr(self, "_made"):
            basis = self._basis_of(self.every)
            self._made = basis, self._summed(basis, self.every)
        return self._made

    def _basis_of(self, rows: Rows) -> Any:
        if np.bincount(self.code[rows], minlength=len(self.classes)).min() < self.least:
            raise Declined(_lacking(self.least))
        return self._basis(rows)

    def _predict(
        self,
        basis: Any,
        rows: Rows,
        number: NDArray[np.int64],
        sums_of: Callable[[Floats], tuple[Floats, Floats]],
        train_of: Callable[[int], Rows],
        method: PredictMethod,
    ) -> Answers:
        """Predict at each of `rows`, shape (n,), by the hypothesis of its `number`; numbers are ascending."""
        done = []
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        width = len(self.classes) * self._width(basis)
        at_once = max(1, _AT_ONCE // width)
        for first in range(0, len(starts), at_once):
            firsts = starts[first : first + at_once]
            end = starts[first + at_once] if first + at_once < len(starts) else len(rows)
            sizes = np.diff(firsts, append=end)
            which = np.repeat(np.arange(len(firsts)), sizes)
            some = rows[firsts[0] : end]
            sums, of = sums_of(self._summed(basis, some, which, len(firsts)))
            if len(some) <= 2 * len(firsts):
                each = len(some) == len(firsts)
                scores = self._checked(
                    basis, sums if each else sums[which], of if each or len(of) == 1 else of[which], some, method
                )
                answers, doubt = self._answers(scores, method)
            else:
                pieces = [
                    self._answers(
                        self._checked(basis, sums[j : j + 1], of if len(of) == 1 else of[j : j + 1], few, method),
                        method,
                    )
                    for j, start in enumerate(firsts - firsts[0])
                    for few in self._some(some[start : start + sizes[j]])
                ]
                answers, doubt = (np.concatenate([piece[at] for piece in pieces]) for at in (0, 1))
            for j in np.unique(which[doubt]):
                answers[which == j] = self.part(train_of(number[firsts[j]]), some[which == j], method)
            done.append(answers)
        return np.concatenate(done)

    def _some(self, rows: Rows) -> Iterator[Rows]:
        """The rows in pieces whose scores are made at once; at least one piece."""
        at_once = max(1, _AT_ONCE // (len(self.classes) * self.X.shape[1]))
        for first in range(0, max(len(rows), 1), at_once):
            yield rows[first : first + at_once]

    def _width(self, basis: Any) -> int:
        return int(self._terms(basis, self.every[:1]).shape[1])

    def _summed(self, basis: Any, rows: Rows, which: Rows | None = None, hypotheses: int = 1) -> Floats:
        """The sums of the terms by hypothesis and class, shape (hypotheses, C, d)."""
        width, classes = self._width(basis), len(self.classes)
        sums = np.zeros((hypotheses * classes, width))
        key = self.code[rows] if which is None else which * classes + self.code[rows]
        if len(key) > 1 and not (key[1:] >= key[:-1]).all():
            order = np.argsort(key, kind="stable")
            key, rows = key[order], rows[order]
        at_once = max(1, _AT_ONCE // width)
        for first in range(0, len(rows), at_once):
            piece = key[first : first + at_once]
            starts = np.flatnonzero(np.diff(piece, prepend=-1))
            terms = self._terms(basis, rows[first : first + at_once])
            sums[piece[starts]] += terms if len(starts) == len(piece) else np.add.reduceat(terms, starts)
        return sums.reshape(hypotheses, classes, width)

    def _checked(self, basis: Any, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:
        if (sums[..., 0] < self.least).any():  # counts have no rounding error
            raise Declined(_lacking(self.least))
        with np.errstate(all="ignore"):
            return self._scores(basis, sums, of, rows, method)

    @np.errstate(invalid="ignore", over="ignore", under="ignore")
    def _answers(self, scores: Scores, method: PredictMethod) -> tuple[Answers, NDArray[np.bool_]]:
        """The labels or probabilities, and where they are in doubt: loose, or rounding would show."""
        values, rounding = np.ascontiguousarray(scores.values.T), np.ascontiguousarray(scores.rounding.T)
        best = (scores.values.argmax(axis=1), np.arange(values.shape[1]))
        top = values[best]
        behind = top - values
        margin = rounding + rounding[best]
        margin[best] = 0
        answers: Answers
        if method == "predict":
            tied = self.tie * np.maximum(1, np.abs(values).max(axis=0))
            doubt = ((behind < margin) & (behind >= tied)).any(axis=0)
            answers = self.classes[best[0]]
        else:
            chances = np.exp(-behind)
            chances /= chances.sum(axis=0)
            nearer = np.exp(np.minimum(margin - behind, 0))  # as near to the best as rounding allows
            doubt = (nearer / (1 + nearer) ** 2 * margin).sum(axis=0) > _ERROR
            doubt |= UNIT * np.abs(top) > _ERROR  # the rounding of a refit's log of the sum of exps
            answers = np.ascontiguousarray(chances.T)
        return answers, doubt | scores.loose | ~np.isfinite(values + rounding).all(axis=0)


def rounding_of(size: Floats, lost: Floats, n: Floats | int) -> Floats:
    """The error, here and in a refit, of a number of this size that is made of sums over n rows.

    `lost` is the size times the ratio of the sums before the subtraction to the sums after it.
    """
    error: Floats = UNIT * (4 * np.sqrt(n) * size + (4 + np.sqrt(n) / 4) * lost)
    return error


def _lacking(least: int) -> str:
    return f"is trained with fewer than {least} {'row' if least == 1 else 'rows'} of a class"


def checked_labels(
    learner: Any, learner_type: type[Any], X: Any, y: NDArray[np.generic], weights: Floats | None, weighted: bool
) -> Labels:
    """The labels y. Raises Declined unless `learner` is exactly of `learner_type`, X are numbers and y classes."""
    exactly(learner, learner_type)
    rows = features(X)
    labels = Labels.of(y, len(rows))
    if weights is not None and not weighted:
        raise Declined("takes no weights of rows")
    row_weights(weights, len(rows))
    return labels


def checked_priors(priors: Any, classes: int) -> Floats:
    """The prior chances of the classes, shape (C,). Raises Declined unless they are C positive numbers."""
    chances = np.asarray(priors, dtype=np.float64)
    if chances.shape != (classes,) or not (chances > 0).all() or not np.isfinite(chances).all():
        raise Declined(f"has priors that are not {classes} positive numbers, one for each class")
    return chances


def dot(x: Floats, each: Floats) -> Floats:
    """x, shape (n, p), times a (C, p) matrix for each row, shape (n, C, p), or for all, (1, C, p); shape (n, C)."""
    product: Floats = x @ each[0].T if len(each) == 1 else np.einsum("np,ncp->nc", x, each)
    return product


def class_means(X: Floats, code: NDArray[np.intp], classes: int) -> Floats:
    """The mean of each class, shape (C, p), to the last digit: the mean of the residuals is added."""
    means = np.empty((classes, X.shape[1]))
    for number in range(classes):
        rows = X[code == number]
        means[number] = rows.mean(axis=0)
        means[number] += (rows - means[number]).mean(axis=0)
    return means
