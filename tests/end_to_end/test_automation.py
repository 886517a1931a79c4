"""docs/automation.yaml in a real server: three failed runs pause the deployment from which they come."""

import contextlib
import json
import socket
import sys
from collections.abc import Iterator

import pytest

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
        process, secret = server.start(port, {}), server.login()
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
