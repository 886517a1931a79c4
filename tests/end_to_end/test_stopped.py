"""A process of a run that is stopped for a minute, as by a laptop's lid or a debugger: the run goes on, same bytes."""

import signal
import time

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("stopped process"), pytest.mark.timeout(3000)]
STOPPED_SECONDS = 60
OF = {"a worker": "loky", "Prefect's server": "server_process", "the host": "flows.host"}


@pytest.fixture(scope="module")
def undisturbed(clone, write_slow):
    """A run in which nothing was stopped."""
    checkout = clone()
    write_slow(checkout.path)
    checkout.run("dvc", "repro")
    return checkout


@pytest.mark.parametrize("which", OF)
def test_a_run_goes_on_after_a_process_of_it_was_stopped_for_a_minute(clone, write_slow, undisturbed, which):
    checkout = clone()
    write_slow(checkout.path)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        run = checkout.start("dvc", "repro", stdout=file, stderr=file)
        try:
            checkout.wait_until(lambda: "fits: " in said.read_text(), run, seconds=300)
            stopped = checkout.processes(OF[which])[-1]
            stopped.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_SECONDS)
            stopped.send_signal(signal.SIGCONT)
            assert 0 == run.wait(900), said.read_text()
        finally:
            run.kill()
    assert "Traceback" not in said.read_text()
    assert undisturbed.hashes() == checkout.hashes()
    checkout.wait_until(lambda: not checkout.processes(), seconds=30)
