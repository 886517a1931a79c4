"""Events of Prefect, to which an automation can react, as by a message to a webhook: docs/notify.py."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from prefect.events import emit_event
from prefect.events.worker import EventsWorker
from prefect.settings import PREFECT_API_URL

from tasks.outcome.batches import Batch
from tasks.outcome.contest import Promotion
from tasks.params import Settings
from tasks.runtime import server, vouched_hosts
from tasks.runtime.errors import Held, UserError, one_line
from tasks.storage.watch_files import WatchedShard
from tasks.track import lifecycle, operations_ledger
from tasks.track.former_champion import RolledBack

log = logging.getLogger("heldout")

CHAMPION_CHANGED, CHAMPION_KEPT = "heldout.champion.changed", "heldout.champion.kept"
PREVENTED, RUN_FAILED = "heldout.champion.prevented", "heldout.run.failed"
ALARM, BATCH_HELD = "heldout.over_time.alarm", "heldout.batch.quarantined"
_PATIENCE_SECONDS = 5


def champion_decided(
    settings: Settings, decision: Promotion, told: Mapping[str, str], estimates: Mapping[str, float]
) -> None:
    """Report whether there is another champion, with what is told of the winner; in a trial nothing was decided."""
    if not decision.trial:
        event = CHAMPION_KEPT if decision.promoted == "no" else CHAMPION_CHANGED
        payload = {"promoted": decision.promoted, **told, "reason": decision.reason, **estimates, **decision.numbers}
        _emit(settings, event, payload)
        if decision.prevented and not decision.prevented_before:  # once for each rollback
            _emit(settings, PREVENTED, payload)
    if not decision.compared:  # nobody would be the champion until somebody does something
        run_failed(settings, decision.reason)


def champion_restored(settings: Settings, done: RolledBack) -> None:
    """Report a rollback, to Prefect's server if there is one."""
    payload = {"promoted": "rollback", **done.told(), "reason": str(done), **done.numbers}
    if (url := _server_of_user()) and server.healthy(url):
        _emit(settings, CHAMPION_CHANGED, payload)
        EventsWorker.drain_all(timeout=_PATIENCE_SECONDS)


def _server_of_user() -> str:
    """The address of Prefect's server; empty without one, or if it is one for which the user does not vouch."""
    url = PREFECT_API_URL.value() or ""
    try:
        if url:
            vouched_hosts.check_prefect(url)
    except UserError as error:  # the rollback is done
        log.warning("Prefect is not told: %s", error)
        return ""
    return url


@contextmanager
def failure_reported(settings: Settings) -> Iterator[None]:
    """Report the failure of a whole validation, or of `watch`; an interruption is none."""
    try:
        yield
    except Held:  # which is told already
        raise
    except Exception as error:
        run_failed(settings, str(error))
        raise


def run_failed(settings: Settings, reason: str) -> None:
    """Report that a validation ended before its report, or could not compare, or that `watch` could not look."""
    _emit(settings, RUN_FAILED, {"reason": one_line(reason)})


def alarm_raised(settings: Settings, line: WatchedShard, watched: str, reason: str) -> None:
    """Tell Prefect's server that an alarm begins at a shard; `watched` is the model whose half models are compared."""
    payload = {**asdict(line), "watched": watched, "alarm_level": settings.operations.alarm_level, "reason": reason}
    del payload["columns"]  # the reason has it
    _emit(settings, ALARM, payload)


def batch_held(settings: Settings, batch: Batch, words: str) -> None:
    """Report that new labelled rows, or a whole table that lacks rows of the past, wait for a person."""
    _emit(settings, BATCH_HELD, {"batch": batch.number, "rows": batch.rows, "left": batch.left, "reason": words})


def _emit(settings: Settings, event: str, payload: Mapping[str, object]) -> None:
    """The one place from which events are sent, with the page of the run, and the ledger's head for others to keep."""
    name = settings.registered_model
    resource = {"prefect.resource.id": f"heldout.model.{name}", "prefect.resource.name": name}
    known = {"source": settings.data.source, "run": lifecycle.page(settings), "ledger": operations_ledger.head()}
    emit_event(event, resource, payload={**known, **payload})
