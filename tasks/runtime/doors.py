"""A server that answers what is on a list and nothing else: reads for all, a few writes for who has the login."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 1_000_000  # of what a request may send
Routes = Mapping[str, Iterable[str]]  # the paths of a method; <name> stands for a part of a path, <path> for its rest
_SAFE = ("GET", "HEAD")
_SIZE = re.compile("[0-9]{1,9}")


class Doors:
    """Passes on the requests of `reads`, and with the login those of `writes`. All others get 404, and are not read.

    A method or a path that is on neither list is shut, whatever `app` would do with it. With `reads_need_login` the
    login is asked for everything. What is sent must be JSON, which no form of another page can send unasked, and says
    beforehand that it is at most `MOST_BYTES`; the server lets no request send more than it said.
    """

    def __init__(
        self, app: ASGIApp, reads: Routes, writes: Routes, login: str, *, reads_need_login: bool = False
    ) -> None:
        self._app, self._login, self._reads_need_login = app, login.encode(), reads_need_login
        self._reads, self._writes = _matchers(reads), _matchers(writes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        refused = None if scope["type"] == "lifespan" else self._refusal(scope)
        await (refused or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        method, path, headers = scope.get("method", ""), scope["path"], Headers(scope=scope)
        reads = _matches(self._reads, "GET" if method == "HEAD" else method, path)
        if not reads and not _matches(self._writes, method, path):
            return _answer(404, "these pages show runs; all that they change is names, notes and tags")
        if (self._reads_need_login or not reads) and not self._known(headers):
            return _answer(
                401,
                "log in; name and password are in .cache/login of the checkout",
                {"WWW-Authenticate": 'Basic realm="heldout", charset="UTF-8"'},
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method not in _SAFE and kind != "application/json":
            return _answer(415, "the content type must be application/json")
        size = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not _SIZE.fullmatch(size) or int(size) > MOST_BYTES:
            return _answer(413, f"a request may send at most {MOST_BYTES} bytes, and says beforehand how many")
        return None

    def _known(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        try:
            decoded = base64.b64decode(given, validate=True)
        except (binascii.Error, ValueError):
            return False
        return kind.lower() == "basic" and hmac.compare_digest(decoded, self._login)


def _matchers(routes: Routes) -> dict[str, re.Pattern[str]]:
    def pattern(path: str) -> str:
        return re.escape(path).replace("<name>", "[^/]+").replace("<path>", ".+")

    return {method: re.compile("|".join(map(pattern, paths))) for method, paths in routes.items()}


def _matches(matchers: Mapping[str, re.Pattern[str]], method: str, path: str) -> bool:
    return method in matchers and matchers[method].fullmatch(path) is not None


def _answer(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """In MLflow's form, so that its pages show the message; the rest of the request is not waited for."""
    content = {"error_code": "PERMISSION_DENIED", "message": message}
    return JSONResponse(content, status, {"Connection": "close", **(headers or {})})
