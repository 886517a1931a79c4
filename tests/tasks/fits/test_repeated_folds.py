"""split.repeats: E_cv over several partitions, from params.yaml to the estimate; and what it excludes."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from heldout.estimates import estimate_candidate
from tasks.fits import saved_fits
from tasks.fits.fit_results import Compared, Fitted
from tasks.fits.worker import fit_units
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import files
from tests.tasks.mistakes import assert_names, mistake_of

BAYES = "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]"


def test_the_estimate_is_that_of_the_plain_loop_and_the_losses_say_each_fold(prepared):
    settings = prepared("split.repeats=3", "intervals={E_cv: corrected repeated t}", BAYES)
    design = read_design(settings)
    assert [] == further_schemes(design)
    versions, own = Versions.current(), scheme(design, "cross_validation", "final")
    ((candidate, units),) = units_of_scheme.plan_units(settings, own, versions)
    assert fit_units(settings, candidate, units, versions) is None
    finished = {"cross_validation": {"bayes": units_of_scheme.gather(units)}}
    saved_fits.write(settings, Fitted(design, finished), Compared())
    X, y = files.read_table(files.LABELED)
    errors = []
    for split in design.splits("cross_validation"):
        wrong = GaussianNB().fit(X.iloc[split.train], y[split.train]).predict(X.iloc[split.validation])
        errors.append(np.mean(wrong != y[split.validation]))
    read = saved_fits.read_fits(settings)[0].evidence["bayes"]
    assert errors == pytest.approx([part.mean() for part in read.losses["cross_validation"]], abs=1e-12)
    found = {one.estimate: one for one in estimate_candidate(design, "bayes", read)}
    assert np.mean(errors) == pytest.approx(found["E_cv"].value, abs=1e-12)
    assert "corrected repeated t" == found["E_cv"].interval


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        ("split.folds=loo", "split.folds", "loo"),
        ("data.time=id", "data.time", "id"),
        ("further_estimates=[E_nested]", "further_estimates", "E_nested"),
        ("deliver=vote", "deliver", "vote"),
        ("deliver=k_fold", "deliver", "k_fold"),
        ("intervals={E_cv: Bayle within folds}", "intervals.E_cv", "Bayle within folds"),
    ],
)
def test_what_has_one_partition_is_refused_with_the_remedy(settings_of_rows, change, key, value):
    with pytest.raises(UserError) as caught:
        settings_of_rows("split.repeats=2", change)
    mistake = mistake_of(str(caught.value))
    assert key == mistake.key
    assert_names(mistake, value, "split.repeats", 1, 2)
    settings_of_rows("split.repeats=1", change)


def test_an_interval_that_holds_for_repeats_may_be_named(settings_of_rows):
    for name in ("corrected repeated t", "corrected t", "corrected Wilson"):
        settings_of_rows("split.repeats=2", f"intervals={{E_cv: {name}}}")


def test_the_default_is_that_of_one_partition_with_its_further_fits(prepared):
    design = read_design(prepared("split.repeats=3", BAYES))
    assert "corrected Wilson" == design.methods["E_cv"].name
    assert ["subsamples"] == further_schemes(design)
