"""The race: a fair game for the best candidate, whoever else runs, and short for those that fall behind."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heldout.losses import SQUARED, ZERO_ONE
from heldout.schemes.design import Design
from heldout.schemes.progressive import first_steps
from heldout.selection.race import FRACTIONS, MORE_THAN, Dropped, Race, why_none
from heldout.splits.partition import Partition

LEVEL = 0.95


def race(count: int, limit: float = 1.0, level: float = LEVEL) -> Race:
    return Race.of([f"c{number}" for number in range(count)], 1000, limit, level)


def after(running: Race, *losses: list[float] | np.ndarray) -> Race:
    """The race after a block with the losses of all its candidates."""
    return running.after(dict(zip(running.candidates, map(np.asarray, losses), strict=True)))


def drawn_stream(rng: np.random.Generator, errors: list[float], rows: int) -> Race:
    """A race of independent 0/1 losses, in the blocks of E_prog for so many labelled rows."""
    tested = rows // 2
    running = race(len(errors))
    for first, end in itertools.pairwise([*first_steps(rows - tested, tested, "auto"), tested]):
        losses = rng.random((len(errors), end - first)) < np.array(errors)[:, None]
        by_name = dict(zip(running.candidates, losses.astype(float), strict=True))
        running = running.after({name: by_name[name] for name in running.racing})
    return running


def test_one_row_by_hand():
    """Who errs alone has lost 1 to the other, at each share that is staked."""
    lost = after(race(2), [1.0], [0.0])
    assert lost.e_value("c0") == pytest.approx(np.mean(1 + FRACTIONS), rel=1e-12)
    assert lost.e_value("c1") == pytest.approx(np.mean(1 - FRACTIONS), rel=1e-12)


@given(arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 12)), elements=st.floats(0, 3)))
def test_evidence_is_the_mean_over_rivals_of_products(losses):
    """However the rows are cut into blocks."""
    count, rows = losses.shape
    whole = race(count, limit=3.0, level=1 - 1e-12)
    pieces = after(after(whole, *losses[:, : rows // 2]), *losses[:, rows // 2 :])
    for own in range(count):
        rivals = [other for other in range(count) if other != own]
        apart = [(losses[own] - losses[other]) / 3 for other in rivals]
        by_hand = np.mean([[np.prod(1 + fraction * one) for fraction in FRACTIONS] for one in apart])
        assert pieces.e_value(f"c{own}") == pytest.approx(by_hand, rel=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_best_expects_no_gain(rows):
    """Over all outcomes of candidates with risks .3, .3 and .6: 1 is expected against an equal, less otherwise."""
    risks, expected = (0.3, 0.3, 0.6), 0.0
    for outcome in itertools.product([0.0, 1.0], repeat=3 * rows):
        table = np.array(outcome).reshape(3, rows)
        chance = np.prod(np.where(table == 1, np.array(risks)[:, None], 1 - np.array(risks)[:, None]))
        expected += chance * after(race(3, level=1 - 1e-12), *table).e_value("c0")
    against_worse = np.mean([(1 - 0.3 * bet) ** rows for bet in FRACTIONS])
    assert expected == pytest.approx((1 + against_worse) / 2, rel=1e-9)


@pytest.mark.long  # the study `race` has more streams
def test_the_best_is_kept_at_the_level():
    """600 streams of 20 equal candidates: a given one is dropped with probability .05 at most.

    At .05 more than 43 of 600 have probability 1e-2; the seed is fixed.
    """
    rng = np.random.default_rng(0)
    lost = sum("c0" not in drawn_stream(rng, [0.2] * 20, 300).racing for _ in range(600))
    assert lost <= 43


def test_those_that_are_far_behind_get_no_further_fits():
    running = drawn_stream(np.random.default_rng(1), [0.1] + [0.3] * 19, 1000)
    assert running.racing == ("c0",)
    assert all(one.error > one.error_against and one.rows <= one.stream for one in running.dropped)
    assert all(one.e_value >= 1 / (1 - LEVEL) for one in running.dropped)


def design(rows: int, tested: int) -> Design:
    """Of which the last `tested` of the rows are the stream, in blocks of 10."""
    step = np.r_[np.full(rows - tested, -1), np.arange(tested)]
    none = np.empty(0, dtype=np.int64)
    partition = Partition(none.astype(bool), none, step)
    y = np.zeros(rows, dtype=np.int64)
    return Design(
        y=y,
        loss=ZERO_ONE,
        partition=partition,
        halves=np.empty((0, rows), dtype=np.int8),
        block=10,
        stratify=False,
        seed=0,
        level=LEVEL,
        methods={},
        estimates=(),
    )


def test_the_blocks_of_one_that_was_dropped():
    """Blocks of 10: rows 10 are the first block, rows 30 three of them."""
    of = design(200, 100)
    assert [Dropped("c", rows, 100, 20.0, "b", 1.0, 0.0).blocks(of) for rows in (10, 30, 100)] == [1, 3, 10]


def test_the_evidence_of_a_rival_that_left_stays():
    first = after(race(3), [1.0] * 4, [0.0] * 4, [0.0] * 4)
    later = replace(first, racing=("c0", "c2")).after({"c0": np.zeros(5), "c2": np.zeros(5)})
    assert later.e_value("c0") == first.e_value("c0") > 1


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_somebody_is_always_left(seed, count):
    """Whatever happens, also at a level at which half of all candidates would be dropped at once."""
    rng = np.random.default_rng(seed)
    running = race(count, level=0.05)
    for _ in range(6):
        running = running.after({name: rng.random(8) for name in running.racing})
        assert running.racing
    assert {*running.racing} | {one.candidate for one in running.dropped} == {*running.candidates}


def test_order_and_unit_change_nothing():
    rng = np.random.default_rng(2)
    losses = {f"c{number}": (rng.random(60) < 0.1 + 0.15 * number).astype(float) for number in range(5)}
    forward = Race.of(list(losses), 60, 1.0, LEVEL).after(losses)
    backward = Race.of(list(reversed(losses)), 60, 1.0, LEVEL).after(losses)
    dollars = Race.of(list(losses), 60, 8.0, LEVEL).after({name: 8 * of for name, of in losses.items()})
    assert forward.dropped
    assert {one.candidate for one in forward.dropped} == {one.candidate for one in backward.dropped}
    assert [one.candidate for one in forward.dropped] == [one.candidate for one in dollars.dropped]
    assert [8 * one.error for one in forward.dropped] == pytest.approx([one.error for one in dollars.dropped])


def test_long_streams_do_not_overflow():
    running = after(race(2), np.ones(20_000), np.zeros(20_000))
    assert running.racing == ("c1",)


@pytest.mark.parametrize(
    ("given_", "count", "loss", "kind", "nested", "reason"),
    [
        ("auto", MORE_THAN + 1, ZERO_ONE, None, False, ""),
        ("off", MORE_THAN + 1, ZERO_ONE, None, False, "off"),
        ("auto", MORE_THAN, ZERO_ONE, None, False, "at most 10 candidates"),
        ("auto", MORE_THAN + 1, SQUARED, None, False, "loss_max"),
        ("auto", MORE_THAN + 1, ZERO_ONE, "groups", False, "independent"),
        ("auto", MORE_THAN + 1, ZERO_ONE, "time", False, "independent"),
        ("auto", MORE_THAN + 1, ZERO_ONE, None, True, "nested"),
    ],
)
def test_when_there_is_one(given_, count, loss, kind, nested, reason):
    found = why_none(given_, count, loss, kind, nested=nested)
    assert reason in found
    assert bool(found) is bool(reason)


def test_finalists_are_left_at_the_end_alone_and_a_tie_goes_to_the_first():
    running = Race.of(["a", "b", "c", "d"], 4, math.inf, LEVEL, finalists=2)
    half = after(running, [3, 0], [1, 1], [2, 0], [9, 9])
    assert half.racing == ("a", "b", "c", "d")
    end = half.after({name: np.zeros(2) for name in half.racing})
    assert end.racing == ("b", "c")
    assert [("a", "finalists", 0.75, "b", 0.5), ("d", "finalists", 4.5, "b", 0.5)] == [
        (one.candidate, one.by, one.error, one.against, one.error_against) for one in end.dropped
    ]


def test_without_a_limit_evidence_drops_nobody():
    running = race(3, limit=math.inf)
    for _ in range(20):
        running = after(running, np.zeros(50), np.full(50, 1e6), np.full(50, 1e9))
    assert running.racing == running.candidates
    assert running.e_value("c2") == 1


def test_weights_without_a_limit_are_the_reason():
    found = why_none("auto", MORE_THAN + 1, ZERO_ONE.with_weights(), None, nested=False)
    assert "weights" in found
    assert "loss_max" not in found


def test_the_finalists_are_those_of_the_least_weighted_error():
    running = Race.of(["light", "heavy"], 4, np.inf, 0.95, finalists=1)
    weights = np.array([1.0, 1.0, 9.0, 9.0])
    losses = {"light": np.array([1.0, 1.0, 0.0, 0.0]), "heavy": np.array([0.0, 0.0, 1.0, 0.0])}
    ended = running.after(losses, weights)
    assert ("light",) == ended.racing
    assert (0.45, 0.1) == (ended.dropped[0].error, ended.dropped[0].error_against)
