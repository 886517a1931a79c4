"""The progress of a run in Prefect's pages: one artifact of the whole run, which its fan-outs update in turn."""

import time
from contextlib import suppress
from functools import lru_cache
from typing import cast
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import ArtifactCreate, ArtifactUpdate
from prefect.context import FlowRunContext
from prefect.exceptions import PrefectException
from prefect.runtime import flow_run

_EVERY_SECONDS = 2.0
_KEY, _DESCRIPTION = "progress", "finished fits, in percent of those that are known"

_artifacts: dict[str, UUID] = {}  # by the run that all stages belong to
_next = 0.0  # when the next update is due


def show(share: float | None, *, last: bool = False) -> None:
    """Show the share of the fits that is done, now and then; nothing while nobody knows it.

    A server that does not take it changes nothing: the flow reports a server that is gone.
    """
    global _next
    context = FlowRunContext.get()
    if share is None or context is None or (time.monotonic() < _next and not last):
        return
    with suppress(httpx.HTTPError, PrefectException):
        whole, percent, client = (
            _whole(str(flow_run.id)),
            round(100 * share, 1),
            cast(SyncPrefectClient, context.client),
        )
        if whole in _artifacts:
            client.update_artifact(_artifacts[whole], ArtifactUpdate(data=percent))
        else:
            made = ArtifactCreate(
                key=_KEY, type="progress", description=_DESCRIPTION, data=percent, flow_run_id=UUID(whole)
            )
            _artifacts[whole] = client.create_artifact(made).id
    _next = time.monotonic() + _EVERY_SECONDS


@lru_cache
def _whole(stage: str) -> str:  # noqa: ARG001  # the present run, of which Prefect is asked once
    """The run that all stages belong to."""
    return str(flow_run.root_flow_run_id)
