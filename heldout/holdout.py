"""Hold-out: one hypothesis, tested on rows that it never saw; then retrained on all rows.

METHOD, section 1; Abu-Mostafa, Learning From Data, lecture 13; Gruber, Validierung.
"""

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import student_t, wilson
from heldout.losses import Loss, Losses
from heldout.records import Estimate, Interval, Split, estimate_with

TARGET = "g-: trained without the held-out rows"
TARGET_FINAL = "g: trained on all labelled rows"


def split(validation: NDArray[np.bool_]) -> Split:
    """Train g- on the rows outside the mask `validation`, shape (N,), and test it on those inside."""
    return Split(train=np.flatnonzero(~validation), validation=np.flatnonzero(validation))


def final_split(n: int) -> Split:
    """Retrain g on all n rows; tested on the same rows, its error is E_in."""
    rows = np.arange(n)
    return Split(train=rows, validation=rows)


def estimate(candidate: str, losses: Losses, n_train: int, loss: Loss, level: float) -> Estimate:
    """E_val: the mean of the K held-out `losses`, unbiased for the error of g-, variance sigma^2 / K."""
    return _mean("E_val", candidate, losses, n_train, TARGET, fixed_hypothesis_interval(losses, loss, level))


def training_estimate(candidate: str, losses: Losses) -> Estimate:
    """E_in: the training error of g. It estimates no true error, so it carries no interval."""
    return _mean("E_in", candidate, losses, len(losses), f"{TARGET_FINAL} (its training error)", None)


def final_estimate(candidate: str, losses: Losses, n_train: int, loss: Loss, level: float) -> Estimate:
    """E_test: the mean loss of g on a test part that no choice has looked at."""
    return _mean("E_test", candidate, losses, n_train, TARGET_FINAL, fixed_hypothesis_interval(losses, loss, level))


def fixed_hypothesis_interval(losses: Losses, loss: Loss, level: float) -> Interval | None:
    """Wilson for 0/1 loss, Student's t for unbounded ones; None where a single loss admits none."""
    if loss.name == "zero_one":
        return wilson.interval(losses, level)
    return student_t.interval(losses, level) if len(losses) > 1 else None


def _mean(name: str, candidate: str, losses: Losses, n_train: int, target: str, interval: Interval | None) -> Estimate:
    return estimate_with(
        interval,
        candidate=candidate,
        estimate=name,
        value=float(np.mean(losses)),
        target=target,
        n_train=n_train,
        n_tested=len(losses),
    )
