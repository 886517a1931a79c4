"""The server of a run: started again when it dies, gone with the run; and a server of the user that is not there."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from tasks.runtime import server
from tasks.runtime.errors import UserError
from tasks.runtime.server import Server

# it answers as Prefect's does when it is asked for its health, and starts in a moment
STAND_IN = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Healthy).serve_forever()
"""


@pytest.fixture
def started(monkeypatch) -> list[subprocess.Popen]:
    """The processes that were started as servers."""
    found = []

    def start(port: int, *_: object) -> subprocess.Popen:
        found.append(subprocess.Popen([sys.executable, "-c", STAND_IN, str(port)]))
        return found[-1]

    monkeypatch.setattr(server, "start", start)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "")  # put back afterwards

    monkeypatch.setenv("no_proxy", "*")
    return found


def wait_until(what, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.fault("prefect")
def test_a_server_that_dies_is_started_again_and_ends_with_the_run(started):
    of_run = Server()
    of_run.start()
    of_run.wait()
    for times in (2, 3):
        started[-1].send_signal(signal.SIGKILL)
        wait_until(lambda times=times: len(started) == times)
        of_run.wait()
        assert server.healthy(os.environ["PREFECT_API_URL"])
    of_run.stop()
    assert all(process.poll() is not None for process in started)
    assert 3 == len(started)


@pytest.mark.fault("prefect")
def test_a_server_that_never_answered_is_not_started_again(started, monkeypatch):
    monkeypatch.setattr("tests.tasks.runtime.test_server.STAND_IN", "raise SystemExit(1)")
    of_run = Server()
    of_run.start()
    with pytest.raises(UserError, match="did not start"):
        of_run.wait()
    assert 1 == len(started)


@pytest.mark.fault("prefect")
@pytest.mark.parametrize("address", ["http://user:s3cret@127.0.0.1:{port}/api", "nonsense://s3cret@host/api"])
def test_an_address_where_no_server_answers_is_reported_without_its_login(address, monkeypatch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setattr(server, "_REFUSED_SECONDS", 0)
        monkeypatch.setenv("PREFECT_API_URL", address.format(port=probe.getsockname()[1]))
        monkeypatch.setenv("PREFECT_CLIENT_MAX_RETRIES", "4")  # put back afterwards
        of_user = Server()
        of_user.start()
        with pytest.raises(UserError, match=r"PREFECT_API_URL is \S+, where no Prefect server answers") as refused:
            of_user.wait()
    assert "s3cret" not in str(refused.value)
