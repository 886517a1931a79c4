"""Hold-out: train g- and test it on the rows held out; retrain g on all rows."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.fits.run_race import fit_left
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.track import lifecycle


@stage
def holdout(settings: Settings) -> None:
    """E_val of g-, and E_in of g, for every candidate that is left."""
    alone = not lifecycle.in_run()  # in a run the fits before them were measured
    left, finished, failures = fit_left(settings, ["holdout", "final"], measuring=alone)
    scheme_results.write_holdout(left, read_design(left), finished, failures)
