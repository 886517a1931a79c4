"""Tasks begun before their stage: done once, asked for once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tasks.fits import executor, prefetch, run_schemes
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import fit_cache

CANDIDATES = """candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB},
{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}]"""


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(prefetch, "_begun", {})
    with ThreadPoolExecutor(1) as threads:
        yield threads


def test_a_task_that_was_begun_is_done_once_and_asked_for_once(pool):
    done = []
    prefetch.begin(pool, done.append, ["a", "b"], (1,))
    prefetch.begin(pool, done.append, ["a", "b"], (2,))
    assert prefetch.is_begun(["a", "b"])
    assert not prefetch.is_begun(["a"])
    assert prefetch.result(pool, done.append, ["a", "b"], (3,)) is None
    assert [1] == done
    assert not prefetch.is_begun(["a", "b"])
    prefetch.result(pool, done.append, ["a", "b"], (4,))
    prefetch.result(pool, done.append, [], (5,))
    prefetch.result(pool, done.append, [], (6,))
    assert [1, 4, 5, 6] == done


def test_what_a_task_raised_is_raised_where_it_is_asked_for(pool):
    prefetch.begin(pool, int, ["a"], ("no number",))
    with pytest.raises(ValueError, match="no number"):
        prefetch.result(pool, int, ["a"], ())


def test_the_fits_of_later_stages_are_all_begun_and_their_stages_wait_for_them(prepared, pool, monkeypatch):
    settings = prepared(CANDIDATES)
    monkeypatch.setattr(executor, "_local", lambda _: pool)
    run_schemes.prefetch_later_schemes(settings)
    pool.shutdown(wait=True)
    design, versions = read_design(settings), Versions.current()
    for name in ("holdout", "cross_validation", *further_schemes(design), "progressive", "covalidation"):
        own, begun = scheme(design, name, settings.deliver), name != "holdout"
        spared = units_of_scheme.exact_keys(settings, own, versions)
        assert (["bayes"] if own.may_skip_fits(settings, settings.candidates[0]) else []) == [*spared]
        without_fits = run_schemes._spared(settings, [own], {name: spared}, versions)
        assert len(spared) == len(without_fits)
        plans = {
            (name, one.name): units
            for one, units in units_of_scheme.plan(units_of_scheme.fitted(settings, spared), own, versions)
        }
        assert {"bayes", "tree"} == {*spared} | {candidate for _, candidate in plans}
        tasks, reused = run_schemes._to_do(settings, [own], plans, versions)
        assert 0 == reused
        keys = [unit.key for units in plans.values() for unit in units]
        assert keys == [key for task in tasks for key in task.keys]
        assert {begun} == {fit_cache.has(key) for key in [*keys, *spared.values()]}
        assert {begun} == {prefetch.is_begun(task.keys) for task in [*tasks, *without_fits]}
