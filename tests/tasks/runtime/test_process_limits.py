"""A run that the limits of its process would end is refused before it starts anything, with what to do."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tasks.runtime import full_disk
from tasks.runtime.errors import UserError
from tasks.runtime.used_up import used_up

ROOT = Path(__file__).parents[3]
# as somebody else than root, who has no limit of processes
CHECK = """
import os, resource, sys
from tasks.runtime.errors import UserError
from tasks.runtime.process_limits import check_limits
from threading import Event, Thread
kind, soft, hard, threads = getattr(resource, sys.argv[1]), *map(int, sys.argv[2:5])
if os.getuid() == 0:
    os.setuid(61234)
for _ in range(threads):
    Thread(target=Event().wait, daemon=True).start()
resource.setrlimit(kind, (soft, hard))
try:
    check_limits(2)
    print("runs with", resource.getrlimit(kind)[0])
except UserError as error:
    print(error)
sys.stdout.flush()
os._exit(0)
"""


def said(kind: str, soft: int, hard: int, threads: int = 0) -> str:
    command = [sys.executable, "-c", CHECK, kind, *map(str, (soft, hard, threads))]
    ran = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


@pytest.mark.fault("process limits")
def test_few_files_are_refused_and_a_limit_that_may_be_raised_is():
    assert "64 files may be open (ulimit -n), and a run needs 128; raise the limit" == said("RLIMIT_NOFILE", 64, 64)
    assert "runs with 300" == said("RLIMIT_NOFILE", 64, 300)


@pytest.mark.fault("process limits")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be a user without other processes")
def test_few_processes_are_refused_and_those_of_the_user_count():
    refused = said("RLIMIT_NPROC", 100, 100, threads=30)
    assert "100 processes and threads are allowed to this user (ulimit -u), 31 are there, and" in refused
    assert "needs 80 more; raise the limit, end others, or lower execution.workers" in refused
    assert "runs with 111" == said("RLIMIT_NPROC", 111, 111, threads=30)


@pytest.mark.fault("process limits")
@pytest.mark.parametrize(
    "error",
    [OSError(errno.EMFILE, "Too many open files"), RuntimeError("can't start new thread"), BlockingIOError(11, "x")],
)
def test_a_limit_that_is_reached_later_is_one_message(error):
    found = ValueError("of a library")
    found.__cause__ = error
    assert "its limit is reached (ulimit -n, ulimit -u)" in str(used_up(found))
    assert used_up(ValueError("another")) is None
    assert isinstance(used_up(OSError(errno.ENOSPC, "No space left on device")), UserError)


@pytest.mark.fault("disk full")
def test_a_crash_on_a_full_disk_is_told_as_that_whatever_it_says(monkeypatch):
    of_server = RuntimeError("Server error '500 Internal Server Error'")
    assert used_up(of_server) is None
    monkeypatch.setattr(full_disk.shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    assert "4096 bytes are free" in str(used_up(of_server))
