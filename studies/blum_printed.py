"""The table of Blum, Kalai and Langford as we read it, and what the exact calculation gives in its place.

Most digits of the formulas and the table are garbled in our text, each always to the same character. The rest of the
text gives away 0, 1, 3, 4, 5 and 9; the 2 vanishes. So the number of features reads 1000, each true with probability
.5; and the table reads, where x and y are two of the digits 6, 7 and 8, always the same, and * is lost:

    progressive 5 10   .*05 ± .003   .0xx ± .0*
    hold-out    5 10   .43y ± .005   .1*0 ± .015
    hold-out    9 10   .*35 ± .005   .109 ± .015

We take 2 for *, 8 for x and 7 for y. What ± means is not said; in the figure of the paper it is one standard deviation.
The number of repeats of the table is not said either.
"""

import functools
from typing import NamedTuple

import numpy as np

from studies import surviving_features
from studies.surviving_features import Expected

FEATURES, TESTED = 1000, 10


class Printed(NamedTuple):
    """A line of the table: rows trained on at first, then means, each with its ±."""

    trained: int
    true_error: float
    true_error_spread: float
    discrepancy: float
    discrepancy_spread: float


PRINTED = {
    "progressive-5-10": Printed(5, 0.205, 0.003, 0.088, 0.02),
    "holdout-5-10": Printed(5, 0.437, 0.005, 0.120, 0.015),
    "holdout-9-10": Printed(9, 0.235, 0.005, 0.109, 0.015),
}
GUESSED = {
    "true-error-holdout-5-10": "our text leaves 6, 7 or 8 for its last digit",
    "discrepancy-progressive-5-10": "our text leaves .066, .077 or .088",
}


def progressive(name: str) -> bool:
    """Whether a line is about progressive validation."""
    return name.startswith("progressive")


@functools.cache
def expected(name: str, features: int = FEATURES) -> Expected:
    """What the means of a line come to."""
    of = surviving_features.progressive if progressive(name) else surviving_features.holdout
    return of(features, PRINTED[name].trained, TESTED)


@functools.cache
def misfit(features: int) -> float:
    """The sum of squares of the differences between exact and printed true errors, in units of the printed ±."""
    total = 0.0
    for name, printed in PRINTED.items():
        steps = range(TESTED if progressive(name) else 1)
        exact = np.mean([surviving_features.true_error(features, printed.trained + step) for step in steps])
        total += float((exact - printed.true_error) / printed.true_error_spread) ** 2
    return total
