"""Progressive validation: test each block of examples, then train on it."""

from prefect import flow

from tasks import results
from tasks.designs import read_design
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load


@flow(name="progressive", task_runner=RUNNER)
def progressive(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_prog for every candidate."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, ["progressive"])
    results.write_progressive(read_design(settings), finished["progressive"], failures)
