"""Hold-out: a hypothesis is tested on rows that it never saw; then the learner is retrained on all rows.

METHOD, section 1; Abu-Mostafa, Learning From Data, lecture 13; Gruber, Validierung.
"""

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import IntervalMethod, estimate_with
from heldout.observed import Tested
from heldout.records import Estimate, Split

TARGET = "g-: trained without the held-out rows"
TARGET_FINAL = "g: trained on all labelled rows"


def split(validation: NDArray[np.bool_]) -> Split:
    """Train g- on the rows outside the mask `validation`, shape (N,), and test it on the rows inside."""
    return Split(train=np.flatnonzero(~validation), validation=np.flatnonzero(validation))


def final_split(n: int) -> Split:
    """Retrain g on all n rows. Its error on the same rows is E_in."""
    rows = np.arange(n)
    return Split(train=rows, validation=rows)


def estimate(candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float) -> Estimate:
    """E_val: the mean of the K held-out losses; of plain draws unbiased for the error of g-, variance sigma^2 / K."""
    return estimate_with(candidate, "E_val", observed, TARGET, n_train, method, level)


def training_estimate(candidate: str, observed: Tested) -> Estimate:
    """E_in: the training error of g. It estimates no true error, so it has no interval."""
    return Estimate(candidate, "E_in", observed.error, training_target(observed.n), observed.n, observed.n)


def training_target(n: int, labeled: int | None = None) -> str:
    """What E_in is about: a hypothesis trained on n rows, of `labeled` rows; None where these are all."""
    trained = TARGET_FINAL if labeled in (None, n) else f"trained on {n} of {labeled} labelled rows"
    return f"{trained} (its training error)"


def final_estimate(
    candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float, target: str = TARGET_FINAL
) -> Estimate:
    """E_test: the mean loss of the delivered hypothesis on a test part that no choice depended on."""
    return estimate_with(candidate, "E_test", observed, target, n_train, method, level)
