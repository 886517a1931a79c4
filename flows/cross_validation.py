"""Cross-validation: train without each fold, test on it."""

from prefect import flow

from tasks import results
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load
from tasks.schemes import cross_validation_scheme


@flow(name="cross_validation", task_runner=RUNNER)
def cross_validation(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_cv for every candidate."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, [cross_validation_scheme()])
    results.write_cross_validation(finished["cross_validation"], failures)
