"""Progressive validation: test each block of examples, then train on it."""

from prefect import flow

from tasks import results
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load
from tasks.schemes import progressive_scheme


@flow(name="progressive", task_runner=RUNNER)
def progressive(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_prog for every candidate."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, [progressive_scheme(settings.progressive.block)])
    results.write_progressive(finished["progressive"], failures, settings.progressive.block)
