"""Servers of this machine that answer its own pages and programs alone, and no other page of the user's browser."""

import re

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_OWN_HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?")


class OwnAddressOnly:
    """Refuses each request, also of a WebSocket, that another page has sent, before `app` sees it.

    A page whose name was made to lead to this machine has its name in `Host` (DNS rebinding). Every other page is named
    by the browser in `Origin`, or shown by `Sec-Fetch-Site` where it sends no origin, as for a picture or a frame. Only
    a link to a page of ours may come from elsewhere. Programs send neither of the two.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403."""
        if scope["type"] == "lifespan" or is_own(Headers(scope=scope), scope.get("method", "GET")):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse("refused: sent by another page", status_code=403)(scope, receive, send)


def is_own(headers: Headers, method: str = "GET") -> bool:
    """Whether a request comes from a program, from a page of the server that it is sent to, or from a link to one."""
    host = headers.get("host", "")
    if not _OWN_HOST.fullmatch(host) or any(origin != f"http://{host}" for origin in headers.getlist("origin")):
        return False
    followed = method == "GET" and headers.get("sec-fetch-dest") == "document"
    return followed or headers.get("sec-fetch-site") in (None, "none", "same-origin")
