"""Tasks that are prefetched before their stage: run once, waited for once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tasks.fits import executor, prefetch, run_schemes
from tasks.fits.work import Work
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
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
    design, versions = read_design(settings), Versions.current()
    for name in ("holdout", "cross_validation", *further_schemes(design), "progressive", "covalidation"):
        plan, is_later = scheme(design, name, settings.deliver), name != "holdout"
        keys = units_of_scheme.exact_loss_keys(settings, plan, versions)
        assert (["bayes"] if plan.may_skip_fits(settings, settings.candidates[0]) else []) == [*keys]
        exact_work = run_schemes._exact_work(settings, [plan], {name: keys}, versions)
        assert len(keys) == len(exact_work)
        units = run_schemes._units(settings, [plan], {name: keys}, versions)
        assert {"bayes", "tree"} == {*keys} | {candidate for _, candidate in units}
        fit_work, reused = run_schemes._fit_work(settings, [plan], units, versions)
        assert 0 == reused
        fit_keys = [unit.key for of_candidate in units.values() for unit in of_candidate]
        assert fit_keys == [key for task in fit_work for key in task.keys]
        assert {is_later} == {fit_cache.has(key) for key in [*fit_keys, *keys.values()]}
        assert {is_later} == {prefetch.is_prefetched(task.keys) for task in [*fit_work, *exact_work]}
