"""Cross-validation: train without each fold, test on it; and the fits that its interval needs."""

from flows.stage import stage
from tasks.fits import race_result, scheme_results
from tasks.fits.run_schemes import fit_all
from tasks.params import Settings
from tasks.plans.fit_plans import further_schemes
from tasks.plans.read_design import read_design


@stage
def cross_validation(settings: Settings) -> None:
    """E_cv for every candidate that is left."""
    settings = race_result.read(settings).left(settings)
    design = read_design(settings)
    finished, failures = fit_all(settings, ["cross_validation", *further_schemes(design)])
    scheme_results.write_cross_validation(design, finished, failures)
