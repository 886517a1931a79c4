"""Runs in Prefect's records whose process died: they would stay Running for ever."""

import itertools
import logging
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

import httpx
from prefect import get_client
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterState, FlowRunFilterStateType
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.exceptions import PrefectException
from prefect.states import Crashed

from tasks.runtime.process_identity import HOST, alive, identity

log = logging.getLogger("heldout")

_UNFINISHED = [StateType.PENDING, StateType.RUNNING, StateType.CANCELLING]
_A_PAGE = 200  # the most that Prefect sends


def identify(flow_run: FlowRun, tags: Sequence[str]) -> None:
    """Note on a run which process of which machine runs it, and its tags."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, infrastructure_pid=f"{HOST} {identity()}", tags=tags)


def mark_dead(mine: Collection[UUID] = ()) -> None:
    """Mark each run whose process on this machine is gone as crashed, and log it.

    A run that has not said yet who runs it is left alone, unless its deployment is one of `mine`: those of a process
    that runs them alone, and has started none yet. Their places are free then, whatever the server has counted. A
    server that does not answer is left to the flow to report.
    """
    try:
        with get_client(sync_client=True) as client:
            for run in list(_unfinished(client)):
                if _dead(run.infrastructure_pid, run.deployment_id in mine):
                    message = "Its process died before the run ended."
                    client.set_flow_run_state(run.id, Crashed(message=message), force=True)
                    if run.parent_task_run_id is None:
                        log.warning("Prefect's run %s died before its end; it is now marked Crashed", run.name)
            for deployment in mine:
                limit = client.read_deployment(deployment).global_concurrency_limit
                if limit is not None and limit.active_slots:
                    client.update_global_concurrency_limit(str(limit.id), GlobalConcurrencyLimitUpdate(active_slots=0))
    except (httpx.HTTPError, PrefectException) as error:
        log.debug("no run could be marked: %s", error)


def _dead(recorded: str | None, mine: bool) -> bool:
    if not recorded:
        return mine
    host, _, process = recorded.partition(" ")
    return host == HOST and not alive(process)


def _unfinished(client: SyncPrefectClient) -> Iterator[FlowRun]:
    wanted = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=_UNFINISHED)))
    for number in itertools.count():
        page = client.read_flow_runs(flow_run_filter=wanted, limit=_A_PAGE, offset=number * _A_PAGE)
        yield from page
        if len(page) < _A_PAGE:
            return
