"""Hold-out: train g- and test it on the rows held out; retrain g on all rows."""

from prefect import flow

from tasks import results, tracking
from tasks.designs import read_design
from tasks.execution import RUNNER
from tasks.fit import begin_all, fit_all
from tasks.params import load


@flow(name="holdout", task_runner=RUNNER)
def holdout(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_val of g-, and E_in of g, for every candidate."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, ["holdout", "final"])
    if tracking.in_run():
        begin_all(settings)
    results.write_holdout(settings, read_design(settings), finished, failures)
