"""`make serve` in a clone, at ports that were free."""

import contextlib
import json
import os
import signal
import socket
import time

from tests.end_to_end.foreign_page import ask, with_secret

PATIENCE_SECONDS, END_SECONDS = 500, 15  # the second is promised in docs/operations.md
NAMES = {
    "nightly-validation": "validate/nightly-validation",
    "watch-shards": "watch/watch-shards",
    "weekly-study": "study/weekly-study",
}


class Serving:
    """`make serve` in a clone, at ports that were free."""

    def __init__(self, checkout) -> None:
        self.checkout = checkout
        self.port, runs = free_ports(2)
        self.pages, self.process = f"http://127.0.0.1:{self.port}", None
        self._command = ("python", "-m", "flows", "serve", "--port", str(self.port), "--runs-port", str(runs))
        self.said = checkout.path.parent / "said.txt"

    def start(self) -> None:
        with self.said.open("w") as file:
            self.process = self.checkout.start(*self._command, stdout=file, stderr=file)
        self.checkout.wait_until(lambda: "Ctrl-C stops all" in self.said.read_text(), self.process, PATIENCE_SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.checkout.wait_until(lambda: not self.checkout.processes(), seconds=END_SECONDS)

    def end(self) -> float:
        """SIGTERM; the seconds until no process is left."""
        started = time.monotonic()
        os.kill(self.process.pid, signal.SIGTERM)
        assert 0 == self.process.wait(10 * END_SECONDS)
        self.checkout.wait_until(lambda: not self.checkout.processes(), seconds=END_SECONDS)
        return time.monotonic() - started

    def ask(self, method: str, path: str, body: object = None):
        secret = (self.checkout.path / ".cache/login").read_text().strip()
        return ask(self.pages, method, f"/api{path}", body, with_secret(self.pages, secret))

    def deployment(self, name: str) -> dict:
        return json.loads(self.ask("GET", f"/deployments/name/{NAMES[name]}").text)

    def switch(self, name: str, active: bool) -> None:
        """As a schedule's switch in the pages does."""
        found = self.deployment(name)
        (schedule,) = found["schedules"]
        answer = self.ask("PATCH", f"/deployments/{found['id']}/schedules/{schedule['id']}", {"active": active})
        assert 204 == answer.status


def free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as probes:
        found = [probes.enter_context(socket.socket()) for _ in range(number)]
        for probe in found:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in found]
