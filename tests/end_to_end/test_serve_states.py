"""`make serve`: what was switched stays so over kills, it ends soon, and a run can be started from outside."""

import base64
import contextlib
import http.client
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
import yaml

from tests.end_to_end.foreign_page import ask
from tests.end_to_end.serving import END_SECONDS, NAMES, PATIENCE_SECONDS, Serving

HOW_TO = Path(__file__).parents[2] / "docs/how-to/every-night.md"


@pytest.fixture
def serving(clone, write_slow):
    checkout = clone()
    write_slow(checkout.path, 2)
    yield Serving(checkout)
    for left in checkout.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()


def states(serving) -> list[bool]:
    """Whether each deployment's schedule is on, and none if all of it is paused."""
    found = [serving.deployment(name) for name in NAMES]
    for name, each in zip(NAMES, found, strict=True):  # what is printed is what is so
        word = "on" if each["schedules"][0]["active"] and not each["paused"] else "off"
        assert re.search(rf"^\S+/{name} +{word}$", serving.said.read_text(), re.MULTILINE)
    return [None if each["paused"] else each["schedules"][0]["active"] for each in found]


def write_active(checkout, *active: bool) -> None:
    path = checkout.path / "prefect.yaml"
    written = yaml.safe_load(path.read_text())
    for deployment, each in zip(written["deployments"], active, strict=True):
        deployment["schedules"] = [{"interval": 500_000, "active": each}]
    path.write_text(yaml.safe_dump(written))


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.fault("dead run")
def test_schedules_are_as_they_were_left_after_a_kill_and_as_the_file_says_where_it_changed(serving):
    write_active(serving.checkout, True, False, False)
    serving.start()
    assert [True, False, False] == states(serving)
    serving.switch("nightly-validation", False)
    serving.switch("watch-shards", True)
    assert (
        200 == serving.ask("POST", f"/deployments/{serving.deployment('weekly-study')['id']}/pause_deployment").status
    )
    serving.kill()
    serving.start()
    assert [False, True, None] == states(serving)
    assert serving.end() < END_SECONDS
    write_active(serving.checkout, True, True, False)  # another word for the second alone
    serving.start()
    assert [False, True, None] == states(serving)
    serving.switch("watch-shards", False)
    serving.kill()
    write_active(serving.checkout, False, True, True)
    serving.start()
    assert [False, False, True] == states(serving)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.fault("dead run")
def test_sigterm_ends_serve_and_its_run_in_time_and_a_trigger_starts_one_run_though_the_server_is_busy(serving):
    checkout = serving.checkout
    nobody = checkout.flow("trigger", check=False)
    assert 2 == nobody.returncode
    assert "no server of this folder runs" in nobody.stderr
    serving.start()
    unknown = checkout.flow("trigger", "nightly", check=False)
    assert 2 == unknown.returncode
    assert "'nightly' is no deployment of this server; it has nightly-validation, " in unknown.stderr
    with busy(serving.port, times=3) as (address, refusals):
        started = type(checkout)(checkout.path, {"PREFECT_API_URL": address}).flow("trigger")
    assert 3 == len(refusals)
    assert started.stdout.startswith("started: ")
    assert 1 == len(runs_of_deployments(checkout))
    log = serving.said
    checkout.wait_until(lambda: "fits: " in log.read_text(), serving.process, PATIENCE_SECONDS)
    time.sleep(3)
    refused = checkout.flow("trigger", "validate/nightly-validation", "--wait", check=False)
    assert 3 == refused.returncode, refused
    assert "Cancelled: " in refused.stdout
    assert serving.end() < END_SECONDS
    assert ["CANCELLED", "CRASHED"] == runs_of_deployments(checkout)  # told before the server ended

    serving.start()
    token = ask(serving.pages, "POST", "/api/deployments/filter", {}, {"Authorization": basic(checkout)})
    assert 403 == token.status  # a plain request without the token
    (block,) = re.findall(r"```sh\n(API=.*?)```", HOW_TO.read_text(), re.DOTALL)
    said = checkout.run("bash", "-euc", block.replace(":4200", f":{serving.port}"))
    assert re.fullmatch(r"\w+-\w+\n", said.stdout)
    checkout.wait_until(lambda: len(runs_of_deployments(checkout)) == 3, serving.process)


@contextlib.contextmanager
def busy(port: int, times: int) -> Iterator[tuple[str, list[str]]]:
    """The address of a server at `port` whose answers to the first requests for a run are replaced by 503."""
    refused: list[str] = []

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(self.command, self.path, content, {**self.headers, "Accept-Encoding": "identity"})
            answer = connection.getresponse()
            text, status = answer.read(), answer.status
            if self.path.endswith("create_flow_run") and len(refused) < times:
                refused.append(self.path)  # the server has done it, and the client cannot know
                text, status = b"{}", 503
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api", refused
        server.shutdown()


def basic(checkout) -> str:
    return f"Basic {base64.b64encode((checkout.path / '.cache/login').read_bytes().strip()).decode()}"


def runs_of_deployments(checkout) -> list[str]:
    """The states of runs that a deployment started, not those that its schedule plans."""
    with sqlite3.connect(f"file:{checkout.path}/.prefect/prefect.db?mode=ro", uri=True) as database:
        rows = database.execute(
            "SELECT state_type FROM flow_run WHERE deployment_id IS NOT NULL AND NOT auto_scheduled ORDER BY 1"
        )
        return [state for (state,) in rows]
