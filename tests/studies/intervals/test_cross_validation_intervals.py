"""The intervals of E_cv that left the package: their formulas, by hand; z = 2."""

import math

import numpy as np
import pytest

from heldout.errors import BadArgument
from heldout.intervals import bayle_within
from heldout.losses import SQUARED
from heldout.losses.tested_losses import CrossValidated
from studies.intervals import bayle_all_pairs, conservative_z, half_subsamples, nested

TWO = 0.954499736103642  # the level at which z = 2


def cross_validated(losses, fold, **further) -> CrossValidated:
    return CrossValidated(np.array(losses, dtype=float), SQUARED, fold=np.array(fold), **further)


def reach(method, seen: CrossValidated, level: float) -> float:
    """How far both bounds are from the estimate."""
    low, high = method.bounds(seen, level)
    assert seen.error - low == pytest.approx(high - seen.error, abs=1e-12)
    return (high - low) / 2


def test_bayle_all_pairs_by_hand():
    # 0, 2, 4, 6 about 3: (9 + 1 + 1 + 9) / 4 = 5; 2 sqrt(5 / 4) = 2.2360680
    assert math.sqrt(5) == pytest.approx(reach(bayle_all_pairs, cross_validated([0, 2, 4, 6], [0, 0, 1, 1]), TWO))


def test_differences_between_folds_widen_the_all_pairs_interval_alone():
    seen = [cross_validated([0, 1, shift, shift + 1], [0, 0, 1, 1]) for shift in (0, 10)]
    assert reach(bayle_within, seen[0], 0.9) == pytest.approx(reach(bayle_within, seen[1], 0.9))
    assert reach(bayle_all_pairs, seen[0], 0.9) < reach(bayle_all_pairs, seen[1], 0.9)


def test_leave_one_out_has_a_spread_over_all_pairs():
    loo = cross_validated([0, 2, 4, 6], range(4))
    assert math.sqrt(5) == pytest.approx(reach(bayle_all_pairs, loo, TWO))


def test_the_conservative_z_by_hand():
    # differences -0.2 and 0: squares 0.04 and 0; sum / (2 x 2) = 0.01; 2 sqrt(0.01) = 0.2
    halves = np.array([[0.1, 0.3], [0.2, 0.2]])
    seen = half_subsamples.Halved(np.full(8, 0.5), SQUARED, fold=np.arange(8) % 4, half_errors=halves)
    assert 0.2 == pytest.approx(reach(conservative_z, seen, TWO), abs=1e-12)


def nested_of(inner: list[float]) -> CrossValidated:
    """Three folds of fold errors 1, 3, 5 and sample variance 2, with these errors inside the others."""
    fold = np.array([0, 0, 1, 1, 2, 2])
    pairs = np.where(fold == np.arange(3)[:, None], np.nan, np.array(inner)[:, None] + np.array([-1, 1, -1, 1, -1, 1]))
    return cross_validated([0, 2, 2, 4, 4, 6], fold, pair_losses=pairs)


def test_the_nested_interval_by_hand():
    # a = (4 - 1)^2, (3 - 3)^2, (4 - 5)^2; b = 2 / 2 = 1: a - b = 8, -1, 0, mean 7/3, times 2/3 is 14/9;
    # s^2 / N = (9 + 1 + 1 + 1 + 1 + 9) / 5 / 6 = 11/15 < 14/9 < 3 x 11/15; 2 sqrt(14/9)
    assert 2 * math.sqrt(14 / 9) == pytest.approx(reach(nested, nested_of([4, 3, 4]), TWO), abs=1e-12)


def test_the_nested_interval_stays_between_the_naive_one_and_root_k_times_it():
    naive = 2 * math.sqrt(11 / 15)
    # a = 0: the difference is negative
    assert naive == pytest.approx(reach(nested, nested_of([1, 3, 5]), TWO), abs=1e-12)
    assert math.sqrt(3) * naive == pytest.approx(reach(nested, nested_of([9, 9, 9]), TWO), abs=1e-12)


@pytest.mark.parametrize("fold", [[0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5]])
def test_the_nested_interval_refuses_two_folds_and_leave_one_out(fold):
    with pytest.raises(
        BadArgument,
        match="^nested needs at least 3 folds of at least 2 rows, and there are [26] of [13]; use corrected t$",
    ):
        nested.METHOD.interval("E_cv", cross_validated(np.arange(6), fold, pair_losses=np.zeros((3, 6))), 0.9)
