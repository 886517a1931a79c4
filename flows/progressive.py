"""Progressive validation: test each block of examples, then train on it."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.fits.run_schemes import fit_all
from tasks.params import Settings
from tasks.plans.read_design import read_design


@stage
def progressive(settings: Settings) -> None:
    """E_prog for every candidate."""
    finished, failures = fit_all(settings, ["progressive"])
    scheme_results.write_progressive(read_design(settings), finished["progressive"], failures)
