"""Warnings of fits in the flows: stored with the fit, told after the stage, and told again where fits are reused."""

import logging

import pytest

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from tasks.fits import counted_warnings, scheme_results
from tasks.fits.worker import fit_units
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import gather, plan_units
from tasks.storage import files

CANDIDATES = (
    "candidates=[{name: short, estimator: sklearn.linear_model.LogisticRegression, params: {max_iter: 1}}, "
    "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]"
)


def finished(settings, name: str, fit: bool = True):
    """The finished units of each candidate, fitted as a worker does or found in the cache."""
    own, versions = scheme(read_design(settings), name, settings.deliver), Versions.current()
    planned = {one.name: (one, units) for one, units in plan_units(settings, own, versions)}
    if fit:
        for candidate, units in planned.values():
            assert fit_units(settings, candidate, units, versions) is None
    return {name: gather(units) for name, (_, units) in planned.items()}


def test_a_worker_says_nothing_and_the_stage_tells_once_a_candidate(prepared, capfd, caplog):
    settings = prepared(CANDIDATES)
    found = finished(settings, "progressive")
    assert ("", "") == capfd.readouterr()
    with caplog.at_level(logging.WARNING, "heldout"):
        scheme_results.write_progressive(read_design(settings), found, {})
    (line,) = caplog.messages
    assert line.startswith("progressive: short: 3 of 3 fits warned: ConvergenceWarning: lbfgs failed to converge")
    assert ["short"] == list(files.read_warnings("progressive"))
    path = files.RESULTS / "progressive/warnings.json"
    before = path.read_bytes()
    scheme_results.write_progressive(read_design(settings), finished(settings, "progressive", fit=False), {})
    assert before == path.read_bytes()


def test_the_fits_of_all_stages_are_counted_together(checkout):
    kind = {"category": "ConvergenceWarning", "fits": 2, "first": "no"}
    files.write_result("holdout", {}, {}, {"a": {"fits": 2, "concerned": 2, "kinds": [kind]}})
    files.write_result("progressive", {}, {}, {"a": {"fits": 5, "concerned": 2, "kinds": [{**kind, "first": "nay"}]}})
    files.write_result("covalidation", {}, {})
    expected = {"a": WarningCounts(7, 4, (WarningCount("ConvergenceWarning", 4, "no"),))}
    assert expected == counted_warnings.read(["holdout", "progressive", "covalidation"])


@pytest.mark.parametrize("name", ["holdout", "covalidation"])
def test_every_fit_carries_its_warnings(prepared, name):
    found = finished(prepared(CANDIDATES), name)
    assert all(one for one in found["short"].warned)
    assert not any(one for one in found["bayes"].warned)
