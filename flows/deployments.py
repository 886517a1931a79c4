"""The process that runs the deployments of prefect.yaml, and nothing else; `make serve` starts it.

There is no work pool, which would take commands from whoever creates a deployment. A run starts from the flow that is
imported here: code, commands and steps that the server's record of a deployment names are never used, only the
parameters of the run. docs/decisions/0023 and 0039.
"""

import asyncio
import contextlib
import inspect
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import psutil
import yaml
from prefect.client.schemas.objects import ConcurrencyLimitConfig
from prefect.events import DeploymentTriggerTypes
from prefect.exceptions import MissingFlowError
from prefect.flows import Flow, load_flow_from_entrypoint
from prefect.runner import Runner
from prefect.schedules import Schedule
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows import ui
from flows.schedule_states import Switched, switched
from flows.serve import PORT, ready
from flows.stage import begin
from heldout.running.parent_watch import end_with
from tasks.params import load as load_params
from tasks.params.changes import Changes
from tasks.runtime import environment, flow_runs, pages_address
from tasks.runtime.errors import UserError, dotted, one_line
from tasks.runtime.private_files import private_folder
from tasks.runtime.process_limits import check_limits

_FILE = Path("prefect.yaml")
_STORAGE = Path(".cache/runner")
_PARENT = "HELDOUT_DEPLOYMENTS"  # in the environment of a run's process: the number of this one


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Deployment(_Strict):
    """A flow under a name, its parameters, when it runs by itself, and for how long at most."""

    name: str
    entrypoint: str
    description: str | None = None
    parameters: dict[str, Any] = {}
    schedules: list[Schedule] = []
    triggers: list[DeploymentTriggerTypes] = []
    concurrency_limit: ConcurrencyLimitConfig
    timeout_seconds: float = Field(gt=0)

    def flow(self) -> Flow[Any, Any]:
        """The flow, imported. Raises UserError if there is none at `entrypoint`."""
        try:
            found: Flow[Any, Any] = load_flow_from_entrypoint(self.entrypoint)
        except (ImportError, AttributeError, ValueError, MissingFlowError) as error:
            raise UserError(
                f"{_FILE}: entrypoint of {self.name} is {self.entrypoint!r}, where no flow can be imported "
                f"({one_line(str(error))}); write the path of a flow, as in flows.validate.validate"
            ) from None
        found = found.with_options(timeout_seconds=self.timeout_seconds, on_running=[begin])
        signature = inspect.signature(found.fn, eval_str=True)
        given = [each.replace(annotation=self._offered(each.annotation)) for each in signature.parameters.values()]
        found.__signature__ = signature.replace(parameters=given)  # type: ignore[attr-defined]  # Prefect's form is of it
        return found

    def _offered(self, kind: Any) -> Any:
        """The type of a parameter, as the form offers it."""
        return Changes.offering(self.parameters["params"]) if kind is Changes else kind


class Deployments(_Strict):
    """What prefect.yaml may say."""

    name: str
    deployments: list[Deployment]


def main(parent: int, port: int = PORT, runs_port: int = pages_address.PORT) -> int:
    """Run what is scheduled or asked for, until SIGINT or SIGTERM, or until `parent` is gone; returns the exit code."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    end_with(parent)
    environment.enter()
    os.environ[_PARENT] = str(os.getpid())
    runner = own_runner()
    try:
        settings = load_params()
        check_limits(settings.execution.workers)
        runs = ui.address(settings, runs_port)
        found = [(deployment, deployment.flow()) for deployment in load().deployments]
        states = [switched(f"{flow.name}/{each.name}", each.schedules) for each, flow in found]
        ids = [add(runner, each, flow, state) for (each, flow), state in zip(found, states, strict=True)]
    except UserError as error:
        print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr)
        return 2
    flow_runs.mark_dead(ids)
    named = {f"{flow.name}/{each.name}": state.state for (each, flow), state in zip(found, states, strict=True)}
    print(ready(port, runs, named), flush=True)
    # in a thread: at a signal it would wait for the end of every run
    running = threading.Thread(target=asyncio.run, args=(runner.start(),), daemon=True)
    running.start()
    while running.is_alive() and not stop.wait(0.5):
        pass
    _end_runs(ids)
    return 0 if stop.is_set() else 1


def _end_runs(deployments: Sequence[UUID]) -> None:
    """End the runs at once, since their finished fits are stored, and say so to the server while it lives."""
    descendants = psutil.Process().children(recursive=True)
    for process in descendants:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(descendants, timeout=3)
    flow_runs.mark_dead(deployments)


def own_runner() -> Runner:
    """A runner whose files are in a folder of this checkout; Prefect's own is everybody's.

    It has no limit: a run that waits here is not refused by the limit of its deployment, which the server keeps.
    """
    runner = Runner(name="heldout", limit=None, pause_on_shutdown=False)
    private_folder(_STORAGE)
    runner._tmp_dir = _STORAGE.absolute() / str(uuid4())  # Prefect has no setting for it
    return runner


def load() -> Deployments:
    """Read prefect.yaml. Raises UserError for each key that is unknown, missing or wrong."""
    try:
        return Deployments.model_validate(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
    except ValidationError as errors:
        raise UserError(
            "\n".join(
                f"{_FILE}: {dotted(error['loc'])} is {error['input']!r}: {error['msg']}" for error in errors.errors()
            )
        ) from None


def add(runner: Runner, deployment: Deployment, flow: Flow[Any, Any], switched: Switched) -> UUID:
    """Have `runner` run a deployment, and the server list it; returns the server's id of it."""
    listed = runner.add_flow(
        flow,
        name=deployment.name,
        description=deployment.description,
        parameters=deployment.parameters,
        schedules=[*switched.schedules],
        paused=switched.paused,
        version=switched.version,
        triggers=[*deployment.triggers],
        concurrency_limit=deployment.concurrency_limit,
    )
    return cast(UUID, listed)  # no coroutine, since no event loop runs here


if __name__ == "__main__":
    code = main(*map(int, sys.argv[1:]))
    sys.stdout.flush()
    os._exit(code)  # the runner's thread would wait for what is gone
elif __name__ == "__mp_main__":  # so multiprocessing imports this module at the start of a run's process
    end_with(int(os.environ[_PARENT]))
    logging.getLogger("heldout").setLevel(logging.INFO)  # Prefect would show warnings alone
