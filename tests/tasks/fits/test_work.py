"""Which tasks a Prefect task run waits for, and how it is called."""

import pytest

from tasks.fits.work import Work, in_task_runs, name_of


@pytest.mark.parametrize(
    ("tasks", "runs", "most"), [(0, 0, 0), (1, 1, 1), (500, 500, 1), (501, 251, 2), (60_000, 500, 120)]
)
def test_a_fan_out_has_at_most_five_hundred_task_runs_in_the_order_in_which_tasks_start(tasks, runs, most):
    order = list(range(tasks))[::-1]
    found = in_task_runs(order)
    assert order == [place for places in found for place in places]
    assert runs == len(found)
    assert most == max(map(len, found), default=0)


def test_a_task_run_names_all_its_tasks_as_far_as_a_database_takes_a_name():
    works = [Work(f"fold {number}/10 · svm-poly", str, (), ()) for number in range(1, 4)]
    assert "fold 1/10 · svm-poly; fold 2/10 · svm-poly; fold 3/10 · svm-poly" == name_of(works)
    assert "fold 1/10 · svm-poly" == name_of(works[:1])
    assert 1002 == len(name_of(works * 40))
