"""Cross-validation: train without each fold, test on it; and the fits that its interval needs."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.fits.run_race import fit_left
from tasks.params import Settings
from tasks.plans.fit_plans import further_schemes
from tasks.plans.read_design import read_design


@stage
def cross_validation(settings: Settings) -> None:
    """E_cv for every candidate that is left."""
    design = read_design(settings)
    _, finished, failures = fit_left(settings, ["cross_validation", *further_schemes(design)])
    scheme_results.write_cross_validation(design, finished, failures)
