"""The contract of every interval method, on losses of its kind from a fixed seed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates.methods import DEFAULTS
from heldout.intervals.method import IntervalMethod
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss, Losses, tested_losses
from heldout.losses.cells import Cells
from heldout.losses.tested_losses import FIELD_OF
from heldout.records import Interval
from heldout.testing.law import keep, refused, require

BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
COSTS = replace(ZERO_ONE, name="costs", binary=False, counts="rows")
LOSS_OF = {"0/1": ZERO_ONE, "of costs": COSTS, "of known limit": BOUNDED, "any": SQUARED}  # by what a method admits
PARTS = 4  # folds, or repeats of a table
_PATTERN = np.array([-2.0, -1.0, 1.0, 2.0])  # how they differ, in units of 1 / sqrt(n)
_DRAWS = 25
_SHARES = (0.0, 0.02, 0.1, 0.5, 0.9, 1.0)  # of losses that are not 0


def check_interval(method: IntervalMethod) -> None:
    """Try every law of an interval method.

    Parameters
    ----------
    method : IntervalMethod
        The method. One that covers an estimate of another package alone is not for this function.

    Raises
    ------
    AssertionError
        For a law that is broken: it names the law, the method, and what was seen.

    Examples
    --------
    >>> from heldout.intervals.log_t import METHOD
    >>> check_interval(METHOD)
    """
    keep(LAWS, method)


def observe(
    method: IntervalMethod, losses: Losses, loss: Loss | None = None, order: NDArray[np.intp] | None = None
) -> Any:
    """Losses, a multiple of 4 in number, as the method observes them; `order` puts the rows in another one."""
    loss = loss or LOSS_OF[method.losses]
    table = losses.reshape(PARTS, -1)
    if "E_2cv" in method.covers:
        columns = slice(None) if order is None else np.argsort(order[: table.shape[1]])
        return tested_losses.repeated_by_row(table[:, columns], loss)
    if order is None:
        order = np.arange(len(losses))
    if "E_cv" in method.covers:
        fold = np.repeat(np.arange(PARTS), table.shape[1])
        fields = _further(losses, fold)
        fields["pair_losses"] = fields["pair_losses"][:, order]
        return tested_losses.CrossValidated(losses[order], loss, fold=fold[order], cells=_cells(loss, order), **fields)
    pool = losses[order] if method.needs_cv else None
    return tested_losses.Tested(losses[order], loss, pool=pool, cells=_cells(loss, order))


def _cells(loss: Loss, order: NDArray[np.intp]) -> Cells | None:
    """Rows are in turn of a class whose losses are up to 1/2 and 1, and of one whose losses are up to 1."""
    if loss.counts is None:
        return None
    return Cells(order % 2, (np.array([0.5, 1.0]), np.array([1.0])), np.array([0.5, 0.5]), len(order))


def interval(method: IntervalMethod, losses: Losses, level: float, **how: Any) -> Interval:
    """The interval of the first estimate that the method covers, for losses as `observe` has them."""
    return method.interval(next(iter(method.covers)), observe(method, losses, **how), level)


def plain(n: int) -> Losses:
    """Half of the losses 0 and half 1, in a fixed random order; the parts differ by order 1 / sqrt(n)."""
    size = n // PARTS
    ones = np.rint(size / 2 + np.sqrt(n) / 8 * _PATTERN).astype(int)
    parts = [np.repeat([1.0, 0.0], [count, size - count]) for count in ones]
    return np.concatenate([np.random.default_rng(n).permutation(part) for part in parts])


def it_says_what_it_covers_and_under_which_assumption(method: IntervalMethod) -> None:
    """Estimates that exist, each with an assumption of words, and further fits that are made."""
    law = "covers must map estimates whose interval can be chosen to the assumption, in words"
    require(method.covers and {*method.covers} <= {*DEFAULTS}, method.name, law, f"it covers {[*method.covers]}")
    require(all(words.strip() for words in method.covers.values()), method.name, law, "an assumption is empty")
    needs = f"needs must be one of {', '.join(FIELD_OF)}, or None"
    require(method.needs is None or method.needs in FIELD_OF, method.name, needs, f"it is {method.needs!r}")
    require(method.losses in LOSS_OF, method.name, f"losses must be one of {', '.join(LOSS_OF)}", f"{method.losses!r}")


def the_bounds_bracket_the_estimate_and_stay_in_the_range_of_the_loss(method: IntervalMethod) -> None:
    """0 <= low <= estimate <= high, and high <= 1 where the limit is 1."""
    for losses, rng in _drawn(method):
        found, error = interval(method, losses, rng.uniform(0.5, 0.999)), observe(method, losses).error
        law = "the bounds must bracket the estimate, and not pass the range of the loss"
        seen = f"[{found.low}, {found.high}] about {error}, for losses {losses.tolist()}"
        within = 0 <= found.low <= error <= found.high and (found.high <= 1 or method.losses == "any")
        require(within, method.name, law, seen)


def a_bounded_loss_has_no_bound_past_its_limit(method: IntervalMethod) -> None:
    """Whatever else the method admits."""
    losses = np.repeat([0.0, 1.0], [4, 12])
    for loss in (ZERO_ONE, BOUNDED):
        if method.admits(loss):
            high = interval(method, losses, 0.999, loss=loss).high
            require(high <= 1, method.name, f"no bound of the {loss.name} loss may pass 1", f"it is {high}")


def losses_of_another_limit_have_that_multiple_of_the_interval(method: IntervalMethod) -> None:
    """For methods that need a limit."""
    if method.losses != "of known limit":
        return
    for losses, rng in _drawn(method):
        level, limit = rng.uniform(0.5, 0.999), float(10 ** rng.uniform(-3, 6))
        unit = interval(method, losses, level)
        found = interval(method, limit * losses, level, loss=SQUARED.limited(limit))
        law = "losses times a number, with the limit times it, must have that multiple of the interval"
        near = np.allclose([limit * unit.low, limit * unit.high], [found.low, found.high], 1e-9, 1e-9 * limit)
        require(near and found.high <= limit * (1 + 1e-9), method.name, law, f"{unit} and {found} for {limit}")


def a_loss_above_a_limit_that_was_stated_has_no_interval(method: IntervalMethod) -> None:
    """The statement is refuted, which a method must not hide."""
    if method.losses != "of known limit":
        return
    losses = np.repeat([1.0, 4.0], [8, 8])
    high = interval(method, losses, 0.9, loss=SQUARED.limited(4)).high
    require(high <= 4, method.name, "no bound may pass the limit that was stated", f"{high} for 4")
    raised = refused(lambda: interval(method, losses, 0.9, loss=SQUARED.limited(3.9)), BadArgument)
    require(raised, method.name, "a loss above the stated limit must raise BadArgument")


def a_higher_level_never_narrows(method: IntervalMethod) -> None:
    """For any losses."""
    for losses, rng in _drawn(method):
        levels = sorted(rng.uniform(0.5, 0.999, 2))
        inner, outer = (interval(method, losses, level) for level in levels)
        # a few operations on numbers of at most 100, and roots found to 1e-12: below 1e-9
        wider = outer.low <= inner.low + 1e-9 and inner.high <= outer.high + 1e-9
        seen = f"{inner} and {outer}, for losses {losses.tolist()}"
        require(wider, method.name, "a higher level must not narrow the interval", seen)


def a_higher_level_widens(method: IntervalMethod) -> None:
    """On both sides, for losses half of which are 0 and half 1."""
    found = [interval(method, plain(1600), level) for level in (0.5, 0.8, 0.9, 0.95, 0.99)]
    wider = all(outer.low < inner.low and inner.high < outer.high for inner, outer in pairwise(found))
    require(wider, method.name, "a higher level must widen the interval on both sides", f"{found}")


def four_times_the_data_halve_the_width(method: IntervalMethod) -> None:
    """Within a tenth, from 6400 to 25600 losses."""
    wide, narrow = (interval(method, plain(n), 0.9) for n in (6400, 25600))
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    # empirical Bernstein's 7 ln(40) / (3 (n - 1)) is 8 % of its width at 6400 and 4 % at 25600, and the sequence
    # pays for looking; the share of changes between steps varies by 1 / sqrt(6400); the width between quantiles of
    # 2000 resamples has a standard error of 2 %, hence the ratio one of 0.06, of which three are allowed
    near = abs(ratio - 2) <= (0.18 if method.random else 0.1)
    require(near, method.name, "four times as many losses must halve the width", f"they divide it by {ratio:.3f}")


def constant_losses_have_a_width_where_the_method_says_so(method: IntervalMethod) -> None:
    """`keeps_width` is true, and so wherever the method claims finite samples."""
    for value in (0.0, 1.0):
        found = interval(method, np.full(20, value), 0.95)
        seen = f"{found.high - found.low} for 20 losses of {value}, and keeps_width is {method.keeps_width}"
        same = method.keeps_width == (found.high - found.low > 0)
        require(same, method.name, "equal losses must have a width where keeps_width says so, and none elsewhere", seen)
    exact = method.keeps_width or method.validity == "asymptotic"
    require(exact, method.name, "a method without a width for equal losses can be asymptotic alone", method.validity)


def where_no_loss_is_above_0_a_known_limit_gives_an_upper_bound(method: IntervalMethod) -> None:
    """For methods of any loss: rows that were not drawn may err."""
    if method.losses != "any":
        return
    small, large = (interval(method, np.zeros(n), 0.95, loss=SQUARED.limited(4)) for n in (20, 80))
    surer = interval(method, np.zeros(20), 0.99, loss=SQUARED.limited(4))
    # a share p of losses of 4 stays away from n rows with probability (1 - p)^n
    enough = all(
        found.low == 0 and 0.999 * (1 - 0.025 ** (1 / n)) < found.high / 4 < 1
        for found, n in ((small, 20), (large, 80))
    )
    law = "losses of 0 and a known limit must have an upper bound that more rows lower and a higher level raises"
    require(enough and large.high < small.high < surer.high, method.name, law, f"{small}, {large}, {surer}")


def the_order_of_the_rows_matters_where_the_method_says_so(method: IntervalMethod) -> None:
    """`order_matters` is true."""
    if method.order_matters:
        falling = np.repeat([1.0, 0.0], [100, 300])
        one = interval(method, falling, 0.9)
        other = interval(method, np.random.default_rng(0).permutation(falling), 0.9)
        law = "order_matters: errors that fall along the steps must have a narrower interval than in random order"
        require(one.high - one.low < other.high - other.low, method.name, law, f"{one} and {other}")
        return
    for losses, rng in _drawn(method):
        level, order = rng.uniform(0.5, 0.999), rng.permutation(len(losses))
        one, other = interval(method, losses, level), interval(method, losses, level, order=order)
        # the same sums in another order; a spread near 0 has a rounding of sqrt(1e-16) x 100
        near = np.allclose([one.low, one.high], [other.low, other.high], rtol=1e-6, atol=1e-6)
        law = "another order of the rows must give the same interval, unless order_matters"
        require(near, method.name, law, f"{one} and {other}")


def the_interval_of_the_share_of_hits_mirrors_that_of_the_error(method: IntervalMethod) -> None:
    """`has_mirror` is true."""
    if method.losses == "any" or not method.has_mirror:
        return
    for losses, rng in _drawn(method):
        level = rng.uniform(0.5, 0.999)
        one, mirrored = interval(method, losses, level), interval(method, 1 - losses, level)
        # rounding, and sqrt(rounding) of a spread near 0
        near = np.allclose([one.low, one.high], [1 - mirrored.high, 1 - mirrored.low], rtol=0, atol=1e-7)
        law = "the interval of 1 - loss must be 1 minus that of the loss, unless has_mirror is False"
        require(near, method.name, law, f"{one} and {mirrored}")


def an_interval_names_its_level_its_method_and_the_assumption(method: IntervalMethod) -> None:
    """For each estimate that it covers."""
    seen = observe(method, plain(64))
    for estimate, assumption in method.covers.items():
        found = method.interval(estimate, seen, 0.9)
        same = (0.9, method.name, assumption) == (found.level, found.method, found.assumption)
        require(same, method.name, "an interval must have its level, its method and its assumption", f"{found}")
        law = "an assumption must say how examples come: that they are independent, or steps of a martingale"
        require(any(word in assumption for word in ("independent", "martingale")), method.name, law, assumption)


def the_same_seed_gives_the_same_bounds(method: IntervalMethod) -> None:
    """And another one others, where `random` is true and nowhere else."""
    # losses with a tail, so that draws differ
    losses = plain(64) if method.losses in ("0/1", "of costs") else np.linspace(0, 1, 64) ** 3
    seen, estimate = observe(method, losses), next(iter(method.covers))
    one, again = (method.interval(estimate, seen, 0.9) for _ in range(2))
    require(one == again, method.name, "the same seed must give the same bounds", f"{one} and {again}")
    drawn = method.interval(estimate, replace(seen, seed=1), 0.9) != one
    require(drawn == method.random, method.name, "bounds must depend on the seed where random says so, and only there")


def a_level_outside_0_and_1_is_refused(method: IntervalMethod) -> None:
    """Also one that is no number."""
    for level in (-0.5, 0.0, 1.0, 95.0, float("nan")):
        raised = refused(lambda level=level: interval(method, plain(64), level), BadArgument)  # type: ignore[misc]
        require(raised, method.name, "a level outside 0 and 1 must raise BadArgument", f"{level} did not")


def too_few_losses_are_refused(method: IntervalMethod) -> None:
    """Fewer than `least`; and so many are enough."""
    estimate = next(iter(method.covers))
    for n in range(method.least):
        few = tested_losses.Tested(np.zeros(n), LOSS_OF[method.losses])
        raised = refused(lambda few=few: method.interval(estimate, few, 0.95), BadArgument)  # type: ignore[misc]
        require(raised, method.name, f"fewer than {method.least} losses must raise BadArgument", f"{n} did not")


def losses_that_overflow_when_squared_are_refused(method: IntervalMethod) -> None:
    """For methods of any loss that take a spread of it."""
    if method.losses != "any" or method.needs_cv:  # a ratio of means has no squares
        return
    # the spread within folds, between folds, and of anything made from losses is beyond the largest double
    with np.errstate(over="ignore", invalid="ignore"):
        raised = refused(lambda: interval(method, np.repeat([0.0, 1e300], [5, 11]), 0.95), BadArgument)
    require(raised, method.name, "losses too large to be squared must raise BadArgument")


def another_estimate_and_another_loss_are_refused(method: IntervalMethod) -> None:
    """Those that the method does not name."""
    seen = observe(method, plain(64))
    for estimate in [*DEFAULTS, "E_in"]:
        if estimate not in method.covers:
            raised = refused(lambda estimate=estimate: method.interval(estimate, seen, 0.95), BadArgument)  # type: ignore[misc]
            require(raised, method.name, "an estimate that is not covered must raise BadArgument", estimate)
    for loss in (ZERO_ONE, BOUNDED, SQUARED):
        if not method.admits(loss):
            raised = refused(lambda loss=loss: interval(method, plain(64), 0.95, loss=loss), BadArgument)  # type: ignore[misc]
            require(raised, method.name, f"the {loss.name} loss is not admitted, and must raise BadArgument")


LAWS: tuple[Callable[[IntervalMethod], None], ...] = (
    it_says_what_it_covers_and_under_which_assumption,
    the_bounds_bracket_the_estimate_and_stay_in_the_range_of_the_loss,
    a_bounded_loss_has_no_bound_past_its_limit,
    losses_of_another_limit_have_that_multiple_of_the_interval,
    a_loss_above_a_limit_that_was_stated_has_no_interval,
    a_higher_level_never_narrows,
    a_higher_level_widens,
    four_times_the_data_halve_the_width,
    constant_losses_have_a_width_where_the_method_says_so,
    where_no_loss_is_above_0_a_known_limit_gives_an_upper_bound,
    the_order_of_the_rows_matters_where_the_method_says_so,
    the_interval_of_the_share_of_hits_mirrors_that_of_the_error,
    an_interval_names_its_level_its_method_and_the_assumption,
    the_same_seed_gives_the_same_bounds,
    a_level_outside_0_and_1_is_refused,
    too_few_losses_are_refused,
    losses_that_overflow_when_squared_are_refused,
    another_estimate_and_another_loss_are_refused,
)


def _drawn(method: IntervalMethod) -> Iterator[tuple[Losses, np.random.Generator]]:
    """Losses that the method admits, 12 to 32 of them, from few to many that are not 0, small and large."""
    for number in range(_DRAWS):
        rng = np.random.default_rng(number)
        n = PARTS * int(rng.integers(3, 9))
        there = rng.random(n) < _SHARES[number % len(_SHARES)]
        sizes = {
            "0/1": np.ones(n),
            "of costs": np.where(np.arange(n) % 2, 1.0, rng.choice([0.5, 1.0], n)),
            "of known limit": rng.beta(0.5, 0.5, n) if number % 2 else np.full(n, rng.random()),
            "any": np.minimum(rng.exponential(10.0 ** rng.integers(-3, 2), n), 100),
        }
        yield there * sizes[method.losses], rng


def _further(losses: Losses, fold: NDArray[np.intp]) -> dict[str, Any]:
    """What further fits might give for these losses: errors about their mean, as far as so many rows allow."""
    unit = losses.std() / np.sqrt(len(losses) / PARTS)
    return {
        "subsample_errors": losses.mean() + unit * np.sin(np.arange(25)),
        "tested_per_trained": 1 / (PARTS - 1),
        "repeated_errors": losses.mean() + unit * np.cos(np.arange(2 * PARTS)).reshape(2, PARTS),
        "pair_losses": np.where(fold == np.arange(PARTS)[:, None], np.nan, losses),
    }
