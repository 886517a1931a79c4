"""The process that runs the deployments of prefect.yaml, and nothing else; `make serve` starts it.

There is no work pool, which would take commands from whoever creates a deployment. A run starts from the flow that is
imported here: code, commands and steps that the server's record of a deployment names are never used, only the
parameters of the run. docs/decisions/0023.
"""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import yaml
from prefect.flows import load_flow_from_entrypoint
from prefect.runner import Runner
from prefect.schedules import Schedule
from pydantic import BaseModel, ConfigDict, ValidationError

from flows.serve import READY
from tasks.runtime import environment
from tasks.runtime.errors import UserError, dotted

_FILE = Path("prefect.yaml")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Deployment(_Strict):
    """A flow under a name, its parameters, and when it runs by itself."""

    name: str
    entrypoint: str
    description: str | None = None
    parameters: dict[str, Any] = {}
    schedules: list[Schedule] = []


class Deployments(_Strict):
    """What prefect.yaml may say."""

    name: str
    deployments: list[Deployment]


def main() -> int:
    """Run what is scheduled or asked for, until SIGINT or SIGTERM; returns the exit code."""
    environment.enter()
    # a checkout has one run at a time; counted here, and not by the server, whose count survives a killed run
    runner = Runner(name="heldout", limit=1, pause_on_shutdown=False)
    try:
        for deployment in load().deployments:
            add(runner, deployment)
    except UserError as error:
        print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr)
        return 2
    print(READY, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(runner.start())
    return 0


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


def add(runner: Runner, deployment: Deployment) -> None:
    """Have `runner` run a deployment, and the server list it."""
    runner.add_flow(
        load_flow_from_entrypoint(deployment.entrypoint),
        name=deployment.name,
        description=deployment.description,
        parameters=deployment.parameters,
        schedules=deployment.schedules,
    )


if __name__ == "__main__":
    sys.exit(main())
