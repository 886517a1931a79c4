"""Labels that are asked where models disagree, and the error of a hypothesis from rows that were picked so.

Of a pool of N rows without a label, rows i_1 … i_M are drawn one after the other and not put back: row i_m with the
probability q_m = q(i_m), given all draws before and their labels. With the losses L_m of the drawn rows
    LURE = (1/M) sum_m v_m L_m,     v_m = 1 + (N - M) / (N - m) (1 / ((N - m + 1) q_m) - 1)
has the mean loss of the pool as its expectation, whatever the q are, if none is 0 and the hypothesis was fixed before
the draws. If the rows of the pool are independent draws from the population, that is the true error. The mean of the
drawn rows' losses is not: rows on which models disagree are those on which they err. What is reported is the ratio
sum v L / sum v, as for all weights (`heldout.losses.ratio`): sum v is M in expectation, so that the bias is of order
1 / M, and the interval covers where that of the plain mean falls short.

Why: given the draws before, A_m = L_m / (N q_m) + (1/N) sum_{t<m} L_t has the mean loss of the pool as its
expectation, and so has each mean sum_m c_m A_m with sum c_m = 1. LURE has c_m in proportion to
N² / ((N - m) (N - m + 1)), which makes each v_m 1 where all rows are drawn, or each with the same probability. A pool
may grow between the draws: then N_m takes the place of N at draw m, and nothing else changes.

What is approximate: a hypothesis that was trained on other rows of the same draws (g-, the hypotheses of folds) is not
fixed before them. Its training rows are picked, which the v do not undo and should not: it is that hypothesis whose
error is meant. But rows that train it are no rows of its pool, which changes the expectation by about M / N of it.

Interval: `lure`, for losses of 0 and 1 Wilson's, for others log t, both of rows with weights. Assumption: independent
rows in the pool, the q as they were, finite variance, large M. Asymptotic; the v_m L_m of draws far from exhausting the
pool are nearly uncorrelated (docs/losses.md).
Source: S. Farquhar, Y. Gal, T. Rainforth, On statistical bias in active learning: how and when to fix it (ICLR 2021);
J. Kossen, S. Farquhar, Y. Gal, T. Rainforth, Active testing (ICML 2021); D. Raj, Some estimators in sampling with
varying probabilities without replacement, J. Am. Stat. Assoc. 51 (1956), for A_m.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.intervals import log_t, wilson
from heldout.losses import Loss, Losses
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.records import Interval

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

# share of the draws that takes every row with the same probability. So no row is out of reach, and no weight is above
# 1 / UNIFORM if N is the same for all draws: where the models agree and are wrong, the variance is at most doubled
UNIFORM = 0.5

_COVERS = {"LURE": "draws with known probabilities from independent rows, finite variance, large M"}
OF_ERRORS, OF_LOSSES = (
    replace(method, name=f"LURE {method.name}", covers=_COVERS) for method in (wilson.METHOD, log_t.METHOD)
)


def draw(scores: ArrayLike, size: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Values]:
    """Rows drawn without replacement, and the probability of each given those before, both of shape (size,).

    Parameters
    ----------
    scores : array-like of shape (N,)
        How much a label of each row is worth, finite and at least 0.
    size : int
        The number of draws, at most N. More draws begin with the same rows.
    rng : numpy.random.Generator
        The randomness.

    Returns
    -------
    rows, probability : arrays of shape (size,)
        At each draw a row that is left has the probability UNIFORM / rows left + (1 - UNIFORM) score / scores left.

    Raises
    ------
    BadArgument
        For other scores, or another size.

    Examples
    --------
    >>> rows, probability = draw([0.0, 1.0, 0.0, 3.0], 4, np.random.default_rng(0))
    >>> sorted(rows.tolist()), float(probability[-1])
    ([0, 1, 2, 3], 1.0)
    """
    score = np.asarray(scores, dtype=np.float64)
    if not (np.isfinite(score) & (score >= 0)).all():
        raise BadArgument("scores", "scores holds a value that is no finite number of at least 0")
    if not 1 <= size <= len(score):
        raise BadArgument("size", f"size is {size}; it must lie between 1 and {len(score)}, the number of rows")
    rows, probability = np.empty(size, dtype=np.intp), np.empty(size)
    is_left, left = np.ones(len(score), dtype=np.bool_), np.arange(len(score))
    ends = np.cumsum(score)
    total = float(ends[-1])  # of the scores that are left
    for m in range(size):
        even = total <= 0 or rng.random() < UNIFORM
        while True:  # at least half of what is drawn from is left, by number and by score
            place = rng.integers(len(left)) if even else np.searchsorted(ends, rng.random() * ends[-1], side="right")
            row = int(left[min(int(place), len(left) - 1)])
            if is_left[row]:
                break
        count = len(score) - m
        share = 1 / count if total <= 0 else score[row] / total
        rows[m], probability[m] = row, min(UNIFORM / count + (1 - UNIFORM) * share, 1.0)
        is_left[row] = False
        total -= float(score[row])
        if 2 * (count - 1) < len(left) or 2 * total < ends[-1]:
            left = left[is_left[left]]
            ends = np.cumsum(score[left])
            total = float(ends[-1]) if len(ends) else 0.0
    return rows, probability


def lure_weights(probability: ArrayLike, pool: ArrayLike) -> Values:
    """The weights v of M draws in their order, shape (M,): how many times the loss of each counts in a mean over them.

    `probability` and `pool`, of shape (M,), are q_m and N_m, the rows of the pool at draw m with all that were drawn
    before. Raises BadArgument for a probability outside (0, 1], or a pool of fewer than m rows at draw m.

    Examples
    --------
    >>> lure_weights([0.25, 1 / 3], [4, 4]).round(6).tolist()  # draws with equal probabilities
    [1.0, 1.0]
    >>> lure_weights([0.5, 0.1], [4, 4]).round(6).tolist()
    [0.666667, 3.333333]
    """
    q, n = np.asarray(probability, dtype=np.float64), np.asarray(pool, dtype=np.float64)
    wrong = ~((q > 0) & (q <= 1))
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise BadArgument("probability", f"the probability of draw {place + 1} is {q[place]:g}; it must lie in (0, 1]")
    return _weights(1 / q, n)


def lure(losses: Losses, loss: Loss, probability: ArrayLike, pool: ArrayLike, level: float) -> tuple[float, Interval]:
    """The true error of a hypothesis that was fixed before the draws, and its interval.

    `losses`, shape (M,), are those of the drawn rows in the order of the draws; the others as in `lure_weights`. Raises
    BadArgument as `lure_weights`, and for draws that weigh as much as two or less.
    """
    weights = lure_weights(probability, pool)
    observed = Tested(weighed(losses, weights), loss.with_weights(drawn=True), weights=weights)
    method = OF_ERRORS if loss.binary else OF_LOSSES
    return observed.error, method.interval("LURE", observed, level)


def _weights(inverse: Values, n: Values) -> Values:
    """The weights for 1 / q_m and N_m."""
    draws = len(n)
    left = n - np.arange(draws)  # before each draw
    if (left < 1).any():
        place = int(np.flatnonzero(left < 1)[0])
        raise BadArgument("pool", f"the pool of draw {place + 1} is {n[place]:g}; it must have that many rows at least")
    if (left == 1).any():  # the last row of the pool: A_m is the mean of the pool itself
        share = np.zeros(draws)
        share[np.flatnonzero(left == 1)[-1]] = 1.0
    else:
        share = n**2 / ((left - 1) * left)
        share /= share.sum()
    in_order = np.cumsum((share / n)[::-1])[::-1]
    later = np.append(in_order[1:], 0.0)  # sum over t > m of c_t / N_t
    weights: Values = draws * (share * inverse / n + later)
    return weights
