"""A Prefect server of the user's own: what a run says where it is not let in."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tasks.runtime.errors import UserError
from tasks.runtime.server import Server


class Asks(BaseHTTPRequestHandler):
    """Lets in who says a:b."""

    def do_GET(self):
        self.send_response(200 if self.headers.get("Authorization") == "Basic YTpi" else 401)
        self.end_headers()

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def address(monkeypatch):
    with HTTPServer(("127.0.0.1", 0), Asks) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{served.server_port}/api")
        monkeypatch.delenv("PREFECT_API_KEY", raising=False)
        yield
        served.shutdown()


@pytest.mark.fault("servers")
@pytest.mark.parametrize("secret", [None, "a:c", "a:b"])
def test_a_run_that_is_not_let_in_ends_with_one_message(address, secret, monkeypatch):
    monkeypatch.delenv("PREFECT_API_AUTH_STRING", raising=False)
    if secret is not None:
        monkeypatch.setenv("PREFECT_API_AUTH_STRING", secret)
    server = Server()
    server.start()
    if secret == "a:b":
        server.wait()
        return
    with pytest.raises(UserError) as caught:
        server.wait()
    assert "PREFECT_API_AUTH_STRING" in str(caught.value)
    assert "a:c" not in str(caught.value)
