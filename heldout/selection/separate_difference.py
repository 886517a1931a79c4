"""The difference of two errors that were estimated apart, from their intervals alone.

For independent estimates a with [l_a, u_a] and b with [l_b, u_b] at one level, the interval of a - b is

    a - b - sqrt((a - l_a)^2 + (u_b - b)^2)   to   a - b + sqrt((u_a - a)^2 + (b - l_b)^2)

(the method of variance estimates recovery: Zou, Donner, Statistics in Medicine 27, 2008; for two proportions Newcombe's
method 10, Statistics in Medicine 17, 1998). Asymptotic, at the level of the two. It is too wide, never too narrow,
where the estimates share rows and so rise and fall together; a paired difference needs both losses of each row.
"""

import math

from heldout.records import Estimate, Interval


def separate_difference(one: Estimate, other: Estimate) -> Interval:
    """The interval of the error of `one` less that of `other`. Raises ValueError without two intervals at one level."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        raise ValueError(f"{one.estimate} of {one.candidate} or {other.candidate} has no interval")
    if one.level is None or one.level != other.level:
        raise ValueError(f"the levels of the intervals are {one.level} and {other.level}; they must be equal")
    difference = one.value - other.value
    return Interval(
        low=difference - math.hypot(one.value - one.low, other.high - other.value),
        high=difference + math.hypot(one.high - one.value, other.value - other.low),
        level=one.level,
        method="recovered variances",
        assumption="independent estimates, or estimates that rise and fall together",
    )
