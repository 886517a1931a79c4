"""The rounds of co-validation in a run: as many halvings as the rule asks for, each fitted once."""

import numpy as np
import pytest

from heldout.schemes.halvings import looks
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import run_schemes, saved_fits
from tasks.fits.fit_results import Compared
from tasks.fits.fit_schemes import fit_schemes
from tasks.plans.fit_counts import count_fits
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import files

STABLE = (
    "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}, "
    "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 1}}]"
)
FAILS = "candidates=[{name: wrong, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 40}}, "
FEW = "intervals={E_cv: Bayle within folds}"  # no subsamples
AUTO = "covalidation.repeats=auto"


@pytest.fixture
def fitted(rows, settings_of_rows, monkeypatch):
    """A function that prepares rows.csv and makes the half models here: their settings and results, fits by round."""
    made: list[list[str]] = []

    def here(_execution, _what, todo, _reused, **_):
        units = [unit for work in todo if not isinstance(work.arguments[2], str) for unit in work.arguments[2]]
        if halves := [unit.key for unit in units if unit.scheme == "covalidation"]:
            made.append(halves)
        return [work.function(*work.arguments) for work in todo]

    monkeypatch.setattr(run_schemes, "run_all", here)

    def fit(*changes):
        few = () if "data.time=id" in changes else (FEW,)
        settings = settings_of_rows(STABLE, *few, *changes)
        write_prepared(prepare(settings))
        made.clear()
        fitted = fit_schemes(settings)
        saved_fits.write(settings, fitted, Compared())
        return settings, fitted, [*made]

    return fit


def written(settings):
    """The losses of the half models of each candidate, on the other half and on their own."""
    read, _ = saved_fits.read_fits(settings)
    parts = {name: [*of.losses["covalidation"], *of.training] for name, of in read.evidence.items()}
    return {name: np.concatenate(of).tolist() for name, of in parts.items()}


def test_a_run_that_stops_at_a_number_leaves_what_a_run_with_that_number_leaves(fitted):
    settings, halves, rounds = fitted(AUTO)
    number = halves.halvings.made
    assert number in looks(60)
    assert number < 30  # else the test says nothing
    auto = written(settings)
    settings, named, again = fitted(f"covalidation.repeats={number}")
    assert named.halvings is None
    assert files.read_halvings(files.partitions_hash()) is None
    assert auto == written(settings)
    assert 4 * number == sum(map(len, rounds))  # two candidates, two halves
    assert [] == [key for keys in again for key in keys]


def test_no_fit_is_made_twice_and_a_second_run_makes_none(fitted):
    _, first, rounds = fitted(AUTO)
    keys = [key for keys in rounds for key in keys]
    assert len(keys) == len({*keys})
    assert 4 * looks(60)[0] == len(rounds[0])
    _, second, again = fitted(AUTO)
    assert first.halvings == second.halvings
    assert [] == [key for keys in again for key in keys]


def test_later_stages_read_the_halvings_that_were_made_and_other_rows_have_the_most_again(fitted, rows):
    settings, halves, _ = fitted(AUTO)
    number = halves.halvings.made
    assert (number, 60) == read_design(settings).halves.shape
    assert (30, 60) == read_design(settings, every_halving=True).halves.shape == files.read_halves().shape
    rows.assign(x=rows["x"] + 1).sample(frac=1, random_state=0).iloc[:50].to_csv("rows.csv", index=False)
    write_prepared(prepare(settings))
    assert (30, 50) == read_design(settings).halves.shape


def test_a_candidate_that_fails_is_left_out_and_the_others_decide(fitted, settings_of_rows):
    changes = FAILS + STABLE.removeprefix("candidates=[")
    _, halves, rounds = fitted(changes, AUTO)
    assert {"wrong": ["progressive", "covalidation"]} == {name: [*of] for name, of in halves.lacking.items()}
    assert ["bayes", "tree"] == [*halves.finished["covalidation"]]
    assert halves.halvings == fitted(AUTO)[1].halvings
    assert 6 * looks(60)[0] == len(rounds[0])  # it is not fitted again


def test_rows_in_time_have_the_most(fitted):
    _, halves, _ = fitted(AUTO, "data.time=id", "split.stratify=null")
    assert (30, None) == (halves.halvings.made, halves.halvings.share)
    assert (30, 60) == halves.design.halves.shape


def test_the_plan_says_how_many_fits_are_the_least_and_the_most(rows, settings_of_rows):
    settings = settings_of_rows(STABLE, AUTO)
    write_prepared(prepare(settings))
    counts = count_fits(settings, Versions.current())
    assert {60} == {of["covalidation"] for of in counts.table.values()}
    assert {"bayes": 60 - 16, "tree": 60 - 16} == counts.spare
    assert counts.to_do - 2 * 44 == counts.least_halved


def test_a_number_has_no_spare_fits(rows, settings_of_rows):
    settings = settings_of_rows(STABLE)
    write_prepared(prepare(settings))
    counts = count_fits(settings, Versions.current())
    assert {} == counts.spare
    assert counts.to_do == counts.least_halved
    assert np.shape(files.read_halves()) == (3, 60)
