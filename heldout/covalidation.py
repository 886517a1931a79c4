"""Co-validation: the disagreement of independently trained hypotheses on unlabelled rows.

METHOD, section 5; Madani, Pennock, Flake, Co-Validation (NIPS 2004).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss, Losses
from heldout.records import Estimate, Split

TARGET = "a hypothesis trained on half of the labelled rows"


def splits(half: NDArray[np.int8]) -> tuple[Split, Split]:
    """The two splits of one repeat's `half`, shape (N,): each half trains, the other one tests."""
    rows = np.flatnonzero(half == 0), np.flatnonzero(half == 1)
    return Split(train=rows[0], validation=rows[1]), Split(train=rows[1], validation=rows[0])


def pointwise_disagreement(first: NDArray[np.generic], second: NDArray[np.generic], loss: Loss) -> Losses:
    """How far two predictions, shape (n,), differ: [f1 != f2] for classes, (f1 - f2)^2 for numbers."""
    return loss.pointwise(first, second)


def error_bound(disagreement: float, loss: Loss, classes: int) -> tuple[float, bool]:
    """E_dis, the lower bound on the expected error that a disagreement rate d implies.

    Two classes (Madani et al., section 2.2): at one instance d_x = 2 e_x (1 - e_x), so that
    d/2 = e - E e_x^2 <= e - e^2 by Jensen, and e >= (1 - sqrt(1 - 2d)) / 2. In expectation d <= 1/2;
    an empirical d above it is clamped to 1/2, and the second value returned is then True.

    More classes: both hypotheses are right, and so agree, with chance (1 - e_x)^2; hence
    d_x <= 1 - (1 - e_x)^2, by Jensen d <= 1 - (1 - e)^2, and e >= 1 - sqrt(1 - d).

    Stratified halves are not quite independent, and with an odd number of rows one half has a row
    more; both effects vanish with N and are not corrected for.

    Numbers: E (f1(x) - f2(x))^2 / 2 is the variance of the prediction at x, and the expected
    squared error is noise + bias^2 + variance; hence e >= d/2.
    """
    if loss.name == "squared":
        return disagreement / 2, False
    if classes > 2:
        return 1 - math.sqrt(1 - disagreement), False
    return (1 - math.sqrt(1 - 2 * min(disagreement, 0.5))) / 2, disagreement > 0.5


def estimates(
    candidate: str,
    losses: Losses,
    training_errors: Sequence[float],
    disagreement: float | None,
    *,
    n_labeled: int,
    n_unlabeled: int,
    loss: Loss,
    classes: int,
) -> list[Estimate]:
    """E_2cv and E_train, and with unlabelled rows also disagreement, E_dis and E_maxdt.

    `losses`, shape (R N,), are those of the half model that did not see the row; `training_errors`,
    length 2R, each half model's error on its own half; `disagreement` the mean over repeats and
    unlabelled rows, None without such rows. E_maxdt = max(E_train, E_dis) guards against learners
    that agree because they learn nothing. All are about hypotheses trained on N/2 rows, and no
    interval is claimed: repeats share their rows.
    """

    def record(name: str, value: float, target: str, n_tested: int) -> Estimate:
        return Estimate(candidate, name, value, target, n_labeled // 2, n_tested)

    training_error = float(np.mean(training_errors))
    found = [
        record("E_2cv", float(np.mean(losses)), TARGET, n_labeled),
        record("E_train", training_error, f"{TARGET} (its training error)", n_labeled),
    ]
    if disagreement is not None:
        bound, clamped = error_bound(disagreement, loss, classes)
        flag = " (disagreement above 1/2, clamped)" if clamped else ""
        found += [
            record("disagreement", disagreement, "two hypotheses trained on disjoint halves", n_unlabeled),
            record("E_dis", bound, f"{TARGET} (a lower bound){flag}", n_unlabeled),
            record("E_maxdt", max(training_error, bound), f"{TARGET} (max of E_train and E_dis){flag}", n_unlabeled),
        ]
    return found
