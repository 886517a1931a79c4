"""Hypotheses from the mean and the scatter of each class, as in discriminant analysis.

A hypothesis is the mean of each class, and a matrix for all classes or for each: a sum of the classes' scatters. In
coordinates where the matrix of all rows is the unit matrix, the matrices of training parts are near to it. Leaving out
one row subtracts a multiple of z z^T, z = x - the mean of its class; the inverse follows from Sherman, Morrison (1950).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.class_sums import LOST, UNIT, ClassSums, Floats, Scores, checked_priors, class_means
from heldout.shortcuts.preconditions import Labels
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod
from heldout.splits.split import Rows

_LEAST_SINGULAR = 1e-6  # least singular value of standardised features within classes, for enough digits


@dataclass(frozen=True, eq=False)
class ScatterBasis:
    """The origin and the coordinates of rows; K is 1, or C where each class has a matrix."""

    means: Floats  # (C, p), of the classes
    to: Floats  # (C, p, p), the map that turns the matrix of the class into the unit matrix
    ridge: Floats  # (C, p, p), added to each matrix
    singular: float  # the least singular value of standardised features
    log_det: Floats  # (K,), of the matrix
    least: Floats  # (K,), its least eigenvalue
    condition: Floats  # (K,), its largest eigenvalue by its least
    offset: Floats  # (C,), the distance of the means from 0, if the rounding of features is independent


@dataclass(frozen=True, eq=False)
class _Matrices:
    """The K matrices of each of n hypotheses, or of a single one: norms have shape (n, K)."""

    inverse: Floats  # (n, K, p, p)
    log_det: Floats
    norm: Floats
    norm_inverse: Floats
    lost: Floats  # the lost digits, as a factor


class ClassScatter(ClassSums):
    """A row adds 1, t and t t^T: t = x - the mean of its class, in coordinates where the matrix is the unit matrix.

    The score of a class is log chance - (squared Mahalanobis distance + log determinant) / 2.
    """

    ridge = 0.0  # times the unit matrix, added to each matrix

    def __init__(self, X: Floats, labels: Labels, priors: Any) -> None:
        super().__init__(X, labels)
        self.priors = None if priors is None else checked_priors(priors, len(self.classes))

    @abstractmethod
    def _factors(self, count: Floats) -> Floats:
        """The factor of each class's scatter in each matrix, shape (n, K, C), from the row counts of the classes."""

    @abstractmethod
    def _surely(self, basis: ScatterBasis, norm: Floats, norm_inverse: Floats) -> NDArray[np.bool_]:
        """Whether scikit-learn surely treats the matrices as regular, shape (n,); norms have shape (n, K)."""

    @abstractmethod
    def _refits(self, basis: ScatterBasis, far: Floats) -> Floats:
        """The rounding of a refit's squared distances `far`, shape (n, C), that comes from its matrices."""

    def _chances(self, count: Floats) -> Floats:
        return count / count.sum(axis=1, keepdims=True) if self.priors is None else self.priors[None]

    def _basis(self, rows: Rows) -> ScatterBasis:
        X, code, classes = self.X[rows], self.code[rows], len(self.classes)
        means = class_means(X, code, classes)
        factors = self._factors(np.bincount(code, minlength=classes).astype(np.float64)[None])[0]
        whitened = [_whiten((X - means[code]) * np.sqrt(factor[code])[:, None], self.ridge) for factor in factors]
        to, log_det, singular, least, largest = (np.array(values) for values in zip(*whitened, strict=True))
        return ScatterBasis(
            means=means,
            to=np.broadcast_to(to, (classes, *to.shape[1:])),
            ridge=self.ridge * (to.transpose(0, 2, 1) @ to),
            singular=float(singular.min()),
            log_det=log_det,
            least=least,
            condition=largest / least,
            offset=np.linalg.norm(means[:, :, None] * to, axis=(1, 2)),
        )

    def _terms(self, basis: ScatterBasis, rows: Rows) -> Floats:
        p = self.X.shape[1]
        terms = np.empty((len(rows), 1 + p + p * p))
        terms[:, 0] = 1
        code = self.code[rows]
        for number in np.unique(code):
            of_class = code == number
            terms[of_class, 1 : 1 + p] = (self.X[rows[of_class]] - basis.means[number]) @ basis.to[number]
        z = terms[:, 1 : 1 + p]
        np.multiply(z[:, :, None], z[:, None, :], out=terms[:, 1 + p :].reshape(len(rows), p, p))
        return terms

    def _summed(self, basis: Any, rows: Rows, which: Rows | None = None, hypotheses: int = 1) -> Floats:
        """As `ClassSums._summed`; of a single hypothesis without its terms, whose sums are a product."""
        if which is not None:
            return super()._summed(basis, rows, which, hypotheses)
        sums, p = np.empty((1, len(self.classes), self._width(basis))), self.X.shape[1]
        code = self.code[rows]
        for number, of_class in enumerate(sums[0]):
            z = (self.X[rows[code == number]] - basis.means[number]) @ basis.to[number]
            of_class[0], of_class[1 : 1 + p], of_class[1 + p :] = len(z), z.sum(axis=0), (z.T @ z).ravel()
        return sums

    def _scores(self, basis: ScatterBasis, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        p = self.X.shape[1]
        count, shift, scatter = _parts(sums, p)
        factors = self._factors(count)
        made = self._matrices(basis, factors, scatter, np.einsum("nkc,ncpp->nk", factors, _parts(of, p)[2]))
        away = self._away(basis, rows).transpose(1, 0, 2) - shift
        if len(made.inverse) == 1:
            turned = (away.transpose(1, 0, 2) @ made.inverse[0]).transpose(1, 0, 2)
        else:
            turned = (away[:, :, None, :] @ made.inverse)[:, :, 0]
        far = np.einsum("ncp,ncp->nc", away, turned)
        ones = np.ones(len(sums))
        return self._judged(
            basis, count, made, far, self._spread(basis, count, shift, made.inverse, np.zeros_like(ones), ones)
        )

    def _away(self, basis: ScatterBasis, rows: Rows) -> Floats:
        """The rows about the mean of each class, in its coordinates, shape (C, n, p)."""
        away: Floats = (self.X[rows] - basis.means[:, None]) @ basis.to
        return away

    def _matrices(self, basis: ScatterBasis, factors: Floats, scatter: Floats, of: Floats) -> _Matrices:
        p = self.X.shape[1]
        matrix: Floats = (factors @ scatter.reshape(*scatter.shape[:2], p * p)).reshape(*factors.shape[:2], p, p)
        if self.ridge:
            matrix += basis.ridge
        try:
            inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise Declined("has a singular matrix on a training part") from None
        norm, norm_inverse = (np.abs(each).sum(axis=-1).max(axis=-1) for each in (matrix, inverse))
        sign, log_det = np.linalg.slogdet(matrix)
        log_det = np.where(sign > 0, log_det, np.nan) + basis.log_det
        return _Matrices(inverse, log_det, norm, norm_inverse, norm_inverse * np.maximum(of, p))

    def _spread(
        self,
        basis: ScatterBasis,  # noqa: ARG002
        count: Floats,  # noqa: ARG002
        shift: Floats,  # noqa: ARG002
        inverse: Floats,  # noqa: ARG002
        moved: Floats,
        left: Floats,  # noqa: ARG002
    ) -> NDArray[np.bool_]:
        """Whether scikit-learn surely keeps all directions between the means, shape (n,).

        The means moved by `shift`. Times the roots of the chances, they moved further by a matrix of norm at most
        `moved`. `inverse` is the inverse of the matrix before a rank-one matrix was subtracted, which leaves the share
        `left` in its direction.
        """
        return np.ones(len(moved), dtype=bool)

    def _judged(
        self, basis: ScatterBasis, count: Floats, made: _Matrices, far: Floats, spread: NDArray[np.bool_]
    ) -> Scores:
        p = self.X.shape[1]
        values = np.log(self._chances(count)) - 0.5 * (far + made.log_det)
        noise = 2 * UNIT * np.sqrt(count.sum(axis=1, keepdims=True)) * basis.offset  # of means
        relative = 2 * UNIT * (np.sqrt(p) / basis.singular + made.lost) + noise**2
        rounding = relative * (far + p) + noise * np.sqrt(far) + self._refits(basis, far)
        loose = (made.lost > LOST * p).any(axis=1) | ~self._surely(basis, made.norm, made.norm_inverse) | ~spread
        loose |= ~(np.isfinite(made.log_det).all(axis=1))
        return Scores(values, np.broadcast_to(rounding, values.shape), np.broadcast_to(loose, len(values)))

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As `Shortcut.folds`; with one row in each fold by updates of rank one."""
        test_rows = np.flatnonzero(fold >= 0)
        if (np.bincount(fold[test_rows]) > 1).any():
            return super().folds(fold, method)
        basis, total = self._whole()
        answers = np.empty(
            (len(test_rows),) if method == "predict" else (len(test_rows), len(self.classes)), self._type(method)
        )
        for number in range(len(self.classes)):
            of_class = np.flatnonzero(self.code[test_rows] == number)
            for few in self._some(of_class):
                with np.errstate(all="ignore"):
                    scores = self._left_out(basis, total, number, test_rows[few])
                answers[few], doubt = self._answers(scores, method)
                for at in few[doubt]:
                    answers[at] = self.part(np.delete(self.every, test_rows[at]), test_rows[at : at + 1], method)[0]
        return answers

    def _type(self, method: PredictMethod) -> Any:
        return self.classes.dtype if method == "predict" else np.float64

    def _left_out(self, basis: ScatterBasis, total: Floats, number: int, rows: Rows) -> Scores:
        """The scores at rows of the class `number`, each by the hypothesis trained on all other rows."""
        count, shift, scatter = _parts(total, self.X.shape[1])
        count = count - (np.arange(len(self.classes)) == number)
        if count.min() < self.least:
            raise Declined(f"is trained with fewer than {self.least} rows of a class")
        factors = self._factors(count)
        base = self._matrices(basis, factors, scatter, np.einsum("nkc,ncpp->nk", factors, scatter))
        grown = (count[0, number] + 1) / count[0, number]  # x - the mean without x, by z
        taken = factors[0, :, number] * grown
        away = self._away(basis, rows)
        turned = away @ base.inverse[0]
        far = np.einsum("cnp,cnp->cn", away, turned)
        leverage = taken[min(number, len(taken) - 1)] * far[number]
        left = 1 - leverage
        to_class = grown**2 * far[number] / left
        far += taken[:, None] * np.einsum("cnp,np->cn", turned, away[number]) ** 2 / left
        far[number] = to_class
        hit = (taken > 0) * np.ones((len(rows), 1), dtype=bool)  # the matrices from which z z^T is subtracted
        less = np.where(hit, left[:, None], 1.0)
        made = _Matrices(
            base.inverse,
            base.log_det + np.log(less),
            np.broadcast_to(base.norm, less.shape),
            base.norm_inverse / less,
            base.lost / less,
        )
        chance = self._chances(count)[0, number]
        moved = np.sqrt(to_class * left * chance * (1 - chance)) / (grown * count[0, number])
        spread = self._spread(basis, count, np.zeros_like(shift), base.inverse, moved, left)
        return self._judged(basis, count, made, far.T, spread)


def _parts(sums: Floats, p: int) -> tuple[Floats, Floats, Floats]:
    """The rows of each class, shape (n, C), their mean, (n, C, p), and their scatter about it, (n, C, p, p)."""
    count = sums[..., 0]
    shift = sums[..., 1 : 1 + p] / count[..., None]
    scatter = sums[..., 1 + p :].reshape(*count.shape, p, p) - np.einsum("nc,ncp,ncq->ncpq", count, shift, shift)
    return count, shift, scatter


def _whiten(rows: Floats, ridge: float) -> tuple[Floats, float, float, float, float]:
    """The map that turns W = rows^T rows + ridge I, p x p, into the unit matrix; the log determinant of W; the least
    singular value of its standardised root; its least and largest eigenvalue.
    """
    p = rows.shape[1]
    root = np.linalg.qr(np.vstack([rows, np.sqrt(ridge) * np.eye(p)]), mode="r")
    deviation = np.linalg.norm(root, axis=0)
    if not (deviation > 0).all():
        raise Declined("has a feature that is constant within classes")
    _, singular, axes = np.linalg.svd(root / deviation)
    if singular[-1] < _LEAST_SINGULAR:
        raise Declined("has features that are nearly collinear within classes")
    values = np.linalg.svd(root, compute_uv=False)
    to = (axes / deviation).T / singular
    log_det = 2 * float(np.log(singular).sum() + np.log(deviation).sum())
    return to, log_det, float(singular[-1]), float(values[-1] ** 2), float(values[0] ** 2)
