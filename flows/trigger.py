"""Trigger: a run of a deployment is started at once, through the server of `make serve`."""

import argparse
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from flows.session import WHOLE
from heldout.printable import printable
from tasks.runtime import vouched_hosts
from tasks.runtime.errors import UserError, one_line, without_login
from tasks.runtime.own_code import MAKE

if TYPE_CHECKING:
    import httpx
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun
    from prefect.client.schemas.responses import DeploymentResponse

NIGHTLY = "nightly-validation"
ENDED_OTHERWISE = 3
_RETRIES, _ASK_SECONDS = 5, 2
DESCRIPTION = f"""\
Start a run of a deployment of the `{MAKE} serve` that runs in this folder, or of
the server that PREFECT_API_URL names; login and token are known. A server that
is busy (429, 502, 503) is asked again, five times within about a minute. A
request that is sent twice starts one run.

Exit codes: 0 it is started, or with --wait completed; 3 with --wait, it ended
otherwise: failed, crashed or cancelled; 2 it cannot be started, or the server
is gone. Ctrl-C ends the waiting, and not the run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which deployment, and whether to wait."""
    name = f"a deployment of prefect.yaml (default: {NIGHTLY})"
    parser.add_argument("deployment", nargs="?", default=NIGHTLY, metavar="DEPLOYMENT", help=name)
    parser.add_argument("--wait", action="store_true", help="wait until the run has ended, and say how")


def main(options: argparse.Namespace) -> int:
    """Start the run; returns the exit code. Raises UserError."""
    os.environ.setdefault("PREFECT_CLIENT_MAX_RETRIES", str(_RETRIES))
    import httpx  # with Prefect, which takes a second
    from prefect import get_client
    from prefect.settings import PREFECT_API_URL

    if not (address := PREFECT_API_URL.value()):
        raise UserError(f"no server of this folder runs; start `{MAKE} serve`, or set PREFECT_API_URL")
    vouched_hosts.check_prefect(address)
    try:
        with get_client(sync_client=True) as client:
            deployment = _found(client, options.deployment.rpartition("/")[2])  # also FLOW/NAME, as Prefect writes it
            opens = _opens(client, deployment)
            run = client.create_flow_run_from_deployment(deployment.id, idempotency_key=str(uuid4()))
            place = f"{address.removesuffix('/api')}/runs/flow-run/{run.id}"
            print(printable(f"started: {run.name}, {place}{opens}"), flush=True)
            return _waited(client, run) if options.wait else 0
    except httpx.HTTPStatusError as error:
        raise UserError(f"the Prefect server at {without_login(address)} {_refusal(error.response)}") from None
    except httpx.TransportError as error:
        raise UserError(
            f"no Prefect server answers at {without_login(address)} ({type(error).__name__}); start `{MAKE} serve`"
        ) from None


def _found(client: "SyncPrefectClient", name: str) -> "DeploymentResponse":
    found = {each.name: each for each in client.read_deployments()}
    if name not in found:
        raise UserError(f"{name!r} is no deployment of this server; it has {', '.join(sorted(found)) or 'none'}")
    return found[name]


def _opens(client: "SyncPrefectClient", deployment: "DeploymentResponse") -> str:
    """That its run opens a sealed test set, where the parameters of this folder say so."""
    from tasks.params import load
    from tasks.track.trial import opens_sealed, why_trial

    if client.read_flow(deployment.flow_id).name != WHOLE:
        return ""
    with suppress(UserError):  # which the run reports
        overrides = tuple(deployment.parameters.get("overrides", ()))
        settings = load(deployment.parameters.get("params", "params.yaml"), overrides)
        if said := opens_sealed(settings, why_trial(settings, overrides, scheduled=True)):
            return f"; {said}"
    return ""


def _waited(client: "SyncPrefectClient", run: "FlowRun") -> int:
    while not (run.state is not None and run.state.is_final()):
        time.sleep(_ASK_SECONDS)
        run = client.read_flow_run(run.id)
    said = one_line(run.state.message or "")
    print(printable(f"{run.state.name}: {run.name}{f': {said}' if said else ''}"))
    return 0 if run.state.is_completed() else ENDED_OTHERWISE


def _refusal(answer: "httpx.Response") -> str:
    if answer.status_code in (401, 403):
        return f"refuses the login ({answer.status_code}); PREFECT_API_AUTH_STRING is the line in its .cache/login"
    if answer.status_code in (429, 502, 503):
        return f"is busy ({answer.status_code}), also at the {_RETRIES}th repeat; try again later"
    return f"answers {answer.status_code}"
