"""How long losses in time depend on one another, and the intervals of means of so many fewer rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.special import stdtrit
from sklearn.linear_model import LinearRegression

import heldout
from heldout.intervals import clustered_log_t, clustered_t, clustered_wilson, log_t, wilson
from heldout.intervals.method import estimate_with
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.memory import Memory, correlation_length, memory_of
from heldout.losses.tested_losses import Tested

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95
losses_in_time = st.lists(st.floats(0, 100), min_size=1, max_size=60).map(np.array)


def by_a_loop(losses: np.ndarray) -> float:
    """The sum of autocorrelations up to the first lag of five lengths, or what the first one alone implies."""
    centred, length = losses - losses.mean(), 1.0
    for lag in range(1, len(losses)):
        length += 2 * (centred[lag:] @ centred[:-lag]) / (centred @ centred)
        if lag >= 5 * length:
            break
    first = (centred[1:] @ centred[:-1]) / (centred @ centred)
    decay = min(first + (1 + 3 * first) / len(losses), 0.99)
    return max(length, (1 + decay) / (1 - decay), 1.0)


def autoregressive(correlation: float, n: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=n) * np.sqrt(1 - correlation**2)
    return lfilter([1], [1, -correlation], noise)


@pytest.mark.parametrize("seed", range(5))
def test_the_length_is_that_of_a_plain_loop(seed):
    losses = autoregressive(0.8, 200, seed) ** 2
    assert by_a_loop(losses) == pytest.approx(correlation_length(losses), rel=1e-9)


@pytest.mark.parametrize(("correlation", "expected"), [(0.0, 1), (0.5, 3), (0.9, 19), (0.97, 65.7)])
def test_the_length_of_an_autoregression_is_known(correlation, expected):
    # (1 + r) / (1 - r); an estimate from n rows strays by sqrt(2 (2 x 5 + 1) L / n) (Sokal, eq. 3.19), and ends early
    found = correlation_length(autoregressive(correlation, 200_000, 1))
    assert found == pytest.approx(expected, rel=0.05 + 3 * np.sqrt(22 * expected / 200_000))


@settings(LAWS, max_examples=20)
@given(losses_in_time, st.floats(0.01, 100))
def test_the_unit_and_the_direction_of_time_do_not_matter(losses, unit):
    # sums of at most 60 numbers below 1e8, but for a variance near their rounding
    if np.ptp(losses) > 1e-3:
        assert correlation_length(losses) == pytest.approx(correlation_length(unit * losses), rel=1e-6)
        assert correlation_length(losses) == pytest.approx(correlation_length(losses[::-1]), rel=1e-6)


def test_rows_weigh_as_the_stream_says_by_hand():
    # L = 4 from 440 losses: 8 losses weigh as 2 rows; s^2 = 1, V = 1 / (2 - 1); degrees 2 x 440 / (22 x 4), or n - 1
    seen = Tested(np.array([0.0, 2.0] * 4), SQUARED, memory=Memory(4.0, 440))
    assert (2.0, 7.0, 1.0) == (seen.units, clustered_t.degrees(seen), clustered_t.variance_of(seen))
    reach = stdtrit(7, 0.975)
    assert (1 - reach, 1 + reach) == pytest.approx(clustered_t.bounds(seen, LEVEL), rel=1e-12)
    assert (np.exp(-reach), np.exp(reach)) == pytest.approx(clustered_log_t.bounds(seen, LEVEL), rel=1e-12)
    # 16 rows as 4: n_eff = 4 - 1; without an error in 16 rows or in the stream, sqrt(16)
    wrong = Tested(np.array([0.0, 0.0, 0.0, 1.0] * 4), ZERO_ONE, memory=Memory(4.0, 440))
    assert wilson.roots_at(0.25, 3, stdtrit(10, 0.975)) == pytest.approx(clustered_wilson.bounds(wrong, LEVEL))
    right = Tested(np.zeros(16), ZERO_ONE, memory=memory_of(np.zeros(100)))
    assert wilson.roots_at(0.0, 4, stdtrit(100 / 11, 0.975)) == pytest.approx(clustered_wilson.bounds(right, LEVEL))


@LAWS
@given(st.lists(st.floats(0, 100), min_size=3, max_size=30))
def test_a_length_of_one_row_and_a_long_stream_make_it_the_interval_of_independent_rows(losses):
    alone = Tested(np.array(losses), SQUARED, memory=Memory(1.0, 10_000))
    expected = log_t.bounds(Tested(alone.losses, SQUARED), LEVEL)
    # sums of at most 30 squares below 1e4
    assert expected == pytest.approx(clustered_log_t.bounds(alone, LEVEL), rel=1e-6, abs=1e-9)


def test_the_length_comes_from_all_losses_along_the_stream():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    time = rng.permutation(120)  # the rows need not lie in the order of time
    y = X.sum(axis=1) + autoregressive(0.9, 120, 3)[time]
    made = heldout.validate({"line": LinearRegression()}, X, y, time=time, estimates=["E_val", "E_cv"], folds=5)
    by_row, tested = made.losses("E_cv")["line"], np.flatnonzero(time >= 20)  # the first of six blocks is not tested
    memory = memory_of(by_row[np.argsort(time[tested])])
    records = {one.estimate: one for one in made.estimates}
    for name, seen in (("E_val", made.losses("E_val")["line"]), ("E_cv", by_row)):
        expected = clustered_log_t.METHOD.interval(name, Tested(seen, SQUARED, memory=memory), LEVEL)
        assert (expected.low, expected.high) == pytest.approx((records[name].low, records[name].high), rel=1e-9)
        assert (records[name].not_credible is not None) == (memory.doubt(len(seen)) is not None)


def _squares(correlation, rows, tested, rng):
    """Squares of an autoregression of variance 1: those of the last `tested` rows, next to those of the stream."""
    noise = rng.normal(size=rows) * np.sqrt(1 - correlation**2)
    noise[0] = rng.normal()
    stream = lfilter([1], [1, -correlation], noise) ** 2
    return Tested(stream[-tested:], SQUARED, memory=memory_of(stream)), 1.0


def _wrong(correlation, rows, tested, rng):
    """Errors with a probability that follows the state: .05 on one side, .45 on the other."""
    noise = rng.normal(size=rows) * np.sqrt(1 - correlation**2)
    noise[0] = rng.normal()
    stream = (rng.random(rows) < np.where(lfilter([1], [1, -correlation], noise) > 0, 0.45, 0.05)).astype(float)
    return Tested(stream[-tested:], ZERO_ONE, memory=memory_of(stream)), 0.25


@pytest.mark.parametrize(("draw", "method"), [(_squares, clustered_log_t.METHOD), (_wrong, clustered_wilson.METHOD)])
@pytest.mark.parametrize("rows", [120, 300, 1500])
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_intervals_in_time_cover_or_are_marked_and_few_of_independent_rows_are(draw, method, rows, correlation):
    """Of a hold-out of a fifth. Squares at a correlation of .9 were covered by .75, and half of those unmarked."""
    rng, samples, covered, marked = np.random.default_rng(0), 200, [], []
    for _ in range(samples):
        seen, target = draw(correlation, rows, rows // 5, rng)
        found = estimate_with("any", "E_val", seen, "", 1, method, LEVEL)
        covered.append(found.low is None or found.low <= target <= found.high)
        marked.append(found.low is None or seen.memory.doubt(seen.n) is not None)
    covered, marked = np.array(covered), np.array(marked)
    error = 2 * np.sqrt(0.95 * 0.05 / samples)  # two standard errors of a share of 200: 0.03
    assert np.mean(covered | marked) >= 0.92 - error
    if (~marked).sum() >= samples / 2:
        assert covered[~marked].mean() >= 0.90 - error
    if correlation == 0:
        assert marked.mean() <= 0.10 + 1.5 * error


def test_hours_that_follow_one_another_slowly_are_marked():
    rng = np.random.default_rng(1)
    seen = [_squares(0.97, 300, 60, rng)[0] for _ in range(60)]
    marked = [one.units <= 2 or one.memory.doubt(one.n) is not None for one in seen]
    assert np.mean(marked) > 0.9
