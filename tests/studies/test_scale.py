"""The simulated cluster of docs/scale.md: laws that hold whatever the parts take."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scale_simulation import Costs, Run, Stage, on_paper, simulate, tasks_of

PART = st.floats(0.0, 0.5)
COSTS = st.builds(Costs, *[PART] * 8)
STAGE = st.builds(Stage, st.lists(st.integers(1, 8), min_size=1, max_size=3).map(tuple), st.floats(0.01, 3.0))
RUN = st.builds(Run, st.integers(1, 6), st.lists(STAGE, min_size=1, max_size=2).map(tuple))


@given(RUN, COSTS, st.integers(1, 8))
def test_no_run_is_faster_than_any_part_of_it_alone_nor_slower_than_all_in_turn(run, costs, workers):
    spent, least = simulate(run, workers, costs), on_paper(run, workers, costs)
    assert spent.seconds >= max(least.values()) * (1 - 1e-9)
    in_turn = sum(least.values()) - least["workers"] + workers * least["workers"]
    assert spent.seconds <= in_turn * (1 + 1e-9)
    assert all(share <= 1 + 1e-9 for share in spent.busy.values())
    assert spent.first == max(least, key=lambda part: least[part]) or len({*least.values()}) < len(least)


@given(RUN, st.integers(1, 8))
def test_where_the_other_parts_take_no_time_workers_share_the_fits(run, workers):
    """As a list schedule does (Graham 1969): a stage ends at most one of its tasks after the mean."""
    free = Costs(0.0, 0.0, 0.0, 0.1, 0.01, 0.0, 0.0, 0.0)
    stages = [[task.seconds for task in tasks] for tasks in tasks_of(run, workers, free)]
    least = sum(max(sum(stage) / workers, max(stage)) for stage in stages)
    most = sum(sum(stage) / workers + max(stage) for stage in stages)
    assert least * (1 - 1e-9) <= simulate(run, workers, free).seconds <= most * (1 + 1e-9)


@given(RUN, st.integers(1, 8))
def test_every_unit_of_each_scheme_is_in_one_task(run, workers):
    costs = Costs(*[0.1] * 8)
    for stage, tasks in zip(run.stages, tasks_of(run, workers, costs), strict=True):
        for scheme, units in enumerate(stage.units):
            assert run.candidates * units == sum(task.units for task in tasks if task.scheme == scheme)
