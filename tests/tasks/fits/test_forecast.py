"""The forecast: as many fits as a run does, and no fit of it is stored."""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pandas as pd
import pytest

from heldout.errors import TaskFailed
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import forecast, measured_costs
from tasks.fits.worker import fit_units
from tasks.init.shorten import shorten
from tasks.params import load
from tasks.plans import budget, units_of_scheme
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
TREE = "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}"
BOTH = f"candidates=[{BAYES}, {TREE}]"


def counted(settings) -> list[str]:
    """The lines for which nothing is measured."""
    return lines_of_plan(settings, 2)


def lines_of_plan(settings, parts=None) -> list[str]:
    return [line for part in islice(forecast.parts(settings), parts) for line in part.text.splitlines()]


@pytest.fixture
def lines_of(prepared):
    """The same for changed settings."""
    return lambda *changes: counted(prepared(BOTH, *changes))


def fit_all(settings) -> None:
    versions, design = Versions.current(), read_design(settings)
    names = ["holdout", "final", "cross_validation", *further_schemes(design), "progressive", "covalidation"]
    for plan in (scheme(design, name, settings.deliver) for name in names):
        for candidate, units in units_of_scheme.plan_units(settings, plan, versions):
            fit_units(settings, candidate, units, versions)
            assert all(fit_cache.store.has(unit.key) for unit in units)


def row(lines, name):
    return re.split(r"\s{2,}", next(line for line in lines if line.startswith(name)))[1:]


def test_the_fits_of_each_scheme_are_counted_and_schemes_without_fits_named(lines_of):
    lines = lines_of()
    # 5 folds, 25 subsamples, 30 steps in blocks of 10, 3 repeats of two halves
    assert ["holdout", "final", "cross_validation", "subsamples", "progressive", "covalidation"] == lines[0].split()
    assert ["1", "1", "no fit", "no fit", "no fit", "6"] == row(lines, "bayes")
    assert ["1", "1", "5", "25", "3", "6"] == row(lines, "tree")
    assert lines[3].startswith("fits      49 to do, 0 stored")


def test_without_shortcuts_every_scheme_is_fitted(lines_of):
    assert row(lines_of("execution.shortcuts=off"), "bayes") == row(lines_of(), "tree")


def test_after_the_fits_nothing_is_left(lines_of, prepared):
    fit_all(prepared(BOTH))
    assert lines_of()[3].startswith("fits      0 to do, 49 stored")


@pytest.mark.slow
def test_the_expected_time_and_memory_are_measured_in_a_worker_and_compared_with_the_budget(prepared):
    settings = prepared(BOTH, "execution.workers=1", "execution.budget=5")
    *_, expected, plan = lines_of_plan(settings)
    found = re.fullmatch(r"expected  (\d+) s on 1 workers, .* and ([\d.]+) GB without Prefect's server: .*", expected)
    assert found
    assert 15 < int(found[1]) < 60
    assert 0.1 < float(found[2]) < 3
    assert "plan      within the 300 s of execution.budget" == plan
    assert not any(fit_cache.FOLDER.rglob("*.hypothesis"))
    *_, expected, plan = lines_of_plan(prepared(BOTH, "execution.workers=1", "execution.budget=0.1"))
    assert plan.startswith("plan      over the 6 s of execution.budget, so a run ends before its first fit; ")
    assert "split.rows: null, split.folds: 5, covalidation.repeats: 3, progressive.block: 6" in plan
    assert "corrected fold Wilson" in plan
    assert plan.endswith(": no shorter run is known")
    *_, last = lines_of_plan(prepared(BOTH, "execution.workers=1", "execution.budget=null"))
    assert last.startswith("expected ")


@pytest.fixture
def as_if_measured(monkeypatch):
    """Each fit takes a second, however many rows it has, and nothing is measured."""

    def measure_all(_pool, settings, *_):
        return {
            candidate.name: (budget.Cost((1, 1000), (1.0, 1.0), (0.0, 0.0)), 0.0) for candidate in settings.candidates
        }

    monkeypatch.setattr(measured_costs, "measure_all", measure_all)


def test_a_run_that_is_expected_to_be_over_the_budget_ends_before_its_first_fit(prepared, as_if_measured):
    forecast.check_budget(prepared(BOTH))
    forecast.check_budget(prepared(BOTH, "execution.budget=5"))
    with pytest.raises(UserError, match=r"execution\.budget is 0\.5 minutes, but 49 fits .*plan --budget 0\.5` writes"):
        forecast.check_budget(prepared(BOTH, "execution.budget=0.5"))
    fit_all(prepared(BOTH))
    forecast.check_budget(prepared(BOTH, "execution.budget=0.5"))  # all fits are stored


def test_plan_writes_a_run_for_the_minutes_into_the_file_and_nothing_else(prepared, as_if_measured, shipped, checkout):
    path = checkout / "own.yaml"
    path.write_text(shipped.read_text() + "\nintervals: {E_val: Wilson}\n")
    settings = prepared(BOTH)
    assert None is forecast.within(settings, 5)
    with pytest.raises(UserError, match=r"--budget is 0\.1, but about"):
        forecast.within(settings, 0.1)
    *_, plan = lines_of_plan(prepared(BOTH, "execution.budget=0.75"))
    assert plan.endswith(": plan --budget 0.75 writes that")
    wanted = forecast.within(settings, 0.75)
    assert 5 == wanted["split.folds"]
    lines = [*shorten(path, wanted)]
    after, before = load(path), load(shipped)
    assert "wrote     own.yaml: split.folds: 10 -> 5" in lines
    assert {"E_val": "Wilson", **wanted["intervals"]} == after.intervals
    assert wanted["progressive.block"] == after.progressive.block
    assert (before.data, before.candidates, before.loss) == (after.data, after.candidates, after.loss)
    assert [line for line in shipped.read_text().splitlines() if "#" in line] == [
        line for line in path.read_text().splitlines() if "#" in line
    ]


def test_of_many_candidates_eight_get_every_fit_before_rows_are_given_up(prepared, as_if_measured):
    twelve = "candidates=[{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, grid: {max_depth: [%s]}}]"
    settings = prepared(twelve % ", ".join(map(str, range(1, 13))), "selection.race=off")
    found = forecast.within(settings, 2)
    assert (8, None) == (found["selection.finalists"], found["split.rows"])


@pytest.mark.slow
@pytest.mark.parametrize(("to_test", "shown"), [(False, " to do, 0 stored"), (True, " 0 to do, 49 stored")])
def test_what_new_rows_cost_every_fit_and_none_where_all_are_in_the_test_set(rows, settings_of_rows, to_test, shown):
    settings = settings_of_rows(BOTH, "split.test_fraction=0.3")
    write_prepared(prepare(settings))
    fit_all(settings)
    assert "fits      0 to do" in counted(settings)[3]
    x = np.random.default_rng(6).normal(size=100)
    more = pd.DataFrame({"id": range(60, 160), "x": x, "kind": np.where(x > 0, "won", "lost")})
    whole = pd.concat([rows, more], ignore_index=True)
    whole.to_csv("rows.csv", index=False)
    if to_test:  # a row's hash says whether it is
        tested = prepare(settings).test["id"]
        whole[whole["id"].isin({*range(60), *tested})].to_csv("rows.csv", index=False)
    write_prepared(prepare(settings))
    assert shown in counted(settings)[3]


def test_rows_that_are_not_prepared_are_lines_of(settings_of_rows, rows):
    with pytest.raises(UserError, match="run `python -m flows prepare` first"):
        lines_of_plan(settings_of_rows())


@pytest.mark.fault("worker death")
def test_a_candidate_that_ends_its_worker_costs_nothing_and_the_others_are_measured(prepared, monkeypatch):
    measured = measured_costs.measure

    def ends(settings, candidate, *rest):
        if candidate.name == "tree":
            raise TaskFailed("exit code 3")
        return measured(settings, candidate, *rest)

    monkeypatch.setattr(measured_costs, "measure", ends)
    settings = prepared(BOTH)
    X, y = files.read_table(files.LABELED)
    with ThreadPoolExecutor(1) as pool:
        found = measured_costs.measure_all(pool, settings, X, y, read_design(settings).loss)
    assert 0 == found["tree"][0].seconds(1000, 1000) == found["tree"][1]
    assert found["bayes"][0].seconds(1000, 1000) > 0


@pytest.mark.parametrize(
    ("seconds", "measured"),
    [
        ({156: 0.15, 625: 0.35, 2500: 0.67, 10_000: 0.8, 40_000: 1.1}, 5),  # trees that are full: .67 s is no end
        ({156: 0.04, 625: 0.2, 2500: 0.9, 10_000: 14.0, 40_000: 220.0}, 3),  # the next fit would take 3.6 s or more
        ({156: 0.7, 625: 2.8, 2500: 11.0, 10_000: 45.0, 40_000: 180.0}, 2),
    ],
)
def test_fits_are_measured_as_long_as_the_next_is_short(prepared, monkeypatch, seconds, measured):
    settings = prepared(f"candidates=[{BAYES}]")
    X, y = pd.DataFrame({"x": np.zeros(40_000)}), np.zeros(40_000)
    monkeypatch.setattr(fit_cache.store, "load", lambda _: (X, y))
    monkeypatch.setattr(measured_costs, "_measured", lambda *given: (seconds[given[4]], 0.0))
    cost, _ = measured_costs.measure(settings, settings.candidates[0], "sample", read_design(settings).loss)
    assert [*seconds][:measured] == [*cost.rows]
    assert [*seconds.values()][:measured] == [*cost.fit]
