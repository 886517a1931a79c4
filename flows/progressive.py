"""Progressive validation: test each block of examples, then train on it."""

from flows.stage import stage
from tasks.fits import race_result, scheme_results
from tasks.fits.run_race import run_race
from tasks.fits.run_schemes import fit_all, prefetch_later_schemes
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.track import lifecycle


@stage
def progressive(settings: Settings) -> None:
    """E_prog for every candidate; a race among many ends for those that fall behind."""
    raced = run_race(settings)
    race_result.write(raced)
    settings = raced.left(settings)
    if not raced.none and lifecycle.in_run():
        prefetch_later_schemes(settings)
    finished, failures = fit_all(settings, ["progressive"])
    scheme_results.write_progressive(read_design(settings), finished["progressive"], failures)
