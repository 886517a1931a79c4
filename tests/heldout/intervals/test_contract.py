"""What every interval method owes: one contract, all methods."""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout import intervals
from heldout.errors import BadArgument
from heldout.intervals import hoeffding, k_fold_hoeffding, student_t, wilson
from heldout.records import Interval

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True)
class Method:
    """A method as a function of losses and level, with what it promises."""

    interval: Callable[[np.ndarray, float], Interval]
    loss: st.SearchStrategy
    name: str
    bounded: bool = True
    constant_has_width: bool = True


METHODS = {
    "wilson": Method(wilson.interval, st.sampled_from([0.0, 1.0]), wilson.METHOD),
    "hoeffding": Method(
        lambda losses, level: hoeffding.interval(losses.mean(), len(losses), level), st.floats(0, 1), hoeffding.METHOD
    ),
    "k_fold_hoeffding": Method(
        lambda losses, level: k_fold_hoeffding.interval(losses.mean(), len(losses), 2, level),
        st.floats(0, 1),
        k_fold_hoeffding.METHOD,
    ),
    "student_t": Method(
        student_t.interval, st.floats(0, 100), student_t.METHOD, bounded=False, constant_has_width=False
    ),
}
# the losses of a plain case whose bounds no method cuts at 0 or 1: 48 errors in 96
PLAIN = np.tile([0.0, 1.0], 48)
levels = st.floats(0.5, 0.999)
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def draw_losses(data, method: Method) -> np.ndarray:
    return np.array(data.draw(st.lists(method.loss, min_size=2, max_size=30)))


@every_method
@LAWS
@given(data=st.data(), level=levels)
def test_the_bounds_bracket_the_estimate_and_stay_in_the_range_of_the_loss(method, data, level):
    losses = draw_losses(data, method)
    found = method.interval(losses, level)
    mean = losses.mean()
    assert 0 <= found.low <= mean <= found.high
    if method.bounded:
        assert found.high <= 1


@every_method
@LAWS
@given(data=st.data(), pair=st.tuples(levels, levels))
def test_a_higher_level_never_narrows(method, data, pair):
    losses = draw_losses(data, method)
    inner, outer = (method.interval(losses, level) for level in sorted(pair))
    # the bounds are a few operations on numbers of at most 100: rounding below 1e-12
    assert outer.low <= inner.low + 1e-12
    assert inner.high <= outer.high + 1e-12


@every_method
def test_a_higher_level_widens(method):
    widths = [found.high - found.low for found in (method.interval(PLAIN, level) for level in (0.5, 0.8, 0.9, 0.95))]
    assert all(narrow < wide for narrow, wide in zip(widths, widths[1:], strict=False))


@every_method
def test_more_data_narrow_like_one_over_the_root_of_n(method):
    narrow, wide = (method.interval(np.tile(PLAIN, times), 0.9) for times in (16, 4))
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    # four times the data, half the width; Wilson's z^2/n and Student's n - 1 differ from it by order 1/n, n = 384
    assert 2 == pytest.approx(ratio, abs=4 / 384)


@every_method
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_losses_keep_a_width_wherever_the_method_claims_finite_samples(method, value):
    found = method.interval(np.full(20, value), 0.95)
    assert method.constant_has_width == (found.high - found.low > 0)


@every_method
@LAWS
@given(data=st.data(), level=levels)
def test_the_bounds_do_not_depend_on_the_order_of_the_losses(method, data, level):
    losses = draw_losses(data, method)
    one, other = method.interval(losses, level), method.interval(np.sort(losses), level)
    # the same sums in another order; a spread near 0 has a rounding of sqrt(1e-16) x 100
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)


@pytest.mark.parametrize("method", [method for method in METHODS.values() if method.bounded], ids=lambda m: m.name)
@LAWS
@given(data=st.data(), level=levels)
def test_the_interval_of_the_share_of_hits_mirrors_that_of_the_error(method, data, level):
    losses = draw_losses(data, method)
    one, mirrored = method.interval(losses, level), method.interval(1 - losses, level)
    assert (one.low, one.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


@every_method
@LAWS
@given(level=st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_a_level_outside_0_and_1_is_refused(method, level):
    with pytest.raises(BadArgument, match=r"^level is .*; it must lie between 0 and 1, both excluded$") as caught:
        method.interval(PLAIN, level)
    assert "level" == caught.value.argument


@every_method
def test_an_interval_names_its_level_its_method_and_its_assumption(method):
    found = method.interval(PLAIN, 0.9)
    assert (0.9, method.name) == (found.level, found.method)
    assert "independent examples" in found.assumption


def test_every_module_of_the_package_is_under_the_contract():
    assert set(METHODS) == {module.name for module in pkgutil.iter_modules(intervals.__path__)}
