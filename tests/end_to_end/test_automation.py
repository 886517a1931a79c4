"""What the server of `make serve` does by itself: automations of docs/, a webhook's message, and what is old goes."""

import contextlib
import json
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from flows.serve import SETTINGS
from tasks.runtime import server
from tests.end_to_end.conftest import PATIENCE_SECONDS, PrefectServer
from tests.end_to_end.foreign_page import ask, with_secret

EMIT = """
import sys
from prefect.events import emit_event
from prefect.events.worker import EventsWorker

related = {"prefect.resource.id": f"prefect.deployment.{sys.argv[1]}", "prefect.resource.role": "deployment"}
emit_event("heldout.run.failed", {"prefect.resource.id": "heldout.model.heldout"}, related=[related])
EventsWorker.drain_all(timeout=60)
"""
TOKEN = "-".join(("T0K3N", "in", "the", "path"))  # not in a file of a clone
REASON = 'the table has no column "age" < 18'
FAIL = """
import sys
from prefect.events.worker import EventsWorker
from flows import events
from tasks.params import load

events.run_failed(load(), sys.argv[1])
EventsWorker.drain_all(timeout=60)
"""


@contextlib.contextmanager
def webhook() -> Iterator[tuple[str, list[tuple[str, dict]]]]:
    """An address of this machine, and the paths and messages that arrived there."""
    arrived = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            arrived.append((self.path, json.loads(content)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}/hooks/{TOKEN}", arrived
        finally:
            listening.shutdown()


@pytest.fixture
def full_server(tmp_path, monkeypatch) -> Iterator[PrefectServer]:
    """A server like that of `make serve`, with the services that a run's own server has not."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    with contextlib.chdir(tmp_path):
        often = {"PREFECT_SERVER_SERVICES_DB_VACUUM_LOOP_SECONDS": "1"}
        process, secret = server.start(port, {**SETTINGS, **often}), server.login()
    try:
        yield PrefectServer(server.address(port), secret, tmp_path)
    finally:
        process.terminate()
        process.wait()


@pytest.mark.long
def test_three_failed_runs_pause_the_deployment(clone, full_server):
    checkout, pages = clone(full_server), full_server.url.removesuffix("/api")
    checkout.wait_until(lambda: server.healthy(full_server.url), seconds=PATIENCE_SECONDS)
    headers = with_secret(pages, full_server.secret)

    def post(path: str, body: object) -> str:
        return json.loads(ask(pages, "POST", f"/api/{path}/", body, headers).text)["id"]

    deployment = post("deployments", {"name": "nightly", "flow_id": post("flows", {"name": "validate"})})
    checkout.run("prefect", "automation", "create", "--from-file", "docs/automation.yaml")

    def failed(times: int) -> None:
        for _ in range(times):
            checkout.run(sys.executable, "-c", EMIT, deployment)

    def paused() -> bool:
        found = ask(pages, "GET", f"/api/deployments/{deployment}", headers=headers)
        return bool(json.loads(found.text)["paused"])

    failed(2)
    checkout.wait_until(lambda: len(full_server.events("heldout.run.failed")) == 2)
    assert not paused()
    failed(1)
    checkout.wait_until(paused)


@pytest.mark.long
def test_a_webhook_has_a_message_of_what_failed_and_its_address_is_in_no_file(clone, full_server):
    checkout = clone(full_server)
    checkout.wait_until(lambda: server.healthy(full_server.url), seconds=PATIENCE_SECONDS)
    with webhook() as (address, arrived):
        told = {**checkout.own, "WEBHOOK": address, "no_proxy": "*"}
        replace(checkout, own=told).run(sys.executable, "docs/notify.py")
        checkout.run(sys.executable, "-c", FAIL, REASON)
        checkout.wait_until(lambda: arrived)
        ((path, message),) = arrived
    assert address.endswith(path)
    assert f"heldout.run.failed (digits): {REASON}" == message["text"]
    assert ("sklearn:digits", REASON) == (message["details"]["source"], message["details"]["reason"])
    files = [one for folder in (checkout.path, full_server.folder) for one in folder.rglob("*") if one.is_file()]
    assert [] == [one for one in files if TOKEN.encode() in one.read_bytes()]


@pytest.mark.long
def test_runs_of_long_ago_leave_the_history_of_the_server(full_server):
    pages = full_server.url.removesuffix("/api")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not server.healthy(full_server.url):
        assert time.monotonic() < deadline
    headers = with_secret(pages, full_server.secret)

    def post(path: str, body: object) -> str:
        return json.loads(ask(pages, "POST", f"/api/{path}/", body, headers).text)["id"]

    flow = post("flows", {"name": "validate"})
    old, new = (post("flow_runs", {"flow_id": flow, "state": {"type": "COMPLETED"}}) for _ in range(2))
    with contextlib.closing(sqlite3.connect(full_server.folder / "prefect.db", timeout=60)) as database, database:
        for run, days in ((old, 91), (new, 89)):
            sql = f"UPDATE flow_run SET end_time = datetime('now', '-{days} days') WHERE id = ?"
            assert 1 == database.execute(sql, (run,)).rowcount

    def there(run: str) -> bool:
        return 200 == ask(pages, "GET", f"/api/flow_runs/{run}", headers=headers).status

    while there(old):
        assert time.monotonic() < deadline
    assert there(new)
