"""The error of a hypothesis on rows without labels, by four estimates of others.

ATC: S. Garg, S. Balakrishnan, Z. Lipton, B. Neyshabur, H. Sedghi, Leveraging unlabeled data to predict
out-of-distribution performance (ICLR 2022). DoC: D. Guillory, V. Shankar, S. Ebrahimi, T. Darrell, L. Schmidt,
Predicting with confidence on unseen distributions (ICCV 2021). DIS2: E. Rosenfeld, S. Garg, (Almost) provable error
bounds under distribution shift via disagreement discrepancy (NeurIPS 2023).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats
from sklearn.linear_model import LogisticRegression

Rows = NDArray[np.float64]
Classes = NDArray[np.int64]
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4)  # on the critic's weights: the largest discrepancy of all counts
STEPS = 100  # of the critic's training, for each penalty


def certainty(probabilities: Rows) -> Rows:
    """The negative entropy of the classes' probabilities, shape (n, C): the confidence that ATC prefers."""
    return -np.asarray(special.entr(probabilities).sum(axis=1), dtype=np.float64)


def thresholded_confidence(confidence: Rows, losses: Rows, shifted: Rows) -> float:
    """ATC: the share of `shifted` rows below the threshold that, on labelled rows, has the error's share below it.

    The confidence, of shapes (n,) and (m,), is `certainty`, or the largest probability of a row.
    """
    return float(np.mean(shifted < np.quantile(confidence, losses.mean())))


def difference_of_confidences(confidence: Rows, losses: Rows, shifted: Rows) -> float:
    """DoC: the error on labelled rows, and by how much the mean confidence, the largest probability, is lower."""
    return float(losses.mean() + confidence.mean() - shifted.mean())


def weighted_error(X: Rows, losses: Rows, shifted: Rows) -> float:
    """Importance weighting: the mean loss, with the odds that a row is shifted as its weight.

    A logistic regression learns the odds from one half of the rows, and weighs the losses of the other half.
    """
    rows = np.concatenate([X[::2], shifted[::2]])
    is_shifted = np.arange(len(rows)) >= len(X[::2])
    odds = LogisticRegression(max_iter=1000, class_weight="balanced").fit(rows, is_shifted)
    log_weights = odds.decision_function(X[1::2])
    return float(np.average(losses[1::2], weights=np.exp(log_weights - log_weights.max())))


def disagreement_loss(
    weights: Rows, X: Rows, answers: Classes, shifted: Rows, shifted_answers: Classes
) -> tuple[float, Rows]:
    """What a linear critic with `weights`, shape (p, C), minimises, and its gradient: convex, so that any start serves.

    The log loss of the hypothesis' `answers` on labelled rows, so that it agrees there; and on `shifted` rows
    log(1 + exp(m)), with m the critic's score of the answer less the mean score of the other classes.
    """
    scores, classes = X @ weights, weights.shape[1]
    agrees, own = np.arange(len(X)), np.eye(classes)[shifted_answers]
    log_shares = special.log_softmax(scores, axis=1)
    of_margin = own - (1 - own) / (classes - 1)
    margin = (shifted @ weights * of_margin).sum(axis=1)
    value = np.logaddexp(0, margin).mean() - log_shares[agrees, answers].mean()
    of_scores = np.exp(log_shares)
    of_scores[agrees, answers] -= 1
    gradient = X.T @ of_scores / len(X) + shifted.T @ (special.expit(margin)[:, None] * of_margin) / len(shifted)
    return float(value), gradient


def critics(X: Rows, answers: Classes, shifted: Rows, shifted_answers: Classes, classes: int) -> Iterator[Rows]:
    """The weights, shape (p, C), of critics that agree on labelled and disagree on shifted rows, for each penalty."""
    shape = X.shape[1], classes
    weights = np.zeros(shape)
    for penalty in PENALTIES:

        def objective(flat: Rows, penalty: float = penalty) -> tuple[float, Rows]:
            value, gradient = disagreement_loss(flat.reshape(shape), X, answers, shifted, shifted_answers)
            return value + penalty / 2 * float(flat @ flat), gradient.ravel() + penalty * flat

        found = optimize.minimize(objective, weights.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
        weights = found.x.reshape(shape)
        yield weights


@dataclass(frozen=True)
class Discrepancy:
    """The error of a hypothesis on n labelled rows, and how much `more` a critic disagrees with it on m shifted rows.

    `variance` is that of their sum.
    """

    error: float
    more: float
    variance: float
    n: int
    m: int

    def bound(self, delta: float) -> float:
        """DIS2: the error, the discrepancy, and what Hoeffding's inequality adds at the level 1 - delta."""
        reach = math.sqrt((self.n + 4 * self.m) * math.log(1 / delta) / (2 * self.n * self.m))
        return min(self.error + self.more + reach, 1.0)

    def measured_bound(self, delta: float) -> float:
        """The same with the normal limit, by the measured variance: asymptotic, and much nearer."""
        return min(self.error + self.more + float(stats.norm.isf(delta)) * math.sqrt(self.variance), 1.0)


def largest_discrepancy(
    X: Rows, answers: Classes, losses: Rows, shifted: Rows, shifted_answers: Classes, classes: int
) -> Discrepancy:
    """Of linear critics: half of the rows train them, and the discrepancy is the largest on the other half."""
    X, shifted = (np.column_stack([rows, np.ones(len(rows))]) for rows in (X, shifted))
    trained = critics(X[::2], answers[::2], shifted[::2], shifted_answers[::2], classes)

    def of(weights: Rows) -> Discrepancy:
        on_labelled = (X[1::2] @ weights).argmax(axis=1) != answers[1::2]
        on_shifted = (shifted[1::2] @ weights).argmax(axis=1) != shifted_answers[1::2]
        error, n, m = losses[1::2], len(on_labelled), len(on_shifted)
        variance = np.var(error - on_labelled) / n + np.var(on_shifted) / m
        return Discrepancy(float(error.mean()), float(on_shifted.mean() - on_labelled.mean()), float(variance), n, m)

    return max(map(of, trained), key=lambda found: found.more)
