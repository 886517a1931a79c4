"""The flow run of a `dvc repro`, above those of its stages, which DVC starts one by one."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx
from prefect import Flow, State, get_client, get_run_logger
from prefect.context import FlowRunContext
from prefect.exceptions import PrefectException
from prefect.results import get_result_store
from prefect.states import Cancelled, Completed, Crashed, Failed, Running

from flows.stage import RUNNER, begin
from tasks.params.run_name import run_name
from tasks.runtime.errors import UserError

NAME = "dvc repro"


@contextmanager
def parent_run(params: str) -> Iterator[None]:
    """Flows that are called inside are below this run, which ends as its stages do."""
    flow: Flow[[], None] = Flow(_stages, name=NAME)
    with get_client(sync_client=True) as client:
        run = client.create_flow_run(flow, name=run_name(NAME, params, ()), state=Running())
        begin(flow, run, run.state)
        store: Any = get_result_store().update_for_flow(flow, _sync=True)  # type: ignore[call-arg]  # of a decorator
        context = FlowRunContext(
            flow=flow, flow_run=run, client=client, task_runner=RUNNER, result_store=store, parameters={}
        )
        ended: State = Crashed(message="the process that runs the stages crashed")
        try:
            with context:
                try:
                    yield
                except UserError as error:
                    ended = Failed(message=str(error))
                    get_run_logger().error("%s", error)
                    raise
            ended = Completed()
        except (SystemExit, KeyboardInterrupt):
            ended = Cancelled(message="dvc ended before the report")
            raise
        finally:
            with suppress(httpx.HTTPError, PrefectException):  # the server may be what was lost
                client.set_flow_run_state(run.id, ended, force=True)


def _stages() -> None:
    """Prepare, fit, select and report, as far as DVC asks for it."""
