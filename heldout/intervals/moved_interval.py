"""An interval about another value, of rows each `worth` some of the tested rows (prediction-powered estimates).

An estimate with less variance than the mean of the losses has the interval of the same method, with the variance that
the method takes divided by `worth`: the roots of a share of errors at so many times the number of rows, and the spread
of the others over sqrt(worth), at the new value; on the scale of logarithms the spread stays the same share of the
value. Limits by class are as far from the new value as from the old one. At the mean of the losses and the worth 1 each
is the method's own interval. Methods whose level is guaranteed for every sample size lose the guarantee, and are not
listed, but for Clopper and Pearson's: with a number of rows that is not whole it is that of Korn and Graubard (Survey
Methodology 24, 1998).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from heldout.intervals import (
    clopper_pearson,
    corrected_log_t,
    corrected_t,
    corrected_wilson,
    corrected_wilson_by_class,
    log_t,
    wilson,
    wilson_by_class,
    wilson_one_more_row,
)
from heldout.intervals.method import IntervalMethod, two_sided_normal, two_sided_t
from heldout.losses.tested_losses import in_units_of_limit

Bounds = tuple[float, float]


def _clopper_pearson(observed: Any, value: float, worth: float, level: float) -> Bounds:
    n, each_side = observed.n * worth, (1 - level) / 2
    low = clopper_pearson.lower_limit(value * n, n, each_side)
    return low, 1 - clopper_pearson.lower_limit((1 - value) * n, n, each_side)


def _wilson(observed: Any, value: float, worth: float, level: float) -> Bounds:
    return wilson.roots(value, observed.n * worth, level)


def _corrected_wilson(observed: Any, value: float, worth: float, level: float) -> Bounds:
    rows = corrected_wilson.effective_size(observed) * worth
    return wilson.roots_at(value, rows, two_sided_t(level, corrected_t.degrees(observed)))


def _wilson_by_class(observed: Any, value: float, worth: float, level: float) -> Bounds:
    low, high = wilson_by_class.limits(observed, two_sided_normal(level), worth)
    return value - observed.error + low, value - observed.error + high


def _corrected_wilson_by_class(observed: Any, value: float, worth: float, level: float) -> Bounds:
    quantile = two_sided_t(level, corrected_t.degrees(observed))
    low, high = wilson_by_class.limits(observed, quantile, corrected_wilson_by_class.worth(observed) * worth)
    return value - observed.error + low, value - observed.error + high


def _wilson_one_more_row(observed: Any, value: float, worth: float, level: float) -> Bounds:
    limit = observed.loss.limit
    low, high = wilson_one_more_row.about(in_units_of_limit(observed), value / limit, worth, level)
    return limit * low, limit * high


def _log_t(observed: Any, value: float, worth: float, level: float) -> Bounds:
    return _about(value, observed, _reach_of_rows(observed, level) / math.sqrt(worth))


def _corrected_log_t(observed: Any, value: float, worth: float, level: float) -> Bounds:
    spread = math.sqrt(corrected_t.variance_or_pooled(observed) / worth)
    return _about(value, observed, two_sided_t(level, corrected_t.degrees(observed)) * spread)


def _corrected_t(observed: Any, value: float, worth: float, level: float) -> Bounds:
    spread = math.sqrt(corrected_t.variance(observed) / worth)
    reach = two_sided_t(level, corrected_t.degrees(observed)) * spread
    return value - reach, value + reach


def _about(value: float, observed: Any, reach: float) -> Bounds:
    """The same ends on the scale of logarithms as about the mean of the losses: the spread is a share of the value."""
    return log_t.about(value, reach * value / observed.error if observed.error > 0 else reach)


def _reach_of_rows(observed: Any, level: float) -> float:
    return two_sided_t(level, observed.n - 1) * float(np.std(observed.losses, ddof=1)) / math.sqrt(observed.n)


_MOVED: Mapping[str, Callable[[Any, float, float, float], Bounds]] = {
    clopper_pearson.METHOD.name: _clopper_pearson,
    wilson.METHOD.name: _wilson,
    wilson_by_class.METHOD.name: _wilson_by_class,
    wilson_one_more_row.METHOD.name: _wilson_one_more_row,
    log_t.METHOD.name: _log_t,
    corrected_wilson.METHOD.name: _corrected_wilson,
    corrected_wilson_by_class.METHOD.name: _corrected_wilson_by_class,
    corrected_log_t.METHOD.name: _corrected_log_t,
    corrected_t.METHOD.name: _corrected_t,
}


def can_move(method: IntervalMethod) -> bool:
    """Whether the method has bounds at another value."""
    return method.name in _MOVED


def moved(method: IntervalMethod, observed: Any, value: float, worth: float, level: float) -> tuple[float, float]:
    """The bounds of a method that `can_move` at `value`, cut to the range of the loss.

    `observed` is what the method looks at, `worth` is above 0.
    """
    low, high = _MOVED[method.name](observed, value, worth, level)
    return max(low, 0.0), min(high, observed.loss.limit)
