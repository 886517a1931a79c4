"""Co-validation: the disagreement of independently trained hypotheses on unlabelled rows.

METHOD, section 5; Madani, Pennock, Flake, Co-Validation (NIPS 2004).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import Method, estimate_with
from heldout.losses import Loss, Losses
from heldout.observed import Crossed
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
    squared error is noise + bias^2 + variance; hence e >= d/2. For the absolute loss the triangle
    inequality |f1 - f2| <= |f1 - y| + |f2 - y| gives the same e >= d/2.
    """
    if not loss.binary:
        return disagreement / 2, False
    if classes > 2:
        return 1 - math.sqrt(1 - disagreement), False
    return (1 - math.sqrt(1 - 2 * min(disagreement, 0.5))) / 2, disagreement > 0.5


def estimates(
    candidate: str,
    tested: Crossed | None,
    trained: Crossed,
    disagreement: Crossed | None,
    *,
    n_labeled: int,
    classes: int,
    methods: Mapping[str, Method],
    level: float,
) -> list[Estimate]:
    """E_2cv and E_train, and with unlabelled rows also disagreement, E_dis and E_maxdt.

    `tested` are the losses of each row by the half model that did not see it (None where it may not be tested:
    then no E_2cv), `trained` by the one that did, `disagreement` over the unlabelled rows, None without such
    rows. All are about hypotheses trained on N/2 rows. The bounds of E_dis are those of the disagreement carried
    through the monotone
    `error_bound`; E_maxdt = max(E_train, E_dis) guards against learners that agree because they learn
    nothing, and each of its parts takes half of what the level leaves (union bound).
    """

    def record(name: str, observed: Crossed, target: str, at: float = level) -> Estimate:
        return estimate_with(candidate, name, observed, target, n_labeled // 2, methods.get(name), at)

    of_training = f"{TARGET} (its training error)"
    found = [] if tested is None else [record("E_2cv", tested, TARGET)]
    found.append(record("E_train", trained, of_training))
    if disagreement is None:
        return found
    of_disagreement = "two hypotheses trained on disjoint halves"
    rate = record("disagreement", disagreement, of_disagreement)
    _, clamped = error_bound(rate.value, disagreement.loss, classes)
    flag = " (disagreement above 1/2, clamped)" if clamped else ""
    bound = _carried(rate, disagreement.loss, classes, f"{TARGET} (a lower bound){flag}")
    each = (1 + level) / 2
    parts = (
        record("E_train", trained, of_training, each),
        _carried(record("disagreement", disagreement, of_disagreement, each), disagreement.loss, classes, ""),
    )
    larger = replace(
        bound,
        estimate="E_maxdt",
        value=max(part.value for part in parts),
        target=f"{TARGET} (max of E_train and E_dis){flag}",
        low=_largest(part.low for part in parts),
        high=_largest(part.high for part in parts),
        level=None if any(part.low is None for part in parts) else level,
    )
    return [*found, rate, bound, larger]


def lower_limit(disagreement: Crossed, method: Method, classes: int, level: float) -> float:
    """With probability `level`, a half model errs at least so often: the one-sided limit, carried through."""
    low = method.interval("disagreement", disagreement, 2 * level - 1).low
    return error_bound(low, disagreement.loss, classes)[0]


def _carried(rate: Estimate, loss: Loss, classes: int, target: str) -> Estimate:
    """E_dis from the disagreement: its value and both bounds through `error_bound`."""

    def carry(value: float | None) -> float | None:
        return None if value is None else error_bound(value, loss, classes)[0]

    value = error_bound(rate.value, loss, classes)[0]
    return replace(rate, estimate="E_dis", value=value, target=target, low=carry(rate.low), high=carry(rate.high))


def _largest(bounds: Iterable[float | None]) -> float | None:
    known = list(bounds)
    return None if None in known else max(bound for bound in known if bound is not None)
