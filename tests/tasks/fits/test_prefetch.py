"""Tasks that are prefetched before their stage: run once, waited for once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tasks.fits import executor, prefetch, run_schemes
from tasks.fits.work import Work
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.storage import fit_cache

CANDIDATES = """candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB},
{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}]"""


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(prefetch, "PREFETCHED", {})
    with ThreadPoolExecutor(1) as threads:
        yield threads


def work(argument, *keys):
    return Work("a task", (argument,), keys)


def test_a_prefetched_task_runs_once_and_is_waited_for_once(pool):
    done = []
    prefetch.submit(pool, done.append, work(1, "a", "b"))
    prefetch.submit(pool, done.append, work(2, "a", "b"))
    assert prefetch.is_prefetched(["a", "b"])
    assert not prefetch.is_prefetched(["a"])
    assert prefetch.result(pool, done.append, work(3, "a", "b")) is None
    assert [1] == done
    assert not prefetch.is_prefetched(["a", "b"])
    prefetch.result(pool, done.append, work(4, "a", "b"))
    prefetch.result(pool, done.append, work(5))
    prefetch.result(pool, done.append, work(6))
    assert [1, 4, 5, 6] == done


def test_an_error_of_a_prefetched_task_is_raised_by_its_result(pool):
    prefetch.submit(pool, int, work("no number", "a"))
    with pytest.raises(ValueError, match="no number"):
        prefetch.result(pool, int, work("3", "a"))


def test_the_fits_of_later_stages_are_all_prefetched_and_their_stages_wait_for_them(prepared, pool, monkeypatch):
    settings = prepared(CANDIDATES)
    monkeypatch.setattr(executor, "local", lambda _: pool)
    run_schemes.prefetch_later_schemes(settings)
    pool.shutdown(wait=True)
    asked = []

    def run_all(_, what, function, todo, reused, **__):
        assert 0 == reused
        for task in todo:
            asked.append((task, prefetch.is_prefetched(task.keys), {fit_cache.store.has(key) for key in task.keys}))
        return [None if fit_cache.store.has(task.keys[0]) else function(*task.arguments) for task in todo]

    monkeypatch.setattr(run_schemes, "run_all", run_all)
    design = read_design(settings)
    for name in ("cross_validation", *further_schemes(design), "progressive", "covalidation", "holdout"):
        plan = scheme(design, name, settings.deliver)
        asked.clear()
        finished, _ = run_schemes.fit_all(settings, [name])
        assert {"bayes", "tree"} == {*finished[name]}
        keys = [key for task, *_ in asked for key in task.keys]
        skips = plan.may_skip_fits(settings, settings.candidates[0])  # all losses of naive Bayes are one unit
        assert (1 if skips else len(plan.splits)) + len(plan.splits) == len(keys) == len({*keys})
        assert {(True, True)} == {(waits, *stored) for _, waits, stored in asked}
