"""The ratio of weighted losses, its terms, and the intervals that read them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from heldout.errors import BadArgument
from heldout.intervals import clustered_wilson, credible, wilson
from heldout.losses import ZERO_ONE
from heldout.losses.ratio import Ratio, error_of, weighed
from heldout.losses.tested_losses import Tested

LAWS = settings(max_examples=25, deadline=None, derandomize=True, database=None)
LOSS = ZERO_ONE.with_weights()
rows = st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1e6)), min_size=2, max_size=30).filter(
    lambda pairs: sum(weight for _, weight in pairs) > 1e-6
)


@LAWS
@given(rows)
def test_the_mean_of_the_terms_is_the_ratio_and_their_variance_is_that_of_hajek(pairs):
    losses, weights = np.array(pairs).T
    n, q = len(losses), np.average(losses, weights=weights)
    terms = weighed(losses, weights)
    assert q == pytest.approx(error_of(losses, weights), rel=1e-9, abs=1e-12)
    assert q == pytest.approx(terms.mean(), rel=1e-9, abs=1e-9 * np.abs(terms).max())
    hajek = n / (n - 1) * ((weights * (losses - q)) ** 2).sum() / weights.sum() ** 2
    assert hajek == pytest.approx(terms.var(ddof=1) / n, rel=1e-6, abs=1e-12)


@LAWS
@given(st.floats(0, 1e6), rows)
def test_equal_losses_have_their_own_value_as_the_error_to_the_last_bit(loss, pairs):
    weights = np.array(pairs)[:, 1]
    assert loss == error_of(np.full(len(weights), loss), weights)


@LAWS
@given(rows, st.integers(0, 2**32 - 1))
def test_some_rows_of_a_ratio_are_the_ratio_of_these_rows(pairs, seed):
    losses, weights = np.array(pairs).T
    which = np.random.default_rng(seed).random(len(losses)) < 0.5
    if not weights[which].sum() > 1e-3 * weights.sum():
        return
    some = Tested(weighed(losses, weights), LOSS, weights=weights).of(which)
    assert np.average(losses[which], weights=weights[which]) == pytest.approx(some.error, rel=1e-6, abs=1e-6)
    assert weighed(losses[which], weights[which]) == pytest.approx(some.losses, rel=1e-5, abs=1e-5 * losses.max())


def test_rows_without_weight_have_no_error():
    with pytest.raises(BadArgument, match="weights is 0 in all of the 3 tested rows"):
        Ratio.of(np.ones(3), np.zeros(3))


def seen(losses, weights, cluster=None) -> Tested:
    return Tested(weighed(np.asarray(losses, float), weights), LOSS, cluster=cluster, weights=weights)


def test_the_interval_of_weighted_errors_by_hand():
    weights = np.array([1.0, 3, 1, 1, 3, 1, 1, 1, 3, 1])
    made = wilson.METHOD.interval("E_val", seen([1, 0, 0, 1, 0, 0, 0, 0, 1, 0], weights), 0.95)
    q, n_eff = 5 / 16, 16**2 / 34
    spread = 10 / 9 * (2 * (11 / 16) ** 2 + (33 / 16) ** 2 + 5 * (5 / 16) ** 2 + 2 * (15 / 16) ** 2) / 16**2
    spread += (10 / n_eff - 1) * (11 / 16) ** 2 / 100
    size, z = q * (1 - q) / spread, t.ppf(0.975, n_eff - 1)
    middle, reach = q + z**2 / (2 * size), z * np.sqrt(q * (1 - q) / size + z**2 / (4 * size**2))
    expected = [(middle - reach) / (1 + z**2 / size), (middle + reach) / (1 + z**2 / size)]
    assert expected == pytest.approx([made.low, made.high], rel=1e-12)


def test_without_an_error_the_interval_has_the_width_of_the_effective_number_of_rows():
    weights = np.repeat([1.0, 9.0], 20)
    made = wilson.METHOD.interval("E_val", seen(np.zeros(40), weights), 0.95)
    n_eff = 200**2 / (20 * 82)
    z = t.ppf(0.975, n_eff - 1)
    assert (0.0, pytest.approx(z**2 / (n_eff + z**2))) == (made.low, made.high)


def test_rows_that_are_each_a_group_have_the_interval_of_rows():
    weights = np.random.default_rng(0).lognormal(size=50)
    losses = np.random.default_rng(1).random(50) < 0.3
    of_rows = wilson.METHOD.interval("E_val", seen(losses, weights), 0.95)
    # the effective number of groups takes the place of n in n / (n - 1), so that the interval is no narrower
    of_groups = clustered_wilson.METHOD.interval("E_val", seen(losses, weights, np.arange(50)), 0.95)
    assert of_groups.low <= of_rows.low < of_rows.high <= of_groups.high
    assert of_groups.high - of_groups.low < 1.05 * (of_rows.high - of_rows.low)


def test_errors_are_marked_where_the_weights_leave_less_than_a_tenth_of_the_rows():
    losses = np.arange(100) % 4 == 0
    weights = np.ones(100)
    assert credible.doubt(seen(losses, weights), wilson.METHOD) is None
    weights[:3] = 60.0
    assert credible.doubt(seen(losses, weights), wilson.METHOD).startswith(
        "by their weights 100 rows count as much as 7"
    )
    weights[:30] = 60.0
    assert credible.doubt(seen(losses, weights), wilson.METHOD) is None


@pytest.mark.parametrize(("light", "heavy", "n"), [(0.4, 0.05, 40), (0.4, 0.05, 100), (0.05, 0.3, 100)])
def test_the_interval_covers_where_errors_are_on_light_or_on_heavy_rows(light, heavy, n):
    # log t of w L covered .74, .90 and .97, the last at 1.14 times the oracle's width; .9 is .95 less 4 standard errors
    rng, found = np.random.default_rng([n, int(100 * light)]), []
    for _ in range(300):
        is_heavy = rng.random(n) < 0.5
        one = seen(rng.random(n) < np.where(is_heavy, heavy, light), np.where(is_heavy, 9.0, 1.0))
        made = wilson.METHOD.interval("E_val", one, 0.95)
        found.append((one.error, made.low, made.high))
    error, low, high = np.array(found).T
    true = (light + 9 * heavy) / 10
    assert ((low <= true) & (true <= high)).mean() >= 0.9
    assert (high - low).mean() / (2 * 1.96 * error.std()) < 1.2
