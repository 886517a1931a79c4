"""The Prefect server killed during a run: ours is started again and the run goes on; without the user's it ends."""

import contextlib
import os
import signal

import psutil
import pytest

from tasks.runtime.server import Server

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
LOST = "the Prefect server does not answer any more"
NOISE = ("Traceback", "EventsWorker", "Error logging to API", "ConnectError")
BOUND_SECONDS = 150  # Prefect's clients try for half a minute, three times


def servers(checkout) -> list[psutil.Process]:
    """The Prefect servers that runs in the checkout have started."""
    return [process for process in checkout.processes() if any("server_process" in part for part in process.cmdline())]


@pytest.mark.fault("prefect")
@pytest.mark.parametrize("when", ["fits: ", "report"])
def test_a_run_survives_a_kill_of_its_server(clone, write_slow, when):
    checkout = clone()
    params, said = write_slow(checkout.path), checkout.path.parent / "said.txt"
    there = (checkout.path / "models/selected.skops").exists if when == "report" else lambda: when in said.read_text()
    with said.open("w") as file:
        run = checkout.start("python", "-m", "flows", "validate", "--params", str(params), stdout=file, stderr=file)
        try:
            checkout.wait_until(there, run, seconds=300)
            for process in servers(checkout):
                process.kill()
            assert 0 == run.wait(600), said.read_text()
        finally:
            run.kill()
    assert "the Prefect server died; it is started again" in said.read_text()
    assert [] == [word for word in NOISE if word in said.read_text()]
    assert "plan with" in said.read_text()
    checkout.wait_until(lambda: not checkout.processes(), seconds=15)
    assert (checkout.path / "reports/report.html").exists()


@pytest.mark.fault("prefect")
def test_a_run_without_the_users_server_ends_with_one_message_and_nothing_is_lost(
    clone, write_slow, tmp_path, monkeypatch
):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    mine = Server()
    with contextlib.chdir(tmp_path):
        mine.start()
        mine.wait()
    known = {name: os.environ[name] for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING")}
    checkout = clone()
    params, said = write_slow(checkout.path), checkout.path.parent / "said.txt"
    command = ("python", "-m", "flows", "validate", "--params", str(params))
    with said.open("w") as file:
        run = type(checkout)(checkout.path, known).start(*command, stdout=file, stderr=file)
        try:
            checkout.wait_until(lambda: "fits: " in said.read_text(), run, seconds=300)
            mine.stop()
            assert 2 == run.wait(BOUND_SECONDS), said.read_text()
        finally:
            run.send_signal(signal.SIGKILL)
    assert 1 == said.read_text().count(LOST)
    assert [] == [word for word in NOISE if word in said.read_text()]
    checkout.wait_until(lambda: not checkout.processes(), seconds=15)
    resumed = checkout.run(*command).stdout
    assert "holdout and final: " not in resumed  # what was fitted is not fitted again
