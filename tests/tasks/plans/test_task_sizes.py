"""How long tasks are: what the docstring of `TaskSizes` promises, for any amounts of work."""

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.plans.task_sizes import TaskSizes

WORKERS = st.integers(1, 300)
# groups of units, as the fits of a candidate in a scheme: how many, and the seconds of each
GROUPS = st.lists(st.tuples(st.integers(1, 200), st.floats(1e-3, 20.0)), min_size=1, max_size=60)


def made(groups, workers):
    """The units and the seconds of each task."""
    sizes = TaskSizes(sum(units * seconds for units, seconds in groups), workers)
    tasks = []
    for units, seconds in groups:
        left = units
        while left:
            size = sizes.take(seconds, left)
            assert 1 <= size <= left
            tasks.append((size, size * seconds))
            left -= size
    return tasks


def ends(tasks, workers):
    """When each worker ends, if the longest task that is left starts wherever a worker is free."""
    free = [0.0] * workers
    for _, seconds in sorted(tasks, reverse=True, key=lambda task: task[1]):
        heapq.heapreplace(free, free[0] + seconds)
    return free


@given(GROUPS, WORKERS)
def test_every_unit_is_in_one_task_and_no_task_of_several_is_longer_than_half_a_minute(groups, workers):
    tasks = made(groups, workers)
    assert sum(size for size, _ in tasks) == sum(units for units, _ in groups)
    # a number of units is rounded: at most half a unit more, of which two are no longer than 4/3 of the limit
    assert all(size == 1 or seconds <= 30 * 4 / 3 for size, seconds in tasks)


@given(GROUPS, WORKERS)
def test_workers_end_together(groups, workers):
    tasks, seconds = made(groups, workers), sum(units * each for units, each in groups)
    free = ends(tasks, workers)
    longest = max(each for _, each in groups)
    # a list schedule ends at most one of its last tasks after the mean; short ones are rounded to units
    assert max(free) <= seconds / workers + max(1.0, seconds / workers / 2, longest) * 3 / 2 + 1e-6


@pytest.mark.parametrize(("candidates", "fits", "workers"), [(10_000, 60, 4000), (2000, 60, 400), (100_000, 20, 4000)])
def test_many_equal_fits_are_few_tasks_for_a_worker_which_end_together(candidates, fits, workers):
    tasks = made([(fits, 1.0)] * candidates, workers)
    each = candidates * fits / workers
    # 7.6 a worker by the docstring, or a task of at most half a minute, and one more for each candidate's last fits
    assert len(tasks) <= workers * max(7.6, each / 30 * 1.1) + candidates
    assert max(ends(tasks, workers)) <= each * (1 + 1 / 32) + 30 / 2


def test_fits_of_a_run_on_few_workers_share_tasks_of_a_second():
    assert {10} == {size for size, _ in made([(60, 0.1)] * 8, 2)}


def test_a_cluster_that_starts_with_one_worker_has_tasks_for_those_that_come():
    tasks = made([(60, 1.0)] * 10_000, 1)
    assert {30} == {size for size, _ in tasks[:-2000]}
