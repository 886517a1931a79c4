"""What passes a list of open routes: nothing else, whatever it is called, and changes with the login alone."""

import asyncio
import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.runtime.doors import MOST_BYTES, Doors

pytestmark = pytest.mark.fault("servers")

LOGIN = "heldout:5ecret"
READS = {"GET": ["/", "/health", "/runs/<name>", "/files/<path>"], "POST": ["/runs/search"]}
WRITES = {"POST": ["/runs/set-tag"], "DELETE": ["/runs/<name>/tags/<name>"]}
JSON = {"content-type": "application/json"}
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "MKCOL", ""]
OPEN = ["/", "/health", "/runs/a", "/files/a/b", "/runs/search", "/runs/set-tag", "/runs/a/tags/b"]
TRICKS = ["/", "//", "/./", "/../", "%2f", "%2e", ";x", "?", "#", " ", "\t", "\n", "\\", ".", "a", "A", "é", "\x00"]


def basic(login: str, kind: str = "Basic") -> dict[str, str]:
    return {"authorization": f"{kind} {base64.b64encode(login.encode()).decode()}"}


def asked(method: str, path: str, headers: dict[str, str] | None = None, kind="http", **more):
    """The status, the answer's headers, and what the application got; None if it got nothing."""
    got, sent = [], []

    async def application(scope, receive, send):
        got.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message):
        sent.append(message)

    fields = [(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    scope = {"type": kind, "path": path, "headers": fields, **({"method": method} if kind == "http" else {})}
    asyncio.run(Doors(application, READS, WRITES, LOGIN, **more)(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0].get("headers", [])}
    return sent[0]["status"], found, got[0] if got else None


def is_open(method: str, path: str) -> bool:
    """The lists once more, in the plainest words."""
    parts = path.split("/")[1:] if path.startswith("/") else []
    if method in ("GET", "HEAD"):
        named = len(parts) == 2 and parts[0] == "runs" and parts[1] != ""
        return path in ("/", "/health") or named or (parts[:1] == ["files"] and "/".join(parts[1:]) != "")
    return method == "POST" and path == "/runs/search"


def is_write(method: str, path: str) -> bool:
    if method == "DELETE":
        parts = path.split("/")
        return len(parts) == 5 and parts[:2] == ["", "runs"] and parts[3] == "tags" and bool(parts[2] and parts[4])
    return method == "POST" and path == "/runs/set-tag"


@given(
    method=st.sampled_from(METHODS),
    path=st.lists(st.sampled_from([*OPEN, *TRICKS]), max_size=4).map("".join),
    known=st.booleans(),
    reads_need_login=st.booleans(),
)
def test_only_what_is_on_a_list_arrives_and_what_changes_something_with_the_login(
    method, path, known, reads_need_login
):
    headers = {**JSON, "x-http-method-override": "GET", **(basic(LOGIN) if known else {})}
    status, _, got = asked(method, path, headers, reads_need_login=reads_need_login)
    reads, writes = is_open(method, path), is_write(method, path)
    expected = 404 if not (reads or writes) else 200 if known or (reads and not reads_need_login) else 401
    assert expected == status
    assert (b"{}" if expected == 200 else None) == got


@pytest.mark.parametrize(
    "given",
    [
        {},
        basic("heldout:guessed"),
        basic("heldout:"),
        basic(f"{LOGIN}:"),
        basic(f"x{LOGIN}"),
        basic(LOGIN, "Bearer"),
        {"authorization": LOGIN},
        {"authorization": "Basic"},
        {"authorization": "Basic é"},
        {"authorization": "Basic ===="},
    ],
)
def test_another_login_is_asked_again(given):
    status, headers, got = asked("POST", "/runs/set-tag", {**JSON, **given})
    assert (401, None) == (status, got)
    assert headers["www-authenticate"].startswith("Basic ")
    assert LOGIN not in str(headers)


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "multipart/form-data; boundary=x", "application/jsonx", "text/json"]
)
def test_what_a_form_of_another_page_can_send_is_refused(kind):
    for path in ("/runs/search", "/runs/set-tag"):
        assert (415, None) == asked("POST", path, {"content-type": kind, **basic(LOGIN)})[::2]
    utf8 = {"content-type": "Application/JSON; charset=utf-8", **basic(LOGIN)}
    assert (200, b"{}") == asked("POST", "/runs/search", utf8)[::2]


@pytest.mark.parametrize("said", [MOST_BYTES + 1, 10**12, "9" * 5000, "-1", "1e3", "", "²", None])
def test_what_sends_too_much_or_does_not_say_how_much_is_not_read(said):
    size = {"transfer-encoding": "chunked"} if said is None else {"content-length": str(said)}
    for method, path in (("PUT", "/files/x"), ("POST", "/runs/set-tag"), ("POST", "/runs/search"), ("GET", "/")):
        status, headers, got = asked(method, path, {**JSON, **size})
        assert (None, "close") == (got, headers["connection"])
        assert status in (401, 404, 413)
    assert 200 == asked("POST", "/runs/search", {**JSON, "content-length": str(MOST_BYTES)})[0]


@pytest.mark.parametrize("path", OPEN)
def test_a_socket_is_refused_also_at_an_open_path(path):
    assert (404, None) == asked("", path, {**JSON, **basic(LOGIN)}, kind="websocket")[::2]
