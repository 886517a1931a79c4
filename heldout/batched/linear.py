"""Linear models together: one matrix product of all coefficients with a block of rows.

Two ways to sum p products and a constant differ by at most (p + 1) eps (1 + O(p eps)) of the sum of their
absolute values, whatever the order (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Where a score
is nearer to a tie than twice this bound plus a margin, `predict` of the hypothesis might give another label. Then
`predict` is called, for all rows, because its order of summation may depend on them.

Labels of two classes are first taken from scores in single precision, where the same bound holds for its eps and the
rounding of weights and rows: of the rows with a score nearer to a tie than that, few, all scores are made again.

The absolute values add up to at most the length of the weights times the length of the row (Cauchy and Schwarz), and a
row is no longer than the block, whose length is one dot product. Where this bound decides nothing, because columns are
of very different sizes, the largest value of each column does.

Behind a StandardScaler a score is w . (x - mean) / scale + b = (w / scale) . (x - c) + b - (w / scale) . (mean - c),
with the same c for all hypotheses, the mean of their means. So no digits are lost where a mean is large relative to
its scale.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.batched.group import same_classes, steps, table, takes
from heldout.learners.fitting import answers
from heldout.losses import Loss
from heldout.losses.loss import places

Values = NDArray[np.float64]

# fewer rows need more calls, and up to about 4096 rows NumPy compares with a column of limits at a third of its speed;
# more rows leave the cache: measured with 50 columns and 60 hypotheses
_ROWS_AT_ONCE = 8192
_ROUNDINGS = 10  # in addition to the sum: scaling, centring, the comparison
_TINY = float(np.finfo(np.float64).tiny)  # below, the rounding error of a product is absolute, not relative
_TINY_SINGLE, _ROUNDED_UP = float(np.finfo(np.float32).tiny), 1.1  # of a length, which is summed in single precision
_LARGE_SINGLE = float(np.finfo(np.float32).max) / 4
_MOST_NEAR = 0.125  # of the rows, to be made again: with more, double precision is faster


@dataclass(frozen=True, eq=False)
class Linear:
    """m linear models of p features: a line of `weights`, shape (m k, p), and a `constant` for each score.

    k is 1 for numbers and two classes, else the number of classes. `sizes`, shape (m k,), are the magnitudes of the
    constant terms, `bounds` the magnitudes of the weights; `centre`, shape (p,), is None without a StandardScaler.
    """

    hypotheses: Sequence[Any]
    X: Any
    loss: Loss
    rows: NDArray[Any]
    classes: NDArray[np.generic] | None
    weights: Values
    bounds: Values
    constant: Values
    sizes: Values
    centre: Values | None
    rows_at_once: int
    _predicted: dict[int, NDArray[Any]] = field(default_factory=dict)
    _unsure: list[slice] = field(default_factory=list)

    @classmethod
    def of(cls, hypotheses: Sequence[Any], X: Any, loss: Loss) -> Self | None:
        """None unless all are fitted on the columns of X, for the same classes, in double precision."""
        rows = table(X)
        if rows is None or not (rows.dtype == np.float64 or rows.dtype.kind in "iu") or not takes(hypotheses, X):
            return None
        classes = same_classes(hypotheses, loss)
        if (classes is None) != (loss.needs == "number") or (
            loss.needs == "probabilities" and not _has_link(hypotheses)
        ):
            return None
        parts = _coefficients(hypotheses, rows.shape[1], 1 if classes is None or len(classes) == 2 else len(classes))
        if parts is None:
            return None
        kept = classes if loss.needs == "class" else None
        folded = _folded(hypotheses, *parts)
        return cls(hypotheses, X, loss, rows, kept, *folded, _ROWS_AT_ONCE)

    def answers(self, rows: slice) -> NDArray[Any]:
        """For each hypothesis positions among `classes` or numbers, shape (m, b), or probabilities, shape (m, b, C)."""
        if self.loss.needs != "class" or len(self.weights) > len(self.hypotheses) or self._unsure:
            return self._in_double(rows)
        codes, near = self._in_single(rows)
        if len(near) > _MOST_NEAR * codes.shape[1]:
            self._unsure.append(rows)  # so will be other blocks
            return self._in_double(rows)
        if len(near):
            codes[:, near] = self._in_double((rows.start or 0) + near)
        return codes

    def _in_single(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Whether each score is of the second of two classes, shape (m, b), and the rows where one may not be sure."""
        block = self.rows[rows] if self.centre is None else self.rows[rows] - self.centre
        with np.errstate(over="ignore", invalid="ignore"):
            single = block.astype(np.float32)
            squares = np.einsum("bp,bp->b", single, single).max(initial=0.0) + single.shape[1] * _TINY_SINGLE
            most = self._lengths * (_ROUNDED_UP * np.sqrt(np.float64(squares))) + self.sizes
            slack = (single.shape[1] + _ROUNDINGS) * (np.finfo(np.float32).eps * most + _TINY_SINGLE)
            scores = self._single @ single.T
            above, from_below = (
                compare(scores, np.nextafter(of.astype(np.float32), np.float32(towards))[:, None])
                for compare, of, towards in (
                    (np.greater, slack - self.constant, np.inf),
                    (np.greater_equal, -slack - self.constant, -np.inf),
                )
            )
        if not (most < _LARGE_SINGLE).all():  # a sum of its terms may overflow
            return above, np.arange(above.shape[1])
        if np.count_nonzero(above) == np.count_nonzero(from_below):  # what is above is never below
            return above, np.empty(0, dtype=np.intp)
        return above, np.flatnonzero((above != from_below).any(axis=0))

    @cached_property
    def _single(self) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):  # the slack is then not finite
            return self.weights.astype(np.float32)

    @cached_property
    def _lengths(self) -> Values:
        lengths: Values = np.sqrt(np.einsum("mp,mp->m", self.bounds, self.bounds)) + _TINY_SINGLE
        lengths[~np.isfinite(self._single).all(axis=1)] = np.inf
        return lengths

    def _in_double(self, rows: slice | NDArray[np.intp]) -> NDArray[Any]:
        """The answers by scores in double precision, or by the hypotheses themselves."""
        block = np.asarray(self.rows[rows].T, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # the slack is then not finite
            if self.centre is not None:
                block = block - self.centre[:, None]
            scores = self.weights @ block
            # the bounds after the product, which has brought the block into the cache
            predictions, sure = self._labels(scores, block) if self.loss.needs == "class" else self._values(scores)
        for place in np.flatnonzero(~sure):
            predictions[place] = self._by_itself(int(place))[rows]
        return predictions

    def differences(self) -> Self:
        """The models of numbers whose predictions are how far each pair of hypotheses differs: half of the products."""
        pairs = zip(self.hypotheses[::2], self.hypotheses[1::2], strict=True)
        weights, constant = (of[::2] - of[1::2] for of in (self.weights, self.constant))
        hypotheses = [_Difference(first, second) for first, second in pairs]
        return replace(self, hypotheses=hypotheses, weights=weights, constant=constant, _predicted={})

    def _labels(self, scores: Values, block: Values) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The places of the classes, and whether each hypothesis would predict the same labels itself."""
        codes: NDArray[Any]
        of_two = len(scores) == len(self.hypotheses)
        if not of_two:
            scores += self.constant[:, None]
        for most in (by_length, by_column):
            slack = self.slack(block, most)
            if of_two:
                codes, sure = _two_classes(scores, self.constant, slack)
            else:
                of_each = (len(self.hypotheses), -1)
                codes, sure = _many_classes(scores.reshape(*of_each, scores.shape[1]), slack.reshape(of_each))
            if sure.all():
                break
        return codes, sure

    def slack(self, block: Values, most: Callable[[Values, Values], Values]) -> Values:
        """How far a score of the block, shape (p, b), may differ from the hypothesis' own, shape (m k,).

        `most` is the bound of the terms: `by_length` or `by_column`.
        """
        slack: Values = (
            2 * (len(block) + _ROUNDINGS) * np.finfo(np.float64).eps * (most(self.bounds, block) + self.sizes)
        )
        return slack

    def _values(self, scores: Values) -> tuple[Values, NDArray[np.bool_]]:
        """Numbers or probabilities, and whether none of a hypothesis' scores is too large for a number."""
        m = len(self.hypotheses)
        scores += self.constant[:, None]
        finite: NDArray[np.bool_] = np.all(np.isfinite(scores).reshape(m, -1), axis=1)
        if self.loss.needs == "probabilities":
            scores = _of_two(scores) if len(scores) == m else _softmax(scores.reshape(m, -1, scores.shape[1]))
        return scores, finite

    def _by_itself(self, place: int) -> NDArray[Any]:
        """The predictions of one hypothesis at all rows, by itself."""
        if place not in self._predicted:
            predictions = answers(self.hypotheses[place], self.X, self.loss)
            self._predicted[place] = predictions if self.classes is None else places(predictions, self.classes)
        return self._predicted[place]


@dataclass(frozen=True)
class _Difference:
    """How far two hypotheses of numbers differ."""

    first: Any
    second: Any

    def predict(self, X: Any) -> Values:
        difference: Values = self.first.predict(X) - self.second.predict(X)
        return difference


def by_length(bounds: Values, block: Values) -> Values:
    """The most that the magnitudes of the terms of a score can add up to, shape (m k,), by the length of the block."""
    lost = block.size * _TINY  # squares so small that they become 0
    longest = np.sqrt(np.einsum("pb,pb->", block, block) + lost)
    most: Values = np.sqrt(np.einsum("mp,mp->m", bounds, bounds)) * longest
    return most


def by_column(bounds: Values, block: Values) -> Values:
    """The same by the largest value of each column of the rows."""
    most: Values = bounds @ np.maximum(block.max(axis=1), -block.min(axis=1))
    return most


def _two_classes(scores: Values, constant: Values, slack: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each score, shape (m, b), is of the second class, and which hypotheses are sure of all rows."""
    above, from_below = scores > (slack - constant)[:, None], scores >= (-slack - constant)[:, None]
    finite: NDArray[np.bool_] = np.isfinite(slack)
    if np.count_nonzero(above) == np.count_nonzero(from_below):  # what is above is never below
        return above, finite
    return above, finite & (above == from_below).all(axis=1)


def _many_classes(scores: Values, slack: Values) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
    """The position of the largest of C scores, shape (m, C, b), of equal scores the first, and whether it is sure."""
    best, second = scores[:, 0].copy(), np.full_like(scores[:, 0], -np.inf)
    codes = np.zeros(best.shape, dtype=np.min_scalar_type(scores.shape[1]))
    for place in range(1, scores.shape[1]):
        score = scores[:, place]
        np.maximum(codes, (score > best) * codes.dtype.type(place), out=codes)
        np.maximum(second, np.minimum(score, best), out=second)
        np.maximum(best, score, out=best)
    sure: NDArray[np.bool_] = np.all(best - second > 2 * slack.max(axis=1)[:, None], axis=1)
    return codes, sure & np.isfinite(slack).all(axis=1)


def _of_two(scores: Values) -> Values:
    """The probabilities of two classes, shape (m, b, 2)."""
    from scipy.special import expit

    second = expit(scores)
    return np.stack([1 - second, second], axis=-1)


def _softmax(scores: Values) -> Values:
    """The probabilities of C classes, shape (m, b, C), of scores of shape (m, C, b)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.moveaxis(powers / powers.sum(axis=1, keepdims=True), 1, 2)


def _has_link(hypotheses: Sequence[Any]) -> bool:
    """Whether probabilities are the logistic function of a score, or the softmax of many."""
    models = [steps(hypothesis)[-1] for hypothesis in hypotheses]
    if type(models[0]).__name__ == "SGDClassifier":
        return all(model.loss == "log_loss" and len(model.classes_) == 2 for model in models)
    return type(models[0]).__name__ in ("LogisticRegression", "LinearDiscriminantAnalysis")


def _coefficients(hypotheses: Sequence[Any], p: int, k: int) -> tuple[Values, Values] | None:
    """The coefficients, shape (m, k, p), and the intercepts, shape (m, k); None if they have another form."""
    weights, intercepts = [], []
    for hypothesis in hypotheses:
        model = steps(hypothesis)[-1]
        coef, intercept = model.coef_, np.asarray(model.intercept_)
        if not isinstance(coef, np.ndarray) or coef.dtype != np.float64 or intercept.dtype != np.float64:
            return None
        if coef.shape not in ((k, p), (p,) if k == 1 else ()) or intercept.size not in (1, k):
            return None
        weights.append(coef.reshape(k, p))
        intercepts.append(np.broadcast_to(intercept.ravel(), k))
    return np.stack(weights), np.stack(intercepts)


def _folded(
    hypotheses: Sequence[Any], weights: Values, intercepts: Values
) -> tuple[Values, Values, Values, Values, Values | None]:
    """`weights`, `bounds`, `constant`, `sizes` and `centre`, which include the scale of a StandardScaler."""
    m, k, p = weights.shape
    sizes = np.abs(intercepts) + _TINY * (1 + np.abs(weights).sum(axis=2))
    constant, centre = intercepts, None
    if len(steps(hypotheses[0])) == 2:
        scalers = [steps(hypothesis)[0] for hypothesis in hypotheses]
        means = np.stack([scaler.mean_ if scaler.with_mean else np.zeros(p) for scaler in scalers])
        scales = np.stack([scaler.scale_ if scaler.with_std else np.ones(p) for scaler in scalers])
        centre = means.mean(axis=0)
        with np.errstate(all="ignore"):  # the slack is then not finite
            weights = weights / scales[:, None]
            offset = (means - centre)[:, None] * weights
            constant, sizes = intercepts - offset.sum(axis=2), sizes + np.abs(offset).sum(axis=2)
    flat = weights.reshape(m * k, p)
    return flat, np.abs(flat) + _TINY, constant.ravel(), sizes.ravel(), centre
