"""What copies of a row change: the winner's E_cv with and without them on one side, by plain loops."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from heldout.notebook.result import Validation
from heldout.schemes.design import Evidence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits.worker import fit_units
from tasks.outcome import duplicates_effect
from tasks.outcome.duplicates_effect import DuplicatesEffect, compare
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

NEAREST = "{name: nearest, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 1}}"


@pytest.fixture
def results_of(rows, settings_of_rows):
    """A function that prepares rows.csv, makes the fits of the folds and of copies together, and gathers them."""

    def make(table, candidate=NEAREST, *changes):
        table.to_csv("rows.csv", index=False)
        settings = settings_of_rows(f"candidates=[{candidate}]", "execution.shortcuts=off", *changes)
        write_prepared(prepare(settings))
        design, versions = read_design(settings), Versions.current()
        losses = {}
        for name in ("cross_validation", *(["copies_together", "copies_apart"] if design.copies is not None else [])):
            for one, units in plan_units(settings, scheme(design, name, "final"), versions):
                fit_units(settings, one, units, versions)
                if name == "cross_validation":
                    losses[name] = [fit_cache.store.load(unit.key).losses for unit in units]
        return settings, Validation(design, {settings.candidates[0].name: Evidence(losses)}, {})

    return make


@pytest.fixture
def twice(rows):
    """Each row twice, with a label that is a coin toss but for its copy."""
    kind = np.random.default_rng(0).choice(["won", "lost"], 60)
    return pd.concat([rows.assign(kind=kind)] * 2).drop(columns="id")


def test_both_errors_are_those_of_plain_loops(results_of, twice):
    settings, results = results_of(twice)
    (winner,) = settings.candidates
    found = compare(settings, results, winner)
    X, y = files.read_table(files.LABELED)
    x = X["x"].to_numpy()

    def error(splits):
        wrong = [
            KNeighborsClassifier(1).fit(X.iloc[one.train], y[one.train]).predict(X.iloc[one.validation])
            != y[one.validation]
            for one in splits
        ]
        assert list(range(120)) == sorted(row for one in splits for row in one.validation)
        return np.concatenate(wrong).mean()

    together = results.design.splits("copies_together")
    assert all(not set(x[one.train]) & set(x[one.validation]) for one in together)
    expected = DuplicatesEffect(120, 0, error(results.design.splits("cross_validation")), error(together))
    assert expected == found
    assert found.E_cv < 0.2 < 0.35 < found.E_cv_kept_together
    assert {"duplicates": {"rows": 120, "differing": 0, "E_cv": found.E_cv, "E_cv_kept_together": error(together)}} == (
        found.described()
    )


def test_folds_that_cannot_be_fitted_are_no_reason_to_stop(results_of, twice, monkeypatch):
    settings, results = results_of(twice)

    def refuse(*_):
        raise UserError("nearest failed: too few rows")

    monkeypatch.setattr(duplicates_effect, "fit_all", refuse)
    found = compare(settings, results, settings.candidates[0])
    assert (120, None) == (found.rows, found.E_cv_kept_together)


def test_without_copies_there_is_no_effect(results_of, rows):
    settings, results = results_of(rows)
    assert compare(settings, results, settings.candidates[0]) is None


def test_where_copies_are_kept_together_the_other_error_is_that_of_folds_that_part_them(results_of, twice):
    settings, results = results_of(twice, NEAREST, "split.duplicates=keep_together")
    design = results.design
    assert ("groups", True) == (design.dependence.kind, design.keeps_copies_together)
    found = compare(settings, results, settings.candidates[0])
    assert (120, 0) == (found.rows, found.differing)
    assert found.E_cv < 0.2 < 0.35 < found.E_cv_kept_together
    assert found.E_cv_kept_together == np.concatenate(results.evidence["nearest"].losses["cross_validation"]).mean()
    parted = [
        {*design.copies[one.train]} & {*design.copies[one.validation]} != set() for one in design.splits("copies_apart")
    ]
    assert all(parted)
    assert len(parted) == len(design.splits("cross_validation"))
    _, allowed = results_of(twice)
    assert not allowed.design.keeps_copies_together
    _, of_houses = results_of(twice.assign(house=0), NEAREST)
    assert not of_houses.design.keeps_copies_together
