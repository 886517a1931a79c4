"""The intervals of E_cv but Theorem 3's: their formulas, by hand; z = 2, or t at level 1/2."""

import math

import numpy as np
import pytest

from heldout.errors import BadArgument
from heldout.intervals import (
    bayle_within,
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_log_t,
    corrected_repeated_t,
    corrected_t,
    corrected_wilson,
    log_t,
)
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, Tested
from studies.intervals import student_t

TWO = 0.954499736103642  # the level at which z = 2


def cross_validated(losses, fold, **further) -> CrossValidated:
    return CrossValidated(np.array(losses, dtype=float), SQUARED, fold=np.array(fold), **further)


def reach(method, seen: CrossValidated, level: float) -> float:
    """How far both bounds are from the estimate."""
    low, high = method.bounds(seen, level)
    assert seen.error - low == pytest.approx(high - seen.error, abs=1e-12)
    return (high - low) / 2


def test_bayle_within_folds_by_hand():
    # folds 0, 2 and 4, 6: sample variances 2 and 2, their mean 2; 2 sqrt(2 / 4) = 1.4142136
    assert math.sqrt(2) == pytest.approx(reach(bayle_within, cross_validated([0, 2, 4, 6], [0, 0, 1, 1]), TWO))


def test_bayle_within_folds_takes_the_plain_mean_over_folds_of_unequal_size():
    # folds 0, 2 (variance 2) and 1, 1, 4 (variance 3): mean 5/2; 2 sqrt(5/2 / 5) = 1.4142136
    assert math.sqrt(2) == pytest.approx(reach(bayle_within, cross_validated([0, 1, 1, 2, 4], [0, 1, 1, 0, 1]), TWO))


def test_bayle_within_folds_has_no_spread_under_leave_one_out():
    loo = cross_validated([0, 2, 4, 6], range(4))
    with pytest.raises(
        BadArgument,
        match="^Bayle within folds needs at least 2 folds of at least 2 rows, and there are 4 of 1; use corrected t$",
    ):
        bayle_within.METHOD.interval("E_cv", loo, 0.9)


def test_the_corrected_t_by_hand():
    # 0.1, 0.2, 0.3: S^2 = 0.01; 0.01 (1/3 + 1/9) = 0.01 x 4/9; t with 2 degrees at 3/4 is sqrt(2/3):
    # 0.1 sqrt(8/27) = 0.0544331
    seen = cross_validated([0.2, 0.4], [0, 1], subsample_errors=np.array([0.1, 0.2, 0.3]), tested_per_trained=1 / 9)
    assert 0.1 * math.sqrt(8 / 27) == pytest.approx(reach(corrected_t, seen, 0.5), abs=1e-12)
    assert 0.3 == pytest.approx(seen.error)  # the centre is E_cv, not the mean 0.2 of the subsamples


def coins(subsample_errors) -> CrossValidated:
    """Errors 1, 0, 0, 0 in two folds, three subsamples of one row tested for one trained on."""
    fields = {"subsample_errors": np.array(subsample_errors), "tested_per_trained": 1.0}
    return CrossValidated(np.array([1.0, 0, 0, 0]), ZERO_ONE, fold=np.array([0, 0, 1, 1]), **fields)


def test_the_corrected_wilson_interval_by_hand():
    # 0, 0.5, 1: S^2 = 1/4, times 1/3 + 1 is V = 1/3, more than s^2 / N = 1/16; n_eff = 3/16 x 3 = 9/16 is cut to 1;
    # t with 2 degrees at 3/4 has t^2 = 2/3: (1/4 + 1/3 +- sqrt(2/3) sqrt(3/16 + 1/6)) / (1 + 2/3)
    centre, spread = 1 / 4 + 1 / 3, math.sqrt(2 / 3 * (3 / 16 + 1 / 6))
    wanted = ((centre - spread) * 3 / 5, (centre + spread) * 3 / 5)
    assert wanted == pytest.approx(corrected_wilson.bounds(coins([0, 0.5, 1]), 0.5), abs=1e-12)


def test_the_corrected_wilson_interval_never_takes_less_than_the_variance_of_independent_losses():
    # equal subsamples: V = s^2 / N = (1/4) / 4 = 1/16; n_eff = 3/16 x 16 = 3; t^2 = 2/3
    centre, spread = 1 / 4 + 1 / 9, math.sqrt(2 / 3 * (3 / 16 / 3 + 2 / 3 / 4 / 9))
    wanted = ((centre - spread) * 9 / 11, (centre + spread) * 9 / 11)
    assert wanted == pytest.approx(corrected_wilson.bounds(coins([0.2, 0.2, 0.2]), 0.5), abs=1e-12)


def test_the_corrected_wilson_interval_without_an_error_is_that_of_independent_subsamples():
    # n2/N = 1/2 over 1/3 + 1 is 3/8: n_eff = 4 x 3/8 = 3/2; at q = 0 the upper root is t^2 / (n + t^2) = 4/13
    seen = CrossValidated(
        np.zeros(4), ZERO_ONE, fold=np.array([0, 0, 1, 1]), subsample_errors=np.zeros(3), tested_per_trained=1.0
    )
    assert (0.0, 4 / 13) == pytest.approx(corrected_wilson.bounds(seen, 0.5), abs=1e-12)


def test_the_corrected_fold_wilson_interval_by_hand():
    # fold errors 1/2, 0: S^2 = 1/8, times 1/2 + 1 is V = 3/16, more than (3/16) / 3; n_eff = 1; t = 1 at 3/4 with 1
    # degree: (1/4 + 1/2 +- sqrt(3/16 + 1/4)) / 2
    seen, spread = coins([0.0]), math.sqrt(7 / 16)
    assert ((3 / 4 - spread) / 2, (3 / 4 + spread) / 2) == pytest.approx(corrected_fold_wilson.bounds(seen, 0.5))


def test_the_corrected_fold_wilson_interval_keeps_a_width_where_all_folds_err_alike():
    # errors 1, 0 in both folds: S^2 = 0, V = s^2 / N = (1/4) / 3; n_eff = 3, t^2 = 1:
    # (1/2 + 1/6 +- sqrt(1/12 + 1/36)) 3/4
    alike = CrossValidated(np.array([1.0, 0, 1, 0]), ZERO_ONE, fold=np.array([0, 0, 1, 1]))
    spread = math.sqrt(1 / 12 + 1 / 36)
    wanted = ((2 / 3 - spread) * 3 / 4, (2 / 3 + spread) * 3 / 4)
    assert wanted == pytest.approx(corrected_fold_wilson.bounds(alike, 0.5))
    # no error: n_eff = 4 / (1 + 2): at q = 0 the upper root is t^2 / (n_eff + t^2) = 3/7
    none = CrossValidated(np.zeros(4), ZERO_ONE, fold=np.array([0, 0, 1, 1]))
    assert (0.0, 3 / 7) == pytest.approx(corrected_fold_wilson.bounds(none, 0.5))


def test_the_corrected_log_t_interval_by_hand():
    # V = 0.01 x 4/9 as above, but s^2 / N = 0.02 / 2 = 0.01 is more; E_cv = 0.3; t = sqrt(2/3)
    seen = cross_validated([0.2, 0.4], [0, 1], subsample_errors=np.array([0.1, 0.2, 0.3]), tested_per_trained=1 / 9)
    factor = math.exp(math.sqrt(2 / 3) * 0.1 / 0.3)
    assert (0.3 / factor, 0.3 * factor) == pytest.approx(corrected_log_t.bounds(seen, 0.5), abs=1e-12)


def test_the_log_t_interval_by_hand_and_about_nothing():
    # 1, 2, 3: mean 2, s^2 / n = 1/3; t with 2 degrees at 3/4 is sqrt(2/3): sqrt(2/9) / 2
    factor = math.exp(math.sqrt(2 / 9) / 2)
    assert (2 / factor, 2 * factor) == pytest.approx(log_t.bounds(Tested(np.array([1.0, 2, 3]), SQUARED), 0.5))
    assert (0.0, 0.0) == log_t.bounds(Tested(np.zeros(3), SQUARED), 0.5)


def test_the_corrected_fold_t_by_hand():
    # fold errors 1, 2, 3: S^2 = 1; 1/3 + 1/2 = 5/6; sqrt(2/3 x 5/6) = sqrt(5) / 3 = 0.7453560
    seen = cross_validated([0, 2, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2])
    assert math.sqrt(5) / 3 == pytest.approx(reach(corrected_fold_t, seen, 0.5), abs=1e-12)


def test_the_corrected_fold_t_is_wider_than_students_t_on_fold_errors_as_the_correction_says():
    errors = np.random.default_rng(0).random(10)
    seen = cross_validated(errors, range(10))
    # sqrt(1/10 + 1/9) over sqrt(1/10)
    assert math.sqrt(19 / 9) == pytest.approx(reach(corrected_fold_t, seen, 0.9) / reach(student_t, seen, 0.9))


def test_the_corrected_repeated_t_by_hand():
    # fold errors 1, 3 and 2, 2: mean 2, S^2 = 2/3; 1/4 + 1 = 5/4; t with 3 degrees at 3/4 is 0.7648923:
    # 0.7648923 sqrt(5/6) = 0.6982480
    seen = cross_validated([1, 3], [0, 1], repeated_errors=np.array([[2.0, 2.0]]))
    assert 0.6982480 == pytest.approx(reach(corrected_repeated_t, seen, 0.5), abs=1e-7)


def test_the_corrected_repeated_t_without_repeats_is_the_corrected_fold_t():
    seen = cross_validated(np.arange(7.0), [0, 1, 2, 0, 1, 2, 0], repeated_errors=np.empty((0, 3)))
    assert reach(corrected_fold_t, seen, 0.9) == pytest.approx(reach(corrected_repeated_t, seen, 0.9))
