"""Events of Prefect, to which an automation can react."""

from dataclasses import asdict

from prefect.events import emit_event
from prefect.events.worker import EventsWorker
from prefect.settings import PREFECT_API_URL

from tasks.outcome.contest import Decision
from tasks.params import Settings
from tasks.runtime import server
from tasks.storage.watch_files import Line

CHAMPION_CHANGED, CHAMPION_KEPT = "heldout.champion.changed", "heldout.champion.kept"
ALARM = "heldout.alarm"
_PATIENCE_SECONDS = 5


def champion_decided(settings: Settings, decision: Decision) -> None:
    """Tell Prefect's server whether there is another champion; in a trial nothing was decided."""
    if not decision.trial:
        event = CHAMPION_KEPT if decision.promoted == "no" else CHAMPION_CHANGED
        _emit(settings, event, {"promoted": decision.promoted, "reason": decision.reason, **decision.numbers})


def champion_restored(settings: Settings, what: str) -> None:
    """Tell Prefect's server of a rollback, if there is a server."""
    if (url := PREFECT_API_URL.value()) and server.healthy(url):
        _emit(settings, CHAMPION_CHANGED, {"promoted": "rollback", "reason": what})
        EventsWorker.drain_all(timeout=_PATIENCE_SECONDS)


def alarm_raised(settings: Settings, line: Line, watched: str) -> None:
    """Tell Prefect's server that an alarm begins at a shard; `watched` is the model whose half models disagree."""
    _emit(settings, ALARM, {**asdict(line), "watched": watched, "alarm_level": settings.operations.alarm_level})


def _emit(settings: Settings, event: str, payload: dict[str, object]) -> None:
    name = settings.tracking.registered_model
    resource = {"prefect.resource.id": f"heldout.model.{name}", "prefect.resource.name": name}
    emit_event(event, resource, payload={"source": settings.data.source, **payload})
