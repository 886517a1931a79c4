"""Tasks begun before their stage: done once, asked for once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tasks import ahead, cache, execution, fit, unit_plans
from tasks.designs import read_design
from tasks.schemes import further_schemes, scheme
from tasks.worker import Versions

CANDIDATES = """candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB},
{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}]"""


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(ahead, "_begun", {})
    with ThreadPoolExecutor(1) as threads:
        yield threads


def test_a_task_that_was_begun_is_done_once_and_asked_for_once(pool):
    done = []
    ahead.begin(pool, done.append, ["a", "b"], (1,))
    ahead.begin(pool, done.append, ["a", "b"], (2,))
    assert ahead.is_begun(["a", "b"])
    assert not ahead.is_begun(["a"])
    assert ahead.result(pool, done.append, ["a", "b"], (3,)) is None
    assert [1] == done
    assert not ahead.is_begun(["a", "b"])
    ahead.result(pool, done.append, ["a", "b"], (4,))
    ahead.result(pool, done.append, [], (5,))
    ahead.result(pool, done.append, [], (6,))
    assert [1, 4, 5, 6] == done


def test_what_a_task_raised_is_raised_where_it_is_asked_for(pool):
    ahead.begin(pool, int, ["a"], ("no number",))
    with pytest.raises(ValueError, match="no number"):
        ahead.result(pool, int, ["a"], ())


def test_the_fits_of_later_stages_are_all_begun_and_their_stages_wait_for_them(prepared, pool, monkeypatch):
    settings = prepared(CANDIDATES)
    monkeypatch.setattr(execution, "_local", lambda _: pool)
    fit.begin_all(settings)
    pool.shutdown(wait=True)
    design, versions = read_design(settings), Versions.current()
    for name in ("holdout", "cross_validation", *further_schemes(design), "progressive", "covalidation"):
        own, begun = scheme(design, name, settings.deliver), name != "holdout"
        spared = unit_plans.spared_keys(settings, own, versions)
        assert (["bayes"] if own.spares(settings, settings.candidates[0]) else []) == [*spared]
        without_fits = fit._spared(settings, [own], {name: spared}, versions)
        assert len(spared) == len(without_fits)
        plans = {
            (name, one.name): units
            for one, units in unit_plans.plan(unit_plans.fitted(settings, spared), own, versions)
        }
        assert {"bayes", "tree"} == {*spared} | {candidate for _, candidate in plans}
        tasks, reused = fit._to_do(settings, [own], plans, versions)
        assert 0 == reused
        keys = [unit.key for units in plans.values() for unit in units]
        assert keys == [key for task in tasks for key in task.keys]
        assert {begun} == {cache.has(key) for key in [*keys, *spared.values()]}
        assert {begun} == {ahead.is_begun(task.keys) for task in [*tasks, *without_fits]}
