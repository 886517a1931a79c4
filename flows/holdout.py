"""Hold-out: train g- and test it on the rows held out; retrain g on all rows."""

from prefect import flow

from tasks import results
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load
from tasks.schemes import final_scheme, holdout_scheme


@flow(name="holdout", task_runner=RUNNER)
def holdout(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_val of g-, and E_in of g, for every candidate."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, [holdout_scheme(), final_scheme()])
    results.write_holdout(finished["holdout"], finished["final"], failures)
