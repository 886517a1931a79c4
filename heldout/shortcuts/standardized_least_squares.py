"""Linear and ridge regression, and the ridge classifier, behind a standardisation by each training part.

Source: the normal equations. The penalty applies to coefficients of standardised features, so it differs between parts,
and no factorisation of all rows serves all parts. A part needs the Gram matrix of its rows (1, z, y), z = x in standard
deviations of all rows about their mean: the matrix of all rows less the fold's matrix. With S and b its scatters
of z with z and with y about the part's means, and d the part's deviations of z, the coefficients of z are
    D^-1 (D^-1 S D^-1 + alpha I)^-1 D^-1 b = (S + alpha D^2)^-1 b,   D = diag(d).
The cost is N p^2, and p^3 for each part. Where a row is left out alone, S is that of all rows less a row, and D^2 is
the identity but for about 1/N: so these parts are solved together (`heldout.shortcuts.one_row_less`), at p^2 for each,
but for rows on which the deviations depend too much.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts import preconditions
from heldout.shortcuts.least_squares import answers_of, checked, only_predicts, penalty_of, tolerance_of
from heldout.shortcuts.one_row_less import solved
from heldout.shortcuts.preconditions import Labels, Values
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut
from heldout.splits.split import Rows

_AT_ONCE = 2**17  # the length of temporary arrays
_UNIT = 16 * float(np.finfo(np.float64).eps)  # the rounding error of a sum over rows, here and in a refit
_ERROR = 5e-10  # the largest relative rounding error of a prediction
_VARIES = 1e-4  # the least variance, or sum of weights, of a part, relative to all rows
_FAR = 1e6  # the largest mean, in deviations, for which a refit's deviations keep their digits


@dataclass(frozen=True, eq=False)
class _Sums:
    """For m parts: the weighted Gram matrices of (1, z, y), shape (m, q, q), and the plain sums of (1, z, z²)."""

    gram: Values
    moments: Values

    def less(self, other: "_Sums") -> "_Sums":
        return _Sums(self.gram - other.gram, self.moments - other.moments)


class StandardizedLeastSquares(Shortcut):
    """`LinearRegression`, `Ridge` and `predict` of `RidgeClassifier`, with an intercept, behind `StandardScaler`.

    The scaler takes no row weights; the learner may.
    """

    def __init__(self, learner: Any, X: Values, Y: Values, weights: Values | None, labels: Labels | None) -> None:
        self._alpha, self._labels = penalty_of(learner), labels
        self.classes = None if labels is None else labels.classes
        self._tol = tolerance_of(learner)
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        if not (deviation * _FAR > np.abs(mean)).all():
            raise Declined("has a feature that hardly varies, behind a standardisation")
        self._features = X.shape[1]
        self._rows = np.hstack([np.ones((len(X), 1)), (X - mean) / deviation, Y])
        self._weights = np.ones(len(X)) if weights is None else weights
        self._all = self._sums(np.arange(len(X))[None])

    @classmethod
    def of(cls, learner: Any, X: Any, y: Any, weights: NDArray[np.float64] | None = None) -> Self:
        """The shortcut of the learner behind the scaler: X of shape (N, p), y and weights (N,). Raises Declined."""
        rows, Y, counted, labels = checked(learner, X, y, weights)
        if not learner.fit_intercept:
            raise Declined("has no intercept, behind a standardisation")
        if rows.shape[1] >= len(rows):
            raise Declined("has as many features as rows, behind a standardisation")
        return cls(learner, rows, Y, counted, labels)

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As Shortcut.folds."""
        only_predicts(method)
        if self._labels is not None:
            self._labels.in_each_fold(fold)
        scores = np.empty((len(fold), self._rows.shape[1] - 1 - self._features))
        lost = 0.0
        for group in preconditions.rows_of_folds(fold):
            together = group[:0, 0]
            if group.shape[1] == 1:
                together, scores_of_them, error = self._without_each(group[:, 0])
                scores[together], lost = scores_of_them, max(lost, error)
            for rows in self._some(group[~np.isin(group[:, 0], together)]):
                scores[rows], error = self._scores(self._all.less(self._sums(rows)), rows)
                lost = max(lost, error)
        return self._answers(scores[fold >= 0], lost)

    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.blocks."""
        only_predicts(method)
        order, always = preconditions.rows_in_steps(step), np.flatnonzero(step < 0)
        if self._labels is not None:
            self._labels.in_part(always)
        before = self._sums(always[None])
        whole = len(order) // block * block
        scores, lost = [], 0.0
        for group in (order[:whole].reshape(-1, block), order[None, whole:]):
            for rows in self._some(group):
                added = self._sums(rows)
                seen = _Sums(
                    np.concatenate([before.gram, added.gram]).cumsum(axis=0),
                    np.concatenate([before.moments, added.moments]).cumsum(axis=0),
                )
                of_blocks, error = self._scores(_Sums(seen.gram[:-1], seen.moments[:-1]), rows)
                scores.append(of_blocks.reshape(-1, of_blocks.shape[2]))
                lost, before = max(lost, error), _Sums(seen.gram[-1:], seen.moments[-1:])
        return self._answers(np.concatenate(scores), lost)

    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.part."""
        only_predicts(method)
        if self._labels is not None:
            self._labels.in_part(train)
        scores, lost = self._scores(self._sums(train[None]), test_rows[None])
        return self._answers(scores[0], lost)

    def _some(self, group: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """The rows of folds of one size, shape (m, b), in pieces of some folds; nothing for folds without rows."""
        width = self._rows.shape[1]
        at_once = max(1, _AT_ONCE // (width * max(width, group.shape[1])))
        for first in range(0, len(group) if group.size else 0, at_once):
            yield group[first : first + at_once]

    def _sums(self, rows: NDArray[np.intp]) -> _Sums:
        """The sums over the rows of m parts, shape (m, b)."""
        values = self._rows[rows]
        gram = (values * self._weights[rows][..., None]).transpose(0, 2, 1) @ values
        z = values[..., : 1 + self._features]
        return _Sums(gram, np.hstack([z.sum(axis=1), (z[..., 1:] ** 2).sum(axis=1)]))

    def _scores(self, sums: _Sums, rows: NDArray[np.intp]) -> tuple[Values, float]:
        """The scores of m hypotheses at b rows each, shape (m, b, targets), and the largest loss of digits."""
        p, gram, whole = self._features, sums.gram, self._all
        deviation = self._deviations(sums.moments)
        weight = gram[:, :1, 0]
        if not (weight > _VARIES * whole.gram[:, 0, 0]).all():
            raise Declined("is to be trained on rows of hardly any weight")
        means = gram[:, 0, 1:] / weight
        scatter = gram[:, 1:, 1:] - gram[:, 1:, :1] * means[:, None]
        matrix = scatter[:, :p, :p] / deviation[:, :, None] / deviation[:, None, :]
        matrix += self._alpha * np.eye(p)
        try:
            inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise Declined("has features that depend on each other") from None
        c = inverse @ (scatter[:, :p, p:] / deviation[..., None])
        u = (self._rows[rows, 1 : 1 + p] - means[:, None, :p]) / deviation[:, None]
        scores = means[:, None, p:] + u @ c

        reach = np.abs(inverse).sum(axis=2).max(axis=1)  # at least the norm
        farthest = np.take_along_axis(u, (u**2).sum(axis=2).argmax(axis=1)[:, None, None], axis=1)[:, 0]
        return scores, self._loss(deviation, reach, farthest, c, weight[:, 0])

    def _without_each(self, rows: Rows) -> tuple[Rows, Values, float]:
        """The rows that can be left out together, each alone, of n; their scores, (m, targets); the loss of digits."""
        p, gram = self._features, self._all.gram[0]
        means = gram[0, 1:] / gram[0, 0]
        scatter = gram[1:, 1:] - np.outer(gram[1:, 0], means)
        try:
            inverse = np.asarray(np.linalg.inv(scatter[:p, :p] + self._alpha * np.eye(p)), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise Declined("has features that depend on each other") from None
        at_once = max(1, _AT_ONCE // self._rows.shape[1])
        pieces = [rows[first : first + at_once] for first in range(0, len(rows), at_once)]
        near, scores, lost = zip(*(self._without(piece, means, scatter, inverse) for piece in pieces), strict=True)
        return rows[np.concatenate(near)], np.concatenate(scores), max(lost)

    def _without(
        self, rows: Rows, means: Values, scatter: Values, inverse: Values
    ) -> tuple[NDArray[np.bool_], Values, float]:
        p, weights, total = self._features, self._weights[rows], self._all.gram[0, 0, 0]
        left = total - weights
        if not (left > _VARIES * total).all():
            raise Declined("is to be trained on rows of hardly any weight")
        values = self._rows[rows]
        moments = np.hstack([values[:, : 1 + p], values[:, 1 : 1 + p] ** 2])
        deviation = self._deviations(self._all.moments - moments)
        apart = values[:, 1:] - means
        taken = apart * np.sqrt(weights * total / left)[:, None]
        right = scatter[:p, p:] - taken[:, :p, None] * taken[:, None, p:]
        found = solved(inverse, taken[:, :p], right, self._alpha * (1 - deviation**2))
        near, c, deviation = found.near, found.solutions, deviation[found.near]
        apart *= (total / left)[:, None]  # from the mean of the others
        u = apart[near, :p]
        scores = values[near, 1 + p :] - apart[near, p:] + np.einsum("np,npt->nt", u, c)
        reach = found.reach * (deviation**2).max(axis=1, initial=0)
        lost = self._loss(deviation, reach, u / deviation, c * deviation[..., None], left[near])
        return near, scores, lost

    def _loss(self, deviation: Values, reach: Values, u: Values, c: Values, weight: Values) -> float:
        """The largest loss of digits of m hypotheses: of coefficients c, (m, p, targets), at rows u, (m, p), in the
        part's deviations, with inverses of at most the norms `reach`, and sums of weights, (m,)."""
        if not len(reach):
            return 0.0
        squares, p = self._all.gram[0].diagonal(), self._features
        size = (squares[1 : 1 + p] / deviation**2).sum(axis=1) + self._alpha  # of the matrix before the subtraction
        outcomes = squares[1 + p :].max()
        if not (reach * size * self._tol**2 < 1).all():
            raise Declined("has features that nearly depend on each other")
        farthest = np.maximum(np.sqrt((u**2).sum(axis=1)), 1.0)
        largest = np.sqrt((c**2).sum(axis=1)).max(axis=1)
        error = farthest * reach * (size * largest + np.sqrt(size * outcomes))
        error += np.sqrt(squares[0] * outcomes) / weight  # from the mean outcome
        return float(error.max())

    def _deviations(self, moments: Values) -> Values:
        """The deviation of each z in m parts, shape (m, p), from the sums of 1, z and z²."""
        n, p = moments[:, :1], self._features
        variance = moments[:, 1 + p :] / n - (moments[:, 1 : 1 + p] / n) ** 2
        if not (variance > _VARIES).all():
            raise Declined("has a feature that hardly varies in a training part")
        return np.sqrt(variance)

    def _answers(self, scores: Values, lost: float) -> Answers:
        if not _UNIT * lost <= _ERROR * np.abs(scores).max(initial=0):
            raise Declined("has features that nearly depend on each other, or predictions too small for its digits")
        return answers_of(scores, self._labels)
