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
from tasks.runtime.lifeline import lifeline
subprocess.Popen([sys.executable, "-c", sys.argv[1], *map(str, lifeline())], stdout=1)
time.sleep(1000)
"""
WORKER = """
import os, sys, time
from tasks.runtime.lifeline import end_with
process, reading = map(int, sys.argv[1:])
{before}
end_with(process, reading)
{after}
"""
TELL = "print(os.getpid(), flush=True)"
# from a thread's point of view: one sleeps, the other counts for years and keeps Python's lock
AT_WORK = {"waiting": "time.sleep(1000)", "in a fit that nothing interrupts": "sum(range(1 << 60))"}


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
