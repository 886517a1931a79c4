"""execution.shortcuts: whole schemes are stored without a fit, with the numbers of the fits; the rest is fitted."""

import logging
from dataclasses import asdict

import joblib
import numpy as np
import pandas as pd
import pytest

from heldout.fits.specs import hypothesis_key
from heldout.learners import fitting, seeded
from heldout.running import make
from heldout.shortcuts import Declined
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits.worker import fit_units, store_exact_losses
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import fit_cache

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
MACHINE = "{name: machine, estimator: sklearn.svm.SVC}"
BEHIND = "{{name: behind, estimator: sklearn.naive_bayes.GaussianNB, preprocess: {}}}"
SPARED = ("cross_validation", "progressive", "subsamples")


def planned(settings, name):
    own = scheme(read_design(settings), name, settings.deliver)
    ((candidate, units),) = units_of_scheme.plan_units(settings, own, Versions.current())
    return own, candidate, units


def spared(settings, name):
    own = scheme(read_design(settings), name, settings.deliver)
    (candidate,) = settings.candidates
    (key,) = units_of_scheme.exact_loss_keys(settings, own, Versions.current()).values()
    return own, candidate, key


@pytest.mark.slow
@pytest.mark.parametrize("name", SPARED)
@pytest.mark.parametrize("made", [BAYES, BEHIND.format("sklearn.preprocessing.StandardScaler"), BEHIND.format("auto")])
def test_a_scheme_without_fits_has_the_losses_of_its_fits_and_no_units(prepared, made, name, monkeypatch):
    auto, off = (prepared(f"candidates=[{made}]", f"execution.shortcuts={value}") for value in ("auto", "off"))
    own, candidate, key = spared(auto, name)
    _, _, fitted = planned(off, name)
    assert own.may_skip_fits(auto, candidate)
    assert not own.may_skip_fits(off, candidate)
    assert not units_of_scheme.candidates_to_fit(auto, {candidate.name: key}).candidates
    assert fit_units(off, candidate, fitted, Versions.current()) is None
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "seeded", None)  # a fit would call it
        store_exact_losses(auto, candidate, name, key, Versions.current())
    for got, unit in zip(fit_cache.store.load(key).losses, fitted, strict=True):
        np.testing.assert_allclose(got, fit_cache.store.load(unit.key).losses, rtol=1e-9)


def test_what_is_spared_depends_on_the_rows_of_the_splits(prepared):
    settings = (prepared(f"candidates=[{BAYES}]", f"progressive.block={block}") for block in (5, 10))
    assert 2 == len({spared(one, "progressive")[2] for one in settings})


@pytest.mark.parametrize("name", ["holdout", "final", "covalidation"])
def test_hypotheses_that_are_needed_later_and_single_fits_are_fitted(prepared, name):
    settings = prepared(f"candidates=[{BAYES}]")
    own, candidate, _ = planned(settings, name)
    assert not own.may_skip_fits(settings, candidate)


def test_a_form_of_delivery_keeps_its_fits(prepared):
    settings = prepared(f"candidates=[{BAYES}]", "deliver=k_fold")
    own, candidate, _ = planned(settings, "cross_validation")
    assert not own.may_skip_fits(settings, candidate)


def test_a_pipeline_is_fitted_behind_what_is_not_seen_through(prepared):
    settings = prepared(f"candidates=[{BEHIND.format('sklearn.preprocessing.PowerTransformer')}]")
    own, candidate, _ = planned(settings, "cross_validation")
    assert not own.may_skip_fits(settings, candidate)


def test_what_is_declined_is_told_to_those_who_debug_and_left_to_be_fitted(prepared, caplog, monkeypatch):
    settings = prepared(f"candidates=[{BAYES}]")
    _, candidate, key = spared(settings, "cross_validation")
    monkeypatch.setattr(make, "losses_without_fits", declining)
    with caplog.at_level(logging.DEBUG, "heldout"):
        store_exact_losses(settings, candidate, "cross_validation", key, Versions.current())
    assert ["cross_validation: bayes is fitted: GaussianNB is odd"] == caplog.messages
    _, _, units = planned(settings, "cross_validation")
    assert [candidate] == units_of_scheme.candidates_to_fit(settings, {candidate.name: key}).candidates
    assert [unit.key for unit in units] == [
        unit.key
        for unit in planned(prepared(f"candidates=[{BAYES}]", "execution.shortcuts=off"), "cross_validation")[2]
    ]
    assert fit_units(settings, candidate, units, Versions.current()) is None


@pytest.fixture
def many(checkout, settings_of_rows):
    """700 rows of 12 features whose class is half noise, prepared."""
    X = np.random.default_rng(0).normal(size=(700, 12))
    kind = X[:, 0] + np.random.default_rng(1).normal(size=700) > 0
    frame = pd.DataFrame(X, columns=[f"x{number}" for number in range(12)])
    frame.assign(id=range(700), kind=np.where(kind, "won", "lost")).to_csv("rows.csv", index=False)
    write_prepared(prepare(settings_of_rows()))
    return settings_of_rows


@pytest.mark.slow
@pytest.mark.parametrize("name", ["covalidation", "subsamples"])
def test_fits_that_are_made_sooner_are_the_fits_under_the_same_keys(many, name, monkeypatch):
    auto, off = (many(f"candidates=[{MACHINE}]", f"execution.shortcuts={value}") for value in ("auto", "off"))
    own, candidate, units = planned(auto, name)
    assert not own.may_skip_fits(auto, candidate)
    assert units == planned(off, name)[2]
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "seeded", None)  # a fit by itself would call it
        assert fit_units(auto, candidate, units, Versions.current()) is None
    sooner = [left(unit, own.keep) for unit in units]
    assert fit_units(off, candidate, units, Versions.current()) is None
    for (losses, known), (wanted, refit) in zip(sooner, (left(unit, own.keep) for unit in units), strict=True):
        np.testing.assert_equal(losses, wanted)
        assert known == refit


def left(unit, keep):
    """What a fit has stored, and the hash of all that its hypothesis knows."""
    return asdict(fit_cache.store.load(unit.key)), joblib.hash(
        fit_cache.store.load(hypothesis_key(unit.key))
    ) if keep else None


@pytest.mark.parametrize(("shared", "fits"), [("max_iter: 1", 2), ("C: 1.0", 1), ("kernel: linear", 2)])
def test_support_vectors_that_are_declined_or_do_not_pay_are_fitted_by_themselves(prepared, shared, fits, monkeypatch):
    settings = prepared(f"candidates=[{{name: machine, estimator: sklearn.svm.SVC, params: {{{shared}}}}}]")
    _, candidate, units = planned(settings, "covalidation")
    made = []
    monkeypatch.setattr(fitting, "seeded", lambda *given: (made.append(given), seeded(*given))[1])
    assert fit_units(settings, candidate, units[:2], Versions.current()) is None
    assert len(made) == fits


def declining(*_):
    raise Declined("GaussianNB is odd")
