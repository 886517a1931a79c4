"""The plan: no fit twice, in whatever order they are answered; race and halvings as by hand; what a failure changes."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.errors import BadArgument
from heldout.losses import SQUARED, ZERO_ONE
from heldout.running.plan import Failed, NeedsFits, Plan, Wanted
from heldout.schemes.design import Design, Evidence, half_tested
from heldout.schemes.halvings import HALVES, after_look, looks, most
from heldout.selection.race import STREAM, Race
from heldout.splits.partition import Partition, make_halves

ROWS, TESTED = 200, 100
SCHEMES = ("final", "cross_validation", STREAM, HALVES)
SIDE = (STREAM, HALVES, "disagreement")
NAMES = tuple(f"c{number}" for number in range(6))


@cache
def design(rows: int = ROWS, tested: int = TESTED, halvings: int | None = None) -> Design:
    """Four folds, and a stream of the last `tested` rows in blocks of 10."""
    number = np.arange(rows)
    y = np.zeros(rows, dtype=np.int64)
    return Design(
        y=y,
        loss=ZERO_ONE,
        partition=Partition(number < 0, number % 4, np.where(number < rows - tested, -1, number - rows + tested)),
        halves=make_halves(y, repeats=halvings or most(rows), stratify=False, seed=0),
        block=10,
        stratify=False,
        seed=0,
        level=0.95,
        methods={},
        estimates=(),
    )


@dataclass
class World:
    """Made-up 0/1 losses of `candidates`: the later one is, the more it errs.

    `fails` has the number of the first fit that fails, by candidate and scheme. `exact` says of a candidate whether it
    has losses without fits; None for one that declines.
    """

    fails: dict[tuple[str, str], int] = field(default_factory=dict)
    exact: dict[str, bool | None] = field(default_factory=dict)
    of: Design = field(default_factory=design)
    step: float = 0.12
    asked: list[Wanted] = field(default_factory=list)

    def losses(self, name: str, scheme: str, number: int):
        size = len(self.of.splits(scheme)[number].validation)
        rng = np.random.default_rng(crc32(f"{name} {scheme} {number}".encode()))
        error = 0.1 + self.step * int(name[1:])
        return (rng.random(size) < error).astype(float)

    def answer(self, one: Wanted):
        self.asked.append(one)
        if one.exact and not self.exact[one.candidate]:
            return NeedsFits()
        first = self.fails.get((one.candidate, one.scheme))
        if first is not None and first < one.numbers.stop:
            return Failed(f"{one.scheme} {first}")
        return [self.losses(one.candidate, one.scheme, number) for number in one.numbers]

    def fits(self) -> Counter:
        """How often each fit was asked for."""
        return Counter(
            (one.candidate, one.scheme, number) for one in self.asked if not one.exact for number in one.numbers
        )

    def plan(self, names=NAMES, schemes=SCHEMES, limit=None, **more) -> Plan:
        return Plan(
            self.of,
            names,
            schemes,
            may_skip=lambda name, _scheme: name in self.exact,
            may_fail=lambda scheme: scheme in SIDE and not {*schemes} <= {*SIDE},
            limit=limit,
            **more,
        )

    def end(self, plan: Plan, chooses=lambda wanted: wanted) -> Plan:
        """The plan, when it wants nothing more; `chooses` says what is answered next, and in which order."""
        while wanted := plan.wanted():
            plan.take({one: self.answer(one) for one in chooses(wanted)})
        return plan


def said(plan: Plan):
    """All that a plan ends in, but for the reason of one that fails in several schemes."""
    return plan.left, plan.dropped, plan.halvings, [*plan.failures], plan.lacking, plan.design.halves.shape


HOW = st.fixed_dictionaries(
    {
        "limit": st.sampled_from([None, 1.0, math.inf]),
        "finalists": st.sampled_from([None, 2]),
        "by_rule": st.booleans(),
    }
)
FAILS = st.dictionaries(st.tuples(st.sampled_from(NAMES), st.sampled_from(SCHEMES)), st.integers(0, 12), max_size=4)
EXACT = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([True, None]), max_size=3)


@settings(max_examples=25)
@given(HOW, FAILS, EXACT, st.integers(0, 1000))
def test_the_order_of_the_answers_changes_nothing_and_no_fit_is_wanted_twice(how, fails, exact, seed):
    random = Random(seed)
    in_order = World(fails, exact)
    expected = said(in_order.end(in_order.plan(**how)))
    world = World(fails, exact)
    plan = world.end(world.plan(**how), lambda wanted: random.sample(wanted, random.randint(1, len(wanted))))
    assert expected == said(plan)
    assert all(times == 1 for times in world.fits().values())
    of_left = [{fit for fit in one.fits() if fit[0] in plan.left} for one in (in_order, world)]
    assert of_left[0] == of_left[1]
    assert {*plan.left} | {*plan.failures} | {one.candidate for one in plan.dropped} == {*NAMES}


@settings(max_examples=20)
@given(HOW, FAILS, EXACT)
def test_what_is_wanted_shrinks_or_is_new(how, fails, exact):
    world = World(fails, exact)
    plan, seen = world.plan(**how), set()
    while wanted := plan.wanted():
        assert len({*wanted}) == len(wanted)
        seen |= {*wanted}
        plan.take({wanted[-1]: world.answer(wanted[-1])})
        assert not {*plan.wanted()} & (seen - {*wanted} | {wanted[-1]})


@settings(max_examples=20)
@given(st.sampled_from(NAMES), st.integers(0, 9), st.booleans())
def test_one_that_fails_on_the_stream_never_started(name, block, by_rule):
    failing, without = World({(name, STREAM): block}), World()
    found = failing.end(failing.plan(limit=1.0, by_rule=by_rule))
    others = without.end(without.plan([other for other in NAMES if other != name], limit=1.0, by_rule=by_rule))
    fell_behind = not found.failures  # before the block in which it fails
    if not fell_behind:
        assert {name: f"{STREAM} {block}"} == found.failures
        assert (others.left, others.dropped, others.halvings) == (found.left, found.dropped, found.halvings)


@settings(max_examples=20)
@given(st.sampled_from(NAMES), st.sampled_from(["final", "cross_validation", STREAM]))
def test_without_a_race_a_failure_changes_no_fit_of_the_others(name, scheme):
    failing, without = World({(name, scheme): 0}), World()
    found, others = failing.end(failing.plan()), without.end(without.plan())
    assert {fit: 1 for fit in without.fits() if fit[0] != name} == {
        f: n for f, n in failing.fits().items() if f[0] != name
    }
    assert ([name] if scheme not in SIDE else []) == [*found.failures]
    assert ({name: {scheme: f"{scheme} 0"}} if scheme in SIDE else {}) == found.lacking
    assert [*NAMES] == others.left


@pytest.mark.parametrize("finalists", [None, 2])
def test_the_race_is_that_of_its_blocks_by_hand(finalists):
    world = World()
    plan = world.end(world.plan(limit=1.0, finalists=finalists))
    race = Race.of(NAMES, TESTED, 1.0, 0.95, finalists)
    for number in range(len(design().splits(STREAM))):
        if len(race.racing) > 1:
            race = race.after({name: world.losses(name, STREAM, number) for name in race.racing})
    assert race.dropped
    assert (race.dropped, race.racing) == (plan.dropped, tuple(plan.left))
    assert len(race.dropped) == plan.design.dropped
    made = Counter(fit[0] for fit in world.fits())
    assert [one.blocks(design()) for one in race.dropped] == [made[one.candidate] for one in race.dropped]
    all_fits = sum(len(design().splits(scheme)) for scheme in SCHEMES)
    assert {all_fits} == {made[name] for name in plan.left}


def test_one_that_is_left_alone_gets_its_whole_stream_and_where_it_fails_the_others_race_again():
    world = World(step=0.45)
    assert ["c0"] == world.end(world.plan(NAMES[:2], limit=1.0)).left
    late = World({("c0", STREAM): 9}, step=0.45)
    plan = late.end(late.plan(NAMES[:2], limit=1.0))
    assert (["c1"], (), ["c0"]) == (plan.left, plan.dropped, [*plan.failures])
    short = World({("c0", STREAM): 9}, step=0.45)
    assert ["c0"] == short.end(short.plan(NAMES[:2], ["final"], limit=1.0)).left
    assert ("c0", STREAM, 9) not in short.fits()


def test_blocks_of_the_race_come_before_anything_else():
    plan = World().plan(limit=1.0)
    assert [Wanted(name, STREAM, range(1)) for name in NAMES] == plan.wanted()


@pytest.mark.parametrize("step", [0.0, 0.1])
def test_the_halvings_are_those_of_their_looks_by_hand(step):
    world = World(of=design(60, 30), step=step)
    plan = world.plan(by_rule=True)
    first = looks(60)[0]
    assert {range(2 * first)} == {one.numbers for one in plan.wanted() if one.scheme == HALVES}
    assert {*SCHEMES} == {one.scheme for one in plan.wanted()}
    world.end(plan)
    look, found = first, None
    while look is not None:
        cut = design(60, 30, look)
        assert np.array_equal(cut.halves, world.of.halves[:look])
        observed = {
            name: half_tested(cut, Evidence({HALVES: [world.losses(name, HALVES, fit) for fit in range(2 * look)]}))
            for name in NAMES
        }
        found, look = after_look(observed, look, 60)
    assert found == plan.halvings
    assert found.made == len(plan.design.halves)
    assert {2 * found.made} == {*Counter(fit[0] for fit in world.fits() if fit[1] == HALVES).values()}


def test_where_all_half_models_fail_the_halvings_are_the_most():
    world = World({(name, HALVES): 1 for name in NAMES})
    plan = world.end(world.plan(by_rule=True))
    assert (most(ROWS), None) == (plan.halvings.made, plan.halvings.share)
    assert [*NAMES] == plan.left == [*plan.lacking]


def test_all_losses_without_fits_are_asked_for_first_and_a_declined_shortcut_is_fitted():
    world = World(exact={"c0": True, "c1": None})
    plan = world.plan()
    sizes = {scheme: len(design().splits(scheme)) for scheme in SCHEMES}
    exact = [one for one in plan.wanted() if one.exact]
    assert [Wanted(name, scheme, range(sizes[scheme]), True) for name in ("c0", "c1") for scheme in SCHEMES] == exact
    plan.take({one: world.answer(one) for one in exact})
    wanted = plan.wanted()
    assert not any(one.exact or one.candidate == "c0" for one in wanted)
    assert [Wanted("c1", scheme, range(sizes[scheme])) for scheme in SCHEMES] == wanted[: len(SCHEMES)]


@pytest.mark.parametrize("how", [{}, {"limit": 1.0}, {"by_rule": True}, {"limit": math.inf, "finalists": 1}])
def test_the_total_is_at_the_end_the_number_of_the_fits_and_before_it_not_less(how):
    world = World(exact={"c0": True})
    plan, totals = world.plan(**how), []
    while wanted := plan.wanted():
        totals.append(plan.total)
        plan.take({wanted[0]: world.answer(wanted[0])})
    made = sum(len(one.numbers) for one in world.asked)
    assert made == plan.total
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] >= made


def test_where_all_fail_nothing_is_wanted():
    world = World({(name, "final"): 0 for name in NAMES})
    plan = world.end(world.plan())
    assert ([], dict.fromkeys(NAMES, "final 0")) == (plan.left, plan.failures)


def test_another_failure_is_as_one_of_a_scheme():
    plan = World().end(World().plan())
    plan.fail("c1", "disagreement", "no answer")
    assert {"c1": {"disagreement": "no answer"}} == plan.lacking
    alone = World().plan(schemes=[HALVES])
    alone.fail("c1", "disagreement", "no answer")
    assert {"c1": "no answer"} == alone.failures


def test_of_several_failures_that_are_taken_together_the_first_scheme_is_the_reason():
    for order in (1, -1):
        world = World({("c0", "final"): 0, ("c0", "cross_validation"): 2})
        plan = world.plan()
        plan.take({one: world.answer(one) for one in plan.wanted()[::order]})
        assert {"c0": "final 0"} == plan.failures


def test_answers_that_nobody_wants_are_left_aside_and_some_of_the_losses_are_refused():
    world = World()
    plan = world.plan()
    before = plan.wanted()
    plan.take({Wanted("c0", "final", range(1, 2)): [np.zeros(3)]})
    assert before == plan.wanted()
    with pytest.raises(ValueError, match="has 1 losses; it must have 4"):
        plan.take({Wanted("c0", "cross_validation", range(4)): [np.zeros(50)]})


def test_a_loss_above_a_limit_that_was_stated_ends_the_race():
    world = World(of=replace(design(), loss=SQUARED.limited(0.5)))
    with pytest.raises(BadArgument, match="loss_max is 0.5, but the squared loss of c1 is 1 "):
        world.end(world.plan(limit=0.5))


def test_losses_are_read_where_something_depends_on_them_alone():
    class Unread(list):
        def __getitem__(self, number):
            raise AssertionError(number)

    plan = World().plan()
    while wanted := plan.wanted():
        plan.take({one: Unread([None] * len(one.numbers)) for one in wanted})
    assert [*NAMES] == plan.left
