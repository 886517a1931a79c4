"""Wilson's interval at the variance of the losses and one more: by hand, its coverage, and where it is the default."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

import heldout
from heldout.estimates.methods import default_method
from heldout.intervals import betting, log_t, wilson_one_more_row
from heldout.intervals.wilson import roots_at
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.testing.intervals import BOUNDED


def bounds(losses):
    return wilson_one_more_row.bounds(Tested(losses, BOUNDED), 0.95)


def test_the_bounds_of_four_losses_by_hand():
    # mean .3; with 0 the five have the mean .24 and the variance (4 x .06^2 + .24^2) / 4 = .018, with 1 the mean .44
    # and the variance (4 x .14^2 + .56^2) / 4 = .098; 4 x .21 = .84 over them: 46.7 and 8.57 rows
    quantile = t(3).ppf(0.975)
    expected = roots_at(0.3, 0.84 / 0.018, quantile)[0], roots_at(0.3, 0.84 / 0.098, quantile)[1]
    assert expected == pytest.approx(bounds(np.full(4, 0.3)), abs=1e-12)
    # 0/1 losses have no more variance than n rows of them
    errors = np.repeat([1.0, 0.0], [1, 3])
    assert roots_at(0.25, 4, quantile) == pytest.approx(bounds(errors), abs=1e-12)


def mostly_small(rng, n):
    """Partial credit of .98, and none at all in 1 of 50 rows: a loss of .0396 on average."""
    return np.where(rng.random(n) < 0.02, 1.0, 0.02)


def in_quarters(rng, n):
    return rng.binomial(4, 0.1, n) / 4


def rarely_some(rng, n):
    """Of a uniform size in 1 of 10 rows."""
    return (rng.random(n) < 0.1) * rng.random(n)


@pytest.mark.parametrize(
    ("draw", "mean", "log_t_covers"), [(mostly_small, 0.0396, 0.75), (in_quarters, 0.1, 1), (rarely_some, 0.05, 1)]
)
def test_it_covers_partial_credit_also_where_large_losses_are_rare_and_is_narrower_than_betting(
    draw, mean, log_t_covers
):
    rng, repeats, held, widths = np.random.default_rng(0), 400, np.zeros(2), np.zeros(2)
    for number in range(repeats):
        losses = draw(rng, 60)
        both = np.array([bounds(losses), log_t.bounds(Tested(losses, BOUNDED), 0.95)])
        held += (both[:, 0] <= mean) & (mean <= both[:, 1])
        if number < 20:
            of_bets = betting.bounds(Tested(losses, BOUNDED, number), 0.95)
            widths += np.ptp(both[0]), np.ptp(of_bets)
    # a standard error of a share of 400: .011
    assert held[0] / repeats >= 0.93
    assert held[1] / repeats <= log_t_covers
    assert widths[0] < 0.85 * widths[1]


def test_it_is_the_default_of_a_known_limit_and_of_a_stated_one_where_nothing_was_cross_validated():
    name = "Wilson with one more row"
    credit, brier = replace(ZERO_ONE, binary=False), choose_loss("brier", np.array([0, 0, 1]))
    for estimate in ("E_val", "E_test", "E_prog"):
        for loss in (credit, brier):
            assert (
                name
                == default_method(estimate, loss).name
                == default_method(estimate, loss, cross_validated=False).name
            )
        assert name == default_method(estimate, SQUARED.limited(4), cross_validated=False).name
        assert "pooled shape" == default_method(estimate, SQUARED.limited(4)).name
    table = {"it": np.tile([1.0, 0.75, 1.0, 1.0, 0.5], 8)}
    [record] = heldout.from_predictions(table, correct=["it"]).estimates
    assert (name, None) == (record.interval, record.not_credible)
    assert record.low < record.value < record.high
