"""What every interval method owes, those of the studies too: one contract; and the choice among the package's own."""

import pkgutil
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout import intervals
from heldout.errors import BadArgument
from heldout.estimates.methods import DEFAULTS, choose, default_method, find
from heldout.intervals import METHODS
from heldout.intervals.method import IntervalMethod
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.losses.tested_losses import FIELD_OF, Tested, repeated_by_row
from studies.intervals import EVERY, half_subsamples

LAWS = settings(max_examples=25, deadline=None, derandomize=True, database=None)
COSTS = {"cost": {0: {1: 2}, 1: {0: 9}}}
OF_CLASSES = [choose_loss(spec, np.array([0, 0, 1])) for spec in ("log", "brier", "balanced", COSTS)]
LOSSES = [ZERO_ONE, *OF_CLASSES, SQUARED, ABSOLUTE, choose_loss({"pinball": 0.9}, np.array([0.5, 1.0]))]
BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
KINDS: dict[str, tuple[Loss, st.SearchStrategy]] = {
    "0/1": (ZERO_ONE, st.sampled_from([0.0, 1.0])),
    "of known limit": (BOUNDED, st.floats(0, 1)),
    "any": (SQUARED, st.floats(0, 100)),
}
levels = st.floats(0.5, 0.999)
names = [method.name for method in METHODS]


def each_method(of=lambda method: True, methods=EVERY):
    """One case for every method `of` a kind."""
    return pytest.mark.parametrize("method", list(filter(of, methods)), ids=lambda method: method.name)


every_method, every_method_of_the_package = each_method(), each_method(methods=METHODS)

PARTS = 4  # folds, or repeats of a table
PATTERN = np.array([-2.0, -1.0, 1.0, 2.0])  # how they differ, in units of 1 / sqrt(n)


def further(losses: np.ndarray, fold: np.ndarray) -> dict:
    """What further fits might give for these losses: errors about their mean, as far as so many rows allow."""
    unit = losses.std() / np.sqrt(len(losses) / PARTS)
    return {
        "subsample_errors": losses.mean() + unit * np.sin(np.arange(25)),
        "tested_per_trained": 1 / (PARTS - 1),
        "repeated_errors": losses.mean() + unit * np.cos(np.arange(2 * PARTS)).reshape(2, PARTS),
        "half_errors": losses.mean() + unit * np.sin(np.arange(20)).reshape(10, 2),
        "pair_losses": np.where(fold == np.arange(PARTS)[:, None], np.nan, losses),
    }


def observe(method: IntervalMethod, losses: np.ndarray, loss: Loss | None = None, order: np.ndarray | None = None):
    """Losses, a multiple of 4 in number, as the method observes them; `order` puts the rows in another one."""
    loss = loss or KINDS[method.losses][0]
    table = losses.reshape(PARTS, -1)
    if "E_2cv" in method.covers:
        return repeated_by_row(table if order is None else table[:, np.argsort(order[: table.shape[1]])], loss)
    if order is None:
        order = np.arange(len(losses))
    if "E_cv" in method.covers:
        fold = np.repeat(np.arange(PARTS), table.shape[1])
        fields = further(losses, fold)
        fields["pair_losses"] = fields["pair_losses"][:, order]
        return half_subsamples.Halved(losses[order], loss, fold=fold[order], **fields)
    return Tested(losses[order], loss, pool=losses[order] if method.needs_cv else None)


def interval(method: IntervalMethod, losses: np.ndarray, level: float, **how):
    return method.interval(next(iter(method.covers)), observe(method, losses, **how), level)


def draw_losses(data, method: IntervalMethod) -> np.ndarray:
    drawn = data.draw(st.lists(KINDS[method.losses][1], min_size=12, max_size=32))
    return np.array(drawn[: len(drawn) // PARTS * PARTS])


def plain(n: int) -> np.ndarray:
    """Half of the losses 0 and half 1, in a fixed random order; the parts differ by order 1 / sqrt(n)."""
    size = n // PARTS
    ones = np.rint(size / 2 + np.sqrt(n) / 8 * PATTERN).astype(int)
    parts = [np.repeat([1.0, 0.0], [count, size - count]) for count in ones]
    return np.concatenate([np.random.default_rng(n).permutation(part) for part in parts])


@every_method
@LAWS
@given(data=st.data(), level=levels)
def test_the_bounds_bracket_the_estimate_and_stay_in_the_range_of_the_loss(method, data, level):
    losses = draw_losses(data, method)
    found = interval(method, losses, level)
    error = observe(method, losses).error
    assert 0 <= found.low <= error <= found.high
    assert found.high <= 1 or method.losses == "any"


@every_method
def test_a_bounded_loss_has_no_bound_past_1_whatever_else_the_method_admits(method):
    losses = np.repeat([0.0, 1.0], [4, 12])
    for loss in (ZERO_ONE, BOUNDED):
        if method.admits(loss):
            assert interval(method, losses, 0.999, loss=loss).high <= 1


@each_method(lambda method: method.losses == "of known limit")
@LAWS
@given(data=st.data(), level=levels, limit=st.floats(1e-3, 1e6))
def test_losses_of_another_limit_have_that_multiple_of_the_interval(method, data, level, limit):
    losses = draw_losses(data, method)
    unit = interval(method, losses, level)
    found = interval(method, limit * losses, level, loss=SQUARED.limited(limit))
    assert (limit * unit.low, limit * unit.high) == pytest.approx((found.low, found.high), rel=1e-9, abs=1e-9 * limit)
    assert found.high <= limit * (1 + 1e-9)


@each_method(lambda method: method.losses == "of known limit")
def test_a_loss_above_a_limit_that_was_stated_has_no_interval(method):
    losses = np.repeat([1.0, 4.0], [8, 8])
    assert interval(method, losses, 0.9, loss=SQUARED.limited(4)).high <= 4
    with pytest.raises(BadArgument, match="^loss_max is 3.9, but the squared loss of .* is 4 at row 8; ") as caught:
        interval(method, losses, 0.9, loss=SQUARED.limited(3.9))
    assert "loss_max" == caught.value.argument


@every_method
@LAWS
@given(data=st.data(), pair=st.tuples(levels, levels))
def test_a_higher_level_never_narrows(method, data, pair):
    losses = draw_losses(data, method)
    inner, outer = (interval(method, losses, level) for level in sorted(pair))
    # a few operations on numbers of at most 100, and roots found to 1e-12: below 1e-9
    assert outer.low <= inner.low + 1e-9
    assert inner.high <= outer.high + 1e-9


@every_method
def test_a_higher_level_widens(method):
    found = [interval(method, plain(1600), level) for level in (0.5, 0.8, 0.9, 0.95, 0.99)]
    assert all(
        outer.low < inner.low and inner.high < outer.high for inner, outer in zip(found, found[1:], strict=False)
    )


@every_method
def test_four_times_the_data_halve_the_width(method):
    wide, narrow = (interval(method, plain(n), 0.9) for n in (6400, 25600))
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    # empirical Bernstein's 7 ln(40) / (3 (n - 1)) is 8 % of its width at 6400 and 4 % at 25600, and the sequence
    # pays for looking; the share of changes between steps varies by 1 / sqrt(6400); the width between quantiles of
    # 2000 resamples has a standard error of 2 %, hence the ratio one of 0.06, of which three are allowed
    assert 2 == pytest.approx(ratio, abs=0.18 if method.random else 0.1)


@every_method
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_losses_have_a_width_where_the_method_says_so_and_wherever_it_claims_finite_samples(method, value):
    found = interval(method, np.full(20, value), 0.95)
    assert method.keeps_width == (found.high - found.low > 0)
    assert method.keeps_width or method.validity == "asymptotic"


@each_method(lambda method: method.losses == "any")
def test_where_no_loss_is_above_0_a_known_limit_gives_an_upper_bound(method):
    bounds = [interval(method, np.zeros(n), 0.95, loss=SQUARED.limited(4)) for n in (20, 80)]
    assert [0, 0] == [found.low for found in bounds]
    # a share p of losses of 4 stays away from n rows with probability (1 - p)^n
    assert all(0.999 * (1 - 0.025 ** (1 / n)) < found.high / 4 < 1 for found, n in zip(bounds, (20, 80), strict=True))
    assert bounds[1].high < bounds[0].high < interval(method, np.zeros(20), 0.99, loss=SQUARED.limited(4)).high


@each_method(lambda method: not method.order_matters)
@LAWS
@given(data=st.data(), level=levels)
def test_the_bounds_do_not_depend_on_the_order_of_the_rows(method, data, level):
    losses = draw_losses(data, method)
    order = np.array(data.draw(st.permutations(range(len(losses)))))
    one, other = interval(method, losses, level), interval(method, losses, level, order=order)
    # the same sums in another order; a spread near 0 has a rounding of sqrt(1e-16) x 100
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)


@each_method(lambda method: method.order_matters)
def test_methods_for_steps_do_depend_on_their_order(method):
    falling = np.repeat([1.0, 0.0], [100, 300])
    one, other = interval(method, falling, 0.9), interval(method, np.random.default_rng(0).permutation(falling), 0.9)
    assert one.high - one.low < other.high - other.low


@each_method(lambda method: method.losses != "any" and method.has_mirror)
@LAWS
@given(data=st.data(), level=levels)
def test_the_interval_of_the_share_of_hits_mirrors_that_of_the_error(method, data, level):
    losses = draw_losses(data, method)
    one, mirrored = interval(method, losses, level), interval(method, 1 - losses, level)
    # rounding, and sqrt(rounding) of a spread near 0
    assert (one.low, one.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-7)


@every_method
@LAWS
@given(level=st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_a_level_outside_0_and_1_is_refused(method, level):
    with pytest.raises(BadArgument, match=r"^level is .*; it must lie between 0 and 1, both excluded$") as caught:
        interval(method, plain(64), level)
    assert "level" == caught.value.argument


@every_method
def test_an_interval_names_its_level_its_method_and_the_assumption_for_its_estimate(method):
    seen = observe(method, plain(64))
    for estimate, assumption in method.covers.items():
        found = method.interval(estimate, seen, 0.9)
        assert (0.9, method.name, assumption) == (found.level, found.method, found.assumption)
        assert any(word in assumption for word in ("independent", "martingale"))


@every_method
def test_the_same_seed_gives_the_same_bounds(method):
    # losses with a tail, so that draws differ
    losses = np.linspace(0, 1, 64) ** 3 if method.losses != "0/1" else plain(64)
    seen = observe(method, losses)
    estimate = next(iter(method.covers))
    assert method.interval(estimate, seen, 0.9) == method.interval(estimate, seen, 0.9)
    drawn = method.interval(estimate, replace(seen, seed=1), 0.9) != method.interval(estimate, seen, 0.9)
    assert drawn == method.random


@every_method
def test_too_few_losses_are_refused(method):
    for n in range(method.least):
        few = Tested(np.zeros(n), KINDS[method.losses][0])
        with pytest.raises(
            BadArgument, match=f"^{method.name} needs at least {method.least} losses, got {n}$"
        ) as caught:
            method.interval(next(iter(method.covers)), few, 0.95)
        assert "losses" == caught.value.argument


@each_method(lambda method: method.losses == "any" and not method.needs_cv)  # a ratio of means has no squares
def test_losses_that_overflow_when_squared_are_refused(method):
    # the spread within folds, between folds, and of anything made from losses is beyond the largest double
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(BadArgument, match="too large to be squared$"):
        interval(method, np.repeat([0.0, 1e300], [5, 11]), 0.95)


@every_method_of_the_package
@pytest.mark.parametrize("loss", [*LOSSES, BOUNDED], ids=lambda loss: loss.name)
def test_a_loss_that_is_not_admitted_is_refused_with_the_methods_that_fit(method, loss):
    for estimate in method.covers:
        seen = loss.disagreement_loss if estimate == "disagreement" and loss.disagreement_loss is not None else loss
        if method.admits(seen):
            assert method is find(method.name, estimate, loss)
            continue
        lacks = "has none unless loss_max states it" if method.losses == "of known limit" else "is not"
        reason = f"is for losses {method.losses}, and the {loss.name} loss {lacks}"
        with pytest.raises(BadArgument) as caught:
            method.interval(estimate, observe(method, plain(64), seen), 0.95)
        refused = f"{method.name} is for losses {method.losses}, and the {seen.name} loss {lacks}"
        assert ("intervals", refused) == (caught.value.argument, str(caught.value))
        with pytest.raises(BadArgument) as caught:
            choose({estimate: method.name}, loss)
        fitting = [other.name for other in METHODS if estimate in other.covers and other.admits(seen)]
        expected = f"intervals: {method.name} {reason}; for {estimate} use {', '.join(fitting)}"
        assert ("intervals", expected) == (caught.value.argument, str(caught.value))


@pytest.mark.parametrize(
    ("method", "estimate"),
    [(method, estimate) for method in METHODS for estimate in [*DEFAULTS, "E_in"] if estimate not in method.covers],
    ids=lambda case: getattr(case, "name", case),
)
def test_an_estimate_that_is_not_covered_is_refused(method, estimate):
    with pytest.raises(BadArgument, match=f"^{method.name} does not cover {estimate}; it covers ") as caught:
        method.interval(estimate, observe(method, plain(64)), 0.95)
    assert "intervals" == caught.value.argument
    if estimate in DEFAULTS:
        with pytest.raises(BadArgument, match=f"^intervals: {method.name!r} covers .* alone; for {estimate} "):
            choose({estimate: method.name}, KINDS[method.losses][0])


@pytest.mark.parametrize("name", ["", "wilsons", "no such method", None, 3])
def test_a_method_that_is_not_known_is_refused_with_those_that_fit(name):
    with pytest.raises(BadArgument) as caught:
        choose({"E_prog": name}, ABSOLUTE)
    fitting = [method.name for method in METHODS if "E_prog" in method.covers]
    expected = f"intervals: {name!r} is not known; for E_prog use {', '.join(fitting)}"
    assert ("intervals", expected) == (caught.value.argument, str(caught.value))


def test_an_estimate_that_is_not_known_is_refused_with_those_that_are():
    with pytest.raises(BadArgument, match="^intervals names 'E_in'; intervals can be chosen for E_val, ") as caught:
        choose({"E_in": "Wilson"}, ZERO_ONE)
    assert "intervals" == caught.value.argument


def test_every_module_of_the_package_is_a_method_of_the_list():
    modules = {module.name for module in pkgutil.iter_modules(intervals.__path__)} - {"credible", "method", "moved"}
    found = {import_module(f"heldout.intervals.{name}").METHOD.name for name in modules}
    assert found == set(names)
    assert len(modules) == len(found) == len(METHODS)


@every_method_of_the_package
def test_the_name_of_a_method_and_of_its_module_find_it_however_they_are_written(method):
    module = method.bounds.__module__.rpartition(".")[2]
    estimate, loss = next(iter(method.covers)), KINDS[method.losses][0]
    for name in (method.name, method.name.upper(), method.name.replace(" ", "-"), module, module.replace("_", " ")):
        assert method is find(name, estimate, loss)


@every_method
def test_a_method_says_what_it_covers_and_under_which_assumption(method):
    assert method.covers
    assert set(method.covers) <= set(DEFAULTS)
    assert all(assumption.strip() for assumption in method.covers.values())
    assert method.needs is None or method.needs in (*FIELD_OF, half_subsamples.NAME)


@pytest.mark.parametrize("estimate", DEFAULTS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_default_of_every_estimate_covers_it_and_admits_the_loss(estimate, loss):
    default = default_method(estimate, loss)
    assert default is find(default.name, estimate, loss)
    assert {estimate: default} == {estimate: choose(None, loss)[estimate]}


def test_a_choice_changes_the_chosen_estimate_alone():
    chosen = choose({"E_val": "Clopper-Pearson"}, ZERO_ONE)
    assert {**choose({}, ZERO_ONE), "E_val": intervals.clopper_pearson.METHOD} == chosen
