"""A POST to an address that a user named. The address is a secret: many contain a token, so no message shows it."""

import http.client
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

_PATIENCE_SECONDS = 5.0


def post(address: str, message: Mapping[str, Any]) -> str | None:
    """Send `message` as JSON; why it was not taken, None if it was. Returns after five seconds, whatever happens."""
    outcome = [f"no answer within {_PATIENCE_SECONDS:g} s"]

    def send() -> None:
        outcome[0] = _send(address, json.dumps(message, ensure_ascii=True).encode())

    # a receiver that sends a byte now and then, or a name that nobody resolves, passes every time limit of a socket
    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    thread.join(_PATIENCE_SECONDS)
    return outcome[0] or None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Nobody but the receiver that the user named gets the message."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Not followed: the answer counts as a refusal."""


def _send(address: str, content: bytes) -> str:
    headers = {"Content-Type": "application/json", "User-Agent": "heldout"}
    request = urllib.request.Request(address, content, headers, method="POST")  # noqa: S310  # http and https alone
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_PATIENCE_SECONDS):
            return ""
    except urllib.error.HTTPError as answer:
        return f"it answers {answer.code}"
    except (OSError, http.client.HTTPException, ValueError) as error:  # their texts may contain the address
        reason = getattr(error, "reason", error)
        return f"it cannot be reached ({type(reason).__name__})"
