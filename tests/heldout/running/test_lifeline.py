"""A worker ends when the main process was killed, whatever it does at that moment."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[3]
SECONDS = 15
MAIN = """
import subprocess, sys, time
from heldout.running.lifeline import lifeline
subprocess.Popen([sys.executable, "-c", sys.argv[1], *map(str, lifeline())], stdout=1)
time.sleep(1000)
"""
WORKER = """
import os, sys, time
from heldout.running.lifeline import end_with
process, reading = map(int, sys.argv[1:])
{before}
end_with(process, reading)
{after}
"""
TELL = "print(os.getpid(), flush=True)"
# from a thread's point of view: one sleeps, the other counts for years and keeps Python's lock
AT_WORK = {"waiting": "time.sleep(1000)", "in a fit that nothing interrupts": "sum(range(1 << 60))"}
CHILD = "import os, time; from heldout.running.parent_watch import end_with; end_with(os.getppid()); time.sleep(60)"
PARENT = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {CHILD!r}]).pid, flush=True); input()"


@pytest.mark.fault("killed alone")
@pytest.mark.parametrize("at", [*AT_WORK, "starting"])
def test_a_worker_ends_with_the_main_process(at):
    if at == "starting":  # the main process ends before the worker looks for it
        worker = WORKER.format(
            before=f"{TELL}\nwhile os.getppid() == process: time.sleep(0.01)", after="time.sleep(1000)"
        )
    else:
        worker = WORKER.format(before="", after=f"{TELL}\n{AT_WORK[at]}")
    main = subprocess.Popen([sys.executable, "-c", MAIN, worker], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    process = psutil.Process(int(main.stdout.readline()))
    try:
        time.sleep(0.3)
        assert process.is_running()
        main.kill()
        main.wait()
        psutil.wait_procs([process], timeout=SECONDS)
        assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    finally:
        main.kill()
        if process.is_running():
            process.kill()


@pytest.mark.fault("killed alone")
def test_a_process_ends_with_its_parent_that_was_killed():
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child = psutil.Process(int(parent.stdout.readline()))
    time.sleep(1)
    assert child.status() != psutil.STATUS_ZOMBIE
    parent.kill()
    child.wait(15)
    parent.communicate()
