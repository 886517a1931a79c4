"""How a process ends, with what it imported: real processes."""

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[3]
_ENDS = """
import atexit, sys
from tasks.runtime.process_end import leave
class Kept:
    def __del__(self):
        print("taken apart")
kept = Kept()
atexit.register(print, "registered")
sys.stdin.read()
sys.stdout.write("last words\\n")
leave({code}, at_once={at_once})
"""


def _ends(code, *, at_once):
    program = [sys.executable, "-c", _ENDS.format(code=code, at_once=at_once)]
    ran = subprocess.run(
        program, cwd=_ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert "" == ran.stderr
    return ran.returncode, ran.stdout.split("\n")[:-1]


def test_a_process_ends_with_its_code_and_its_handlers_and_takes_nothing_apart():
    assert (3, ["last words", "registered"]) == _ends(3, at_once=False)


def test_a_process_that_ends_at_once_calls_no_handler():
    assert (130, ["last words"]) == _ends(130, at_once=True)


def test_a_process_whose_reader_is_gone_still_ends_with_its_code():
    program = [sys.executable, "-c", _ENDS.format(code=0, at_once=False)]
    pipe, environment = subprocess.PIPE, {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(program, cwd=_ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        process.stdin.close()
        assert 0 == process.wait(60)


def test_a_process_ends_although_its_workers_were_not_ended():
    program = (
        "from loky.process_executor import ProcessPoolExecutor\n"
        "from tasks.runtime.process_end import leave\n"
        "pool = ProcessPoolExecutor(1, timeout=600)\n"
        "assert pool.submit(abs, -1).result() == 1\n"
        "leave(2)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=_ROOT, stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert 2 == ran.returncode
