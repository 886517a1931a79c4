"""How a flow that writes into the checkout begins, started by hand or as a run of a deployment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prefect.runtime import deployment

from tasks.fits import executor
from tasks.params.from_server import check_given
from tasks.runtime import environment
from tasks.runtime.checkout_lock import checkout_lock


@contextmanager
def in_checkout(flow: str, params: str, overrides: Sequence[str]) -> Iterator[bool]:
    """Be in the checkout, alone; yields whether a deployment runs the flow.

    Such a run waits for others in the checkout. Raises UserError if it was given what a deployment may not be given, or
    if another run holds the checkout and this one was started by hand.
    """
    environment.enter()
    scheduled = deployment.id is not None
    if scheduled:
        check_given(params, overrides)
    with checkout_lock(f"the deployment {deployment.name}" if scheduled else flow, wait=scheduled):
        try:
            yield scheduled
        finally:
            if scheduled:  # the end of its process waits for the workers, which wait ten minutes for a further task
                executor.stop()
