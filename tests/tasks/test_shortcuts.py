"""execution.shortcuts: whole schemes are stored without a fit, with the numbers of the fits; the rest is fitted."""

import logging

import numpy as np
import pytest

from heldout import fitting
from tasks import cache, fit, worker
from tasks.designs import read_design
from tasks.schemes import scheme
from tasks.worker import Versions, fit_units, spare_fits

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
BEHIND = "{{name: behind, estimator: sklearn.naive_bayes.GaussianNB, preprocess: {}}}"
SPARED = ("cross_validation", "progressive", "subsamples")


def planned(settings, name):
    own = scheme(read_design(settings), name, settings.deliver)
    ((candidate, units),) = fit.plan(settings, own, Versions.current())
    return own, candidate, units


def losses(units):
    return np.concatenate([cache.load(unit.key)[0] for unit in units])


@pytest.mark.parametrize("name", SPARED)
@pytest.mark.parametrize("made", [BAYES, BEHIND.format("sklearn.preprocessing.StandardScaler"), BEHIND.format("auto")])
def test_a_scheme_without_fits_has_the_losses_of_its_fits_under_keys_of_its_own(prepared, made, name, monkeypatch):
    auto, off = (prepared(f"candidates=[{made}]", f"execution.shortcuts={value}") for value in ("auto", "off"))
    own, candidate, spared = planned(auto, name)
    _, _, fitted = planned(off, name)
    assert own.spares(auto, candidate)
    assert not own.spares(off, candidate)
    assert not {unit.key for unit in spared} & {unit.key for unit in fitted}
    assert fit_units(off, candidate, fitted, Versions.current()) is None
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "seeded", None)  # a fit would call it
        spare_fits(auto, candidate, spared, Versions.current())
    np.testing.assert_allclose(losses(spared), losses(fitted), rtol=1e-9)


@pytest.mark.parametrize("name", ["holdout", "final", "covalidation"])
def test_hypotheses_that_are_needed_later_and_single_fits_are_fitted(prepared, name):
    settings = prepared(f"candidates=[{BAYES}]")
    own, candidate, _ = planned(settings, name)
    assert not own.spares(settings, candidate)


def test_a_form_of_delivery_keeps_its_fits(prepared):
    settings = prepared(f"candidates=[{BAYES}]", "deliver=k_fold")
    own, candidate, _ = planned(settings, "cross_validation")
    assert not own.spares(settings, candidate)


def test_a_pipeline_is_fitted_behind_what_is_not_seen_through(prepared):
    settings = prepared(f"candidates=[{BEHIND.format('sklearn.preprocessing.PowerTransformer')}]")
    own, candidate, _ = planned(settings, "cross_validation")
    assert not own.spares(settings, candidate)


def test_what_is_declined_is_told_to_those_who_debug_and_left_to_be_fitted(prepared, caplog, monkeypatch):
    settings = prepared(f"candidates=[{BAYES}]")
    _, candidate, units = planned(settings, "cross_validation")
    monkeypatch.setattr(worker, "held_out", declining)
    with caplog.at_level(logging.DEBUG, "heldout"):
        spare_fits(settings, candidate, units, Versions.current())
    assert ["cross_validation: bayes is fitted: GaussianNB is odd"] == caplog.messages
    assert not any(cache.has(unit.key) for unit in units)
    assert fit_units(settings, candidate, units, Versions.current()) is None


def declining(*_):
    raise worker.Declined("GaussianNB is odd")
