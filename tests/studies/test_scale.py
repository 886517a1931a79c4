"""The simulated cluster of docs/scale.md: laws that hold whatever the parts take."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scale_simulation import Costs, Run, on_paper, simulate

PART = st.floats(0.0, 0.5)
COSTS = st.builds(Costs, PART, PART, PART, PART, PART, PART)
RUN = st.builds(Run, st.integers(1, 60), st.integers(1, 3), st.floats(0.01, 1.0), st.integers(0, 3))


@given(RUN, COSTS, st.integers(1, 8))
def test_no_run_is_faster_than_any_part_of_it_alone_nor_slower_than_all_in_turn(run, costs, workers):
    spent, least = simulate(run, workers, costs), on_paper(run, workers, costs)
    assert spent.seconds >= max(least.values()) * (1 - 1e-9)
    in_turn = sum(least.values()) - least["workers"] + workers * least["workers"]
    assert spent.seconds <= in_turn * (1 + 1e-9)
    assert all(share <= 1 + 1e-9 for share in spent.busy.values())
    assert spent.first == max(least, key=lambda part: least[part]) or len({*least.values()}) < len(least)


@given(RUN, COSTS, st.integers(1, 8))
def test_where_the_other_parts_take_no_time_workers_share_the_fits(run, costs, workers):
    free = Costs(0.0, 0.0, 0.0, costs.pass_on, costs.store, 0.0)
    waves = -(-run.tasks // workers)
    expected = waves * (costs.pass_on + run.units * (run.seconds + costs.store))
    assert abs(simulate(run, workers, free).seconds - expected) <= 1e-9 * expected
