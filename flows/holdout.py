"""Hold-out: train g- and test it on the rows held out; retrain g on all rows."""

from flows.stage import stage
from tasks.fits import race_result, scheme_results
from tasks.fits.run_schemes import fit_all, prefetch_later_schemes, remove_old_fits
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.track import lifecycle


@stage
def holdout(settings: Settings) -> None:
    """E_val of g-, and E_in of g, for every candidate."""
    remove_old_fits(settings)
    finished, failures = fit_all(settings, ["holdout", "final"])
    if lifecycle.in_run() and race_result.reason_for_none(settings):
        prefetch_later_schemes(settings)
    scheme_results.write_holdout(settings, read_design(settings), finished, failures)
