"""Progressive validation: test each block of examples, then train on it."""

from flows.stage import stage
from heldout.selection.race import STREAM
from tasks.fits import race_result, scheme_results
from tasks.fits.run_race import run_race
from tasks.fits.run_schemes import fit_all, prefetch_later_schemes, remove_old_fits
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.track import lifecycle


@stage
def progressive(settings: Settings) -> None:
    """E_prog for every candidate; a race among many ends for those that fall behind."""
    remove_old_fits(settings)
    raced, failed = run_race(settings)
    race_result.write(raced)
    measured, settings = race_result.is_run(settings), raced.left(settings)
    if lifecycle.in_run():
        if not measured:  # how long fits take is known from a race, or from these
            fit_all(settings, ["holdout", "final"], measuring=True)
        prefetch_later_schemes(settings)
    finished, failures = fit_all(settings, [STREAM], all_may_fail=settings.deliver != "progressive")
    scheme_results.write_progressive(read_design(settings), finished[STREAM], {**failed, **failures})
