"""One run at a time in a checkout: the second is refused, or waits, and says for whom."""

import fcntl
import threading

import pytest

from tasks.runtime import checkout_lock as module
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError

OWNER = "4711 (the deployment nightly-validation)"


@pytest.fixture
def held(checkout, monkeypatch):
    """The lock of a checkout, held by another run."""
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.1)
    (checkout / ".cache").mkdir(exist_ok=True)
    with (checkout / ".cache/lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(OWNER)
        file.flush()
        yield file


@pytest.mark.fault("two runs")
def test_a_second_run_is_refused_and_says_who_is_there(held):
    with pytest.raises(UserError) as refused, checkout_lock("python -m flows validate"):
        pass
    assert f"process {OWNER} runs in this checkout already" in str(refused.value)


@pytest.mark.fault("two runs")
def test_a_second_run_that_waits_says_for_whom_and_goes_on_when_it_ends(held, caplog, monkeypatch):
    monkeypatch.setattr(module.log, "propagate", True)
    threading.Timer(0.5, held.close).start()
    with caplog.at_level("INFO", "heldout"), checkout_lock("the deployment weekly-study", wait=True):
        assert held.closed
    waiting, going_on = caplog.messages
    assert f"process {OWNER} runs in this checkout; waiting" in waiting
    assert OWNER in going_on
