"""The choice of a budget: never over it, more for more minutes, rows before fits, and costs that grow with the rows."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tasks.plans.budget import (
    FEWEST_ROWS,
    RUN_SECONDS,
    Choice,
    Cost,
    TableSize,
    choose,
    efforts,
    expected,
    grown,
    richest,
    run_seconds,
    values,
)

few = settings(max_examples=60, deadline=None, derandomize=True, database=None)
SIZES = (100, 400, 1600, 6400)


@st.composite
def costs(draw):
    """A learner whose fit takes a fixed time and a power of the rows, measured at some sizes."""
    measured = SIZES[: draw(st.integers(1, 4))]
    fixed, scale, power = draw(st.floats(0, 0.1)), draw(st.floats(1e-8, 1e-4)), draw(st.floats(0.1, 2.0))
    answer = draw(st.floats(0, 1e-5))
    return Cost(measured, tuple(fixed + scale * rows**power for rows in measured), (answer,) * len(measured))


learners = st.lists(costs(), min_size=1, max_size=4)
tables = st.builds(
    TableSize,
    labeled=st.integers(20, 400_000),
    test=st.integers(0, 100_000),
    unlabeled=st.integers(0, 100_000),
    own_unlabeled=st.booleans(),
    copies=st.booleans(),
    dependent=st.booleans(),
)


@few
@given(learners, tables, st.floats(10, 3000), st.integers(1, 8))
def test_a_choice_keeps_its_budget_unless_it_is_the_least_that_there_is(costs, table, seconds, workers):
    choice = choose(costs, table, seconds, workers)
    assert choice.seconds == expected(costs, table, choice.rows, choice.effort, workers)
    assert choice.labeled == table.labeled
    assert min(FEWEST_ROWS, table.labeled) <= choice.rows <= table.labeled
    if choice.seconds > seconds:
        assert min(FEWEST_ROWS, table.labeled) == choice.rows
        assert efforts(table)[-1] == choice.effort


@few
@given(learners, tables, st.lists(st.floats(10, 3000), min_size=2, max_size=5), st.integers(1, 8))
def test_more_seconds_never_give_fewer_rows_nor_at_the_same_rows_fewer_fits(costs, table, budgets, workers):
    chosen = [choose(costs, table, seconds, workers) for seconds in sorted(budgets)]
    designs = efforts(table)
    for less, more in pairwise(chosen):
        assert less.rows <= more.rows
        assert less.rows < more.rows or designs.index(more.effort) <= designs.index(less.effort)


@few
@given(learners, tables, st.floats(10, 3000))
def test_no_row_is_given_up_where_fewer_fits_are_enough(costs, table, seconds):
    choice = choose(costs, table, seconds, 2)
    all_rows = [expected(costs, table, table.labeled, effort, 2) <= seconds for effort in efforts(table)]
    assert any(all_rows) <= (choice.rows == table.labeled)
    if any(all_rows):
        assert efforts(table)[all_rows.index(True)] == choice.effort


def test_a_budget_without_end_is_spent_on_all_rows_and_the_most_fits():
    table = TableSize(300_000, 70_000, 0)
    choice = choose([Cost((1000,), (1.0,), (1e-6,))], table, 1e9, 2)
    assert richest(table) == replace(choice, seconds=None)
    assert (10, 25) == (choice.effort.folds, choice.effort.subsamples)


@few
@given(costs(), st.integers(1, 1_000_000), st.integers(1, 1_000_000))
def test_a_cost_never_falls_with_the_rows_and_is_what_was_measured(cost, rows, others):
    least, most = sorted((rows, others))
    assert cost.seconds(least, 10) <= cost.seconds(most, 10) * (1 + 1e-12)
    for place, measured in enumerate(cost.rows):
        assert max(cost.fit[: place + 1]) == pytest.approx(grown(cost.rows, cost.fit, measured))


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_powers_of_the_rows_are_carried_on(power):
    seconds = [rows**power for rows in SIZES]
    assert grown(SIZES, seconds, 300_000) == pytest.approx(300_000**power)


def test_a_fixed_cost_and_a_cost_a_row_are_carried_on():
    assert grown(SIZES, [2 + rows / 1000 for rows in SIZES], 300_000) == pytest.approx(302)


@few
@given(learners, tables, st.integers(1, 8))
def test_a_run_takes_longer_with_each_thing_that_it_does(costs, table, workers):
    assume(table.labeled > 2 * FEWEST_ROWS)
    effort, rows = efforts(table)[0], table.labeled // 2
    seconds = expected(costs, table, rows, effort, workers)
    assert RUN_SECONDS < run_seconds([], [], table, workers) <= seconds
    assert seconds <= expected([*costs, costs[0]], table, rows, effort, workers)
    assert seconds <= expected(costs, replace(table, unlabeled=table.unlabeled + 1000), rows, effort, workers)
    for field in ("halvings", "subsamples"):
        more = replace(effort, **{field: getattr(effort, field) + 1})
        assert seconds <= expected(costs, table, rows, more, workers) + 1e-9


def test_the_values_name_an_interval_that_needs_no_subsamples():
    table = TableSize(40_000, 10_000, 0)
    lean = Choice(4000, 40_000, efforts(table)[-1], 100.0)
    found = values(lean, dependent=False, binary=True)
    assert {"E_cv": "corrected fold Wilson"} == found["intervals"]
    keys = ("split.rows", "split.folds", "covalidation.repeats", "progressive.block")
    assert (4000, 5, 3, 400) == tuple(found[key] for key in keys)
    assert {"E_cv": "corrected fold t"} == values(lean, dependent=False, binary=False)["intervals"]
    assert None is values(lean, dependent=True, binary=True)["intervals"]  # the default needs none there
    every = values(richest(table), dependent=False, binary=True)
    assert (None, None) == (every["split.rows"], every["intervals"])
