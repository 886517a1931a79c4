"""Cross-validation: train without each fold, test on it; and the fits that its interval asks for."""

from prefect import flow

from tasks import results
from tasks.designs import read_design
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load
from tasks.schemes import further_schemes


@flow(name="cross_validation", task_runner=RUNNER)
def cross_validation(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_cv for every candidate."""
    settings = load(params, overrides)
    design = read_design(settings)
    finished, failures = fit_all(settings, ["cross_validation", *further_schemes(design)])
    results.write_cross_validation(design, finished, failures)
