"""Records by which a dead process is known."""

import subprocess
import sys

import psutil
import pytest

from tasks.runtime.flow_runs import _dead
from tasks.runtime.process_identity import HOST, alive, identity


def test_a_process_is_known_while_it_lives():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    recorded = identity(process.pid)
    assert alive(recorded)
    assert alive(identity())
    assert not alive(f"{recorded}1")  # the number was given again
    process.communicate()
    assert not alive(recorded)


@pytest.mark.fault("schedule")
def test_a_living_process_is_known_after_the_clock_was_set(monkeypatch):
    recorded = identity()
    booted = psutil.boot_time()
    for module in (psutil, psutil._psplatform):
        monkeypatch.setattr(module, "boot_time", lambda: booted + 3600)
    assert alive(recorded)


@pytest.mark.parametrize(
    ("recorded", "mine", "dead"),
    [
        (f"{HOST} {identity()}", True, False),
        (f"{HOST} 1:0.00", False, True),
        ("elsewhere 1:0.00", True, False),
        (None, False, False),
        (None, True, True),
    ],
    ids=["alive", "dead", "of another machine", "not known", "not known, of a deployment that nobody else runs"],
)
def test_a_run_is_dead_if_its_process_on_this_machine_is_gone(recorded, mine, dead):
    assert dead == _dead(recorded, mine)
