"""Two scores of what a hypothesis answers to rows without labels, and the map from such a score to an error.

MaNo: R. Xie, A. Odonnat, V. Feofanov, W. Deng, J. Zhang, B. An, MaNo: Exploiting matrix norm for unsupervised accuracy
estimation under distribution shifts (NeurIPS 2024). Nuclear norm: W. Deng, Y. Suh, S. Gould, L. Zheng, Confidence and
dispersity speak: characterising prediction matrix for unsupervised accuracy estimation (ICML 2023).

Their sources judge by how a line over many sets with labels fits. A table has no such sets, so that the line is fitted
to `DRAWS` draws of the labelled rows, each of which prefers one end of a random direction of the columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Rows = NDArray[np.float64]
CONFIDENT = 5.0  # the criterion above which MaNo takes the softmax, from its source
ORDER = 4  # of its norm
DRAWS, TILT, LEVEL = 100, 2.0, 0.95


def scores_of(hypothesis: Any, X: Rows) -> Rows:
    """A column of scores for each class, of sum 0 in two, whose softmax the hypothesis' probabilities are.

    Two classes of scikit-learn have one score, a forest has none: the logarithms of its probabilities, 1e-6 at least.
    """
    if hasattr(hypothesis, "decision_function"):
        scores = np.asarray(hypothesis.decision_function(X), dtype=np.float64)
        return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])
    logs = np.log(np.maximum(hypothesis.predict_proba(X), 1e-6))
    centred: Rows = logs - logs.mean(axis=1, keepdims=True)
    return centred


def mano(scores: Rows) -> float:
    """MaNo of scores before the softmax, shape (m, C): the entries' 4-norm of the normalised scores, in [0, 1].

    They are normalised by softmax where the mean cross-entropy of an even guess is above `CONFIDENT`, else by the
    second-order expansion of exp, which is positive everywhere.
    """
    shares = special.softmax(scores, axis=1)
    if -np.log(np.maximum(shares, 1e-300)).mean() <= CONFIDENT:
        expanded = 1 + scores + scores**2 / 2
        shares = expanded / expanded.sum(axis=1, keepdims=True)
    return float((shares**ORDER).mean() ** (1 / ORDER))


def nuclear_norm(scores: Rows) -> float:
    """The sum of the singular values of the softmax of scores, shape (m, C), over the most that it can be."""
    shares = special.softmax(scores, axis=1)
    return float(np.linalg.svd(shares, compute_uv=False).sum() / np.sqrt(min(shares.shape) * len(shares)))


def tilted(X: Rows, draws: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Places of rows of X, shape (draws, n): each draw prefers one end of a random direction of the columns."""
    places = []
    for _ in range(draws):
        along = X @ rng.normal(size=X.shape[1])
        along = (along - along.mean()) / (along.std() or 1)
        chances = special.softmax(rng.uniform(0, TILT) * np.clip(along, -3, 3))
        places.append(rng.choice(len(X), size=len(X), p=chances))
    return np.array(places)


@dataclass(frozen=True)
class Said:
    """An estimate with the ends of its interval."""

    value: float
    low: float
    high: float


def by_line(
    score: Callable[[Rows], float], scores: Rows, losses: Rows, places: NDArray[np.intp], shifted: Rows
) -> Said:
    """The error of `shifted` rows by the line over the draws at `places`, with its prediction interval, in [0, 1]."""
    x = np.array([score(scores[of]) for of in places])
    y = losses[places].mean(axis=1)
    asked, spread, n = score(shifted), float(x.std()), len(x)
    slope = float(np.cov(x, y, bias=True)[0, 1]) / spread**2 if spread > 0 else 0.0
    residual = y - y.mean() - slope * (x - x.mean())
    away = (asked - x.mean()) ** 2 / (n * spread**2) if spread > 0 else 0.0
    reach = float(stats.t.ppf((1 + LEVEL) / 2, n - 2)) * np.sqrt(residual @ residual / (n - 2) * (1 + 1 / n + away))
    value = float(y.mean() + slope * (asked - x.mean()))
    return Said(*(min(max(end, 0.0), 1.0) for end in (value, value - float(reach), value + float(reach))))
