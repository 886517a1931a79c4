"""Notifications: a message to operations.notify when a run failed, the champion changed, or an alarm was raised."""

import logging
import math
from collections.abc import Mapping
from typing import Any

from tasks.params import Settings
from tasks.runtime.errors import one_line
from tasks.runtime.webhook import post
from tasks.track import lifecycle
from tasks.track.operations_ledger import head

log = logging.getLogger("heldout")

CHAMPION_CHANGED, RUN_FAILED, ALARM = "heldout.champion.changed", "heldout.run.failed", "heldout.over_time.alarm"
PREVENTED = "heldout.champion.prevented"
_HEADLINES = {
    CHAMPION_CHANGED: "another champion",
    PREVENTED: "a pin prevents a promotion",
    RUN_FAILED: "a run failed",
    ALARM: "an alarm",
}
_REASON = "reason"


def notify(settings: Settings, event: str, payload: Mapping[str, Any]) -> None:
    """Send an event, if it is one of these and there is a receiver. What the receiver does changes nothing."""
    receiver = settings.operations.notify
    if receiver is None or event not in _HEADLINES:
        return
    refused = post(receiver.get_secret_value(), _message(settings, event, payload))
    if refused is not None:
        log.warning("operations.notify: the receiver did not take %s: %s", event, refused)


def _message(settings: Settings, event: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent: the texts of the payload for people, the reason last, and its numbers."""
    numbers = {name: value for name, value in payload.items() if _is_number(value)}
    words = [f"{name} {value}" for name, value in payload.items() if isinstance(value, str) and name != _REASON]
    of = f"{settings.registered_model}, {settings.data.source}"
    text = one_line(f"{of}: {'; '.join([_HEADLINES[event], *words, str(payload.get(_REASON, ''))]).removesuffix('; ')}")
    return {"event": event, "text": text, "numbers": numbers, "run": lifecycle.page(settings), "ledger": head()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
