"""Warnings of fits in the flows: stored with the fit, told after the stage, and told again where fits are reused."""

import logging

import pytest

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.running.stored_fits import Finished
from tasks.fits import counted_warnings, saved_fits
from tasks.fits.fit_results import Compared, Fitted
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


def tree(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


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
        saved_fits.write(settings, Fitted(read_design(settings), {"progressive": found}), Compared())
    (line,) = caplog.messages
    assert line.startswith("short: 3 of 3 fits warned: ConvergenceWarning: lbfgs failed to converge")
    counted = {name: of.warnings.concerned for name, of in saved_fits.read_fits(settings)[1].items()}
    assert {"short": 3, "bayes": 0} == counted
    before = tree(files.FITTED)
    again = {"progressive": finished(settings, "progressive", fit=False)}
    saved_fits.write(settings, Fitted(read_design(settings), again), Compared())
    assert before == tree(files.FITTED)


def test_the_fits_of_all_schemes_are_counted_together():
    warned = [("ConvergenceWarning", "no")]
    first, second = (Finished((), (), (), (warned, warned, *[[]] * none)) for none in (0, 3))
    counted = counted_warnings.count({"a": first}, {"a": second})
    assert {"a": WarningCounts(7, 4, (WarningCount("ConvergenceWarning", 4, "no"),))} == counted


@pytest.mark.parametrize("name", ["holdout", "covalidation"])
def test_every_fit_carries_its_warnings(prepared, name):
    found = finished(prepared(CANDIDATES), name)
    assert all(one for one in found["short"].warned)
    assert not any(one for one in found["bayes"].warned)
