"""Notifications: a message to operations.notify of a failed run, another champion, an alarm, rows held back."""

import logging
import math
from collections.abc import Mapping
from typing import Any

from tasks.params import Settings
from tasks.runtime.errors import one_line
from tasks.runtime.own_code import COMMAND
from tasks.runtime.webhook import post
from tasks.track import lifecycle
from tasks.track.operations_ledger import head

log = logging.getLogger("heldout")

CHAMPION_CHANGED, RUN_FAILED, ALARM = "heldout.champion.changed", "heldout.run.failed", "heldout.over_time.alarm"
PREVENTED, BATCH_HELD = "heldout.champion.prevented", "heldout.batch.quarantined"
_REASON = "reason"
_TO_BE_LOOKED_AT = ("verdict", "not_yet")  # of heldout.decision.ship


def notify(settings: Settings, event: str, payload: Mapping[str, Any]) -> None:
    """Send an event, if it is one of these and there is a receiver. What the receiver does changes nothing."""
    receiver = settings.operations.notify
    if receiver is None or event not in (CHAMPION_CHANGED, PREVENTED, RUN_FAILED, ALARM, BATCH_HELD):
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
    first = f"{_to_do(event, payload)} ({settings.registered_model}, {settings.data.source})"
    lines = [one_line(line) for line in (first, *words, str(payload.get(_REASON, ""))) if line]
    return {
        "event": event,
        "text": "\n".join(lines),
        "numbers": numbers,
        "run": lifecycle.page(settings),
        "ledger": head(),
    }


def _to_do(event: str, payload: Mapping[str, Any]) -> str:
    """Whether somebody must do something, and what; the one place of these words."""
    if event == RUN_FAILED:
        return "Look: a run failed"
    if event == ALARM:
        return "Look: the rows have changed; look at the new ones, label some, and validate again"
    if event == BATCH_HELD:
        number = payload["batch"]
        return (
            f"Look: new labelled rows are held back, and no run uses them; `{COMMAND} batch --release {number}` or "
            f"`{COMMAND} batch --drop {number}`"
        )
    if event == PREVENTED:
        return "Look: a pin prevents a promotion; release it, or leave it until new rows outweigh it"
    if payload.get("promoted") == "rollback":
        return "Nothing to do: the former champion is the champion again"
    new = (
        "the first champion" if payload.get("promoted") == "first" else "another champion, which was shown to err less"
    )
    if _TO_BE_LOOKED_AT in payload.items():
        return f"Look: {new}; read the advice before it is used"
    return f"Nothing to do: {new}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
