"""How many halvings a rule asks for: laws of `heldout.schemes.halvings`."""

import numpy as np
import pytest

from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import RepeatedByRow, repeated_by_row
from heldout.schemes.halvings import SHARE, after_look, drawing_share, looks, most
from heldout.splits.partition import make_halves


def observed(share: float, repeats: int = 8) -> RepeatedByRow:
    """Margins of which the drawing of the halvings has a given share."""
    by_repeat = 0.2 + 0.01 * np.linspace(-1, 1, repeats)
    of_halvings = np.var(by_repeat, ddof=1) / repeats
    return RepeatedByRow(by_repeat, 100 * of_halvings * (1 - share) / share, 100, ZERO_ONE, loss_variance=1.0)


def test_few_rows_have_thirty_halvings_at_most_and_more_rows_ten():
    assert ((8, 12, 18, 30), (8, 10)) == (looks(600), looks(601))
    assert (30, 10) == (most(600), most(601))


@pytest.mark.parametrize(("share", "then"), [(0.099, None), (0.14, 12), (0.2, 18), (0.23, 30), (0.9, 30)])
def test_the_next_look_is_the_first_that_the_share_asks_for(share, then):
    assert drawing_share(observed(share)) == pytest.approx(share, rel=1e-12)  # rounding of a few sums
    found, further = after_look({"one": observed(share)}, 8, 300)
    assert then == further
    assert (8, 30, "one") == (found.made, found.most, found.candidate)


def test_the_candidate_of_the_largest_share_decides_for_all():
    shares = {"calm": observed(0.05), "wild": observed(0.5), "even": observed(0.05)}
    found, further = after_look(shares, 8, 300)
    assert ("wild", 30) == (found.candidate, further)


def test_at_the_last_look_no_more_are_asked_for():
    found, further = after_look({"wild": observed(0.9, 30)}, 30, 300)
    assert further is None
    assert "the most, though their drawing is 90 %" in found.says
    assert after_look({"wild": observed(0.9, 10)}, 10, 601)[1] is None


def test_losses_that_do_not_vary_need_no_more_and_losses_too_large_to_square_need_all():
    same = repeated_by_row(np.zeros((8, 20)), ZERO_ONE)
    assert after_look({"same": same}, 8, 20)[1] is None
    with np.errstate(all="ignore"):
        vast = RepeatedByRow(np.array([1e200, 2e200, 3e200] * 2), np.inf, 20, ZERO_ONE)
        assert after_look({"vast": vast}, 8, 20)[1] == 30


def test_the_share_is_without_bias_that_of_the_variance_over_halvings():
    """20 000 tables of 8 halvings of fixed rows whose means have a known variance: 4 standard errors of their mean."""
    rng = np.random.default_rng(0)
    draws = rng.normal(0.3, 0.02, size=(20_000, 8))
    estimates = draws.var(axis=1, ddof=1) / 8
    error = estimates.std(ddof=1) / np.sqrt(len(estimates))
    of_rule = np.array([drawing_share(RepeatedByRow(row, 0.0, 50, ZERO_ONE, loss_variance=1.0)) for row in draws[:5]])
    np.testing.assert_allclose(of_rule, 1.0)  # rows without a variance: all of V is the drawing
    assert abs(estimates.mean() - 0.02**2 / 8) < 4 * error


def test_more_repeats_leave_the_earlier_ones_as_they_were():
    y = np.repeat([0, 1], 30)
    few, many = (make_halves(y, repeats=repeats, stratify=True, seed=3) for repeats in (8, 30))
    np.testing.assert_array_equal(few, many[:8])
    assert SHARE == 0.1  # V/10 in docs/method.md
