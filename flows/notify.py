"""Notifications: a message to operations.notify of a failed run, another champion, an alarm, rows held back."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tasks.outcome import to_do
from tasks.outcome.to_do import Matter
from tasks.params import Settings
from tasks.runtime.errors import UserError, one_line
from tasks.runtime.webhook import post
from tasks.track import lifecycle
from tasks.track.morning import read_morning
from tasks.track.operations_ledger import head
from tasks.track.store import failures, reason

log = logging.getLogger("heldout")

CHAMPION_CHANGED, RUN_FAILED, ALARM = "heldout.champion.changed", "heldout.run.failed", "heldout.over_time.alarm"
PREVENTED, BATCH_HELD = "heldout.champion.prevented", "heldout.batch.quarantined"
_REASON = "reason"
_MATTERS: Mapping[str, Callable[[Mapping[str, Any]], Matter]] = {
    RUN_FAILED: lambda _: to_do.run_failed(),
    ALARM: lambda _: to_do.rows_changed(),
    PREVENTED: lambda _: to_do.pinned(),
    BATCH_HELD: lambda said: (
        to_do.held_delivery(said["batch"], said["left"], said["rows"])
        if said.get("left")
        else to_do.held_back(said["batch"], said["rows"])
    ),
}
_NEWS = {"rollback": "the former champion is the champion again", "first": "the first champion"}


def notify(settings: Settings, event: str, payload: Mapping[str, Any]) -> None:
    """Send an event, if it is one of these and there is a receiver. What the receiver does changes nothing."""
    receiver = settings.operations.notify
    if receiver is None or event not in (CHAMPION_CHANGED, *_MATTERS):
        return
    refused = post(receiver.get_secret_value(), _message(settings, event, payload))
    if refused is not None:
        log.warning("operations.notify: the receiver did not take %s: %s", event, refused)


def _message(settings: Settings, event: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent: lines for people, of which the first says whether anything must be done, and all numbers.

    After the first line come the texts of the payload, the reason last.
    """
    numbers = {name: value for name, value in payload.items() if _is_number(value)}
    words = [f"{name}: {value}" for name, value in payload.items() if isinstance(value, str) and name != _REASON]
    first = f"{_first_line(settings, event, payload)} ({settings.registered_model}, {settings.data.source})"
    lines = [one_line(line) for line in (first, *words, str(payload.get(_REASON, ""))) if line]
    return {
        "event": event,
        "text": "\n".join(lines),
        "numbers": numbers,
        "run": lifecycle.page(settings),
        "ledger": head(),
    }


def _first_line(settings: Settings, event: str, payload: Mapping[str, Any]) -> str:
    """Whether somebody must do something, and what: because of the event, else of what the store says is open."""
    if event in _MATTERS:
        return to_do.first_line([_MATTERS[event](payload)])
    news = _NEWS.get(str(payload.get("promoted")), "another champion, which was shown to err less")
    matters = _open_matters(settings)
    between = "; besides: " if matters else ": "
    return f"{to_do.first_line(matters)}{between}{news}"


def _open_matters(settings: Settings) -> Sequence[Matter]:
    """What is open by the store, which has just taken what the message is about; nothing if it does not answer."""
    failing: tuple[type[Exception], ...] = UserError, *failures()
    try:
        return read_morning(settings).matters
    except failing as error:
        log.warning("operations.notify: what is open is not known (%s)", reason(error))
        return ()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
