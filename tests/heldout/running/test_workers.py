"""Worker processes that die: a task is tried once more alone, its neighbours finish; a limit ends what never ends."""

import os
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from heldout.errors import TaskFailed
from heldout.running import fit_limit
from heldout.running.fit_limit import limited
from heldout.running.workers import _PATIENCE_SECONDS, Workers
from tests.heldout.running import dying


@pytest.fixture(scope="module", params=["loky", pytest.param("joblib.externals.loky", marks=pytest.mark.slow)])
def workers(request):
    """Two workers, also by the copy of loky that joblib has, for those who have no other."""
    loky = pytest.importorskip(f"{request.param}.process_executor")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("heldout.running.workers.loky", loky)
        made = Workers(2, dying.LIMIT, limit="the.key")
        yield made
        made.shutdown()


@pytest.mark.fault("worker death")
def test_a_task_whose_worker_dies_runs_once_more_alone_and_its_neighbours_finish(workers, tmp_path, caplog):
    memory = "killed, as the system does when memory runs out"
    tasks = {
        how: workers.submit(dying.dies, function, str(tmp_path / name))
        for how, function, name in [("exit code 3", dying.exits, "exits"), (memory, dying.is_killed, "killed")]
    }
    once = workers.submit(dying.dies_once, str(tmp_path / "once"))
    others = [workers.submit(abs, -number) for number in range(20)]
    for how, task in tasks.items():
        with pytest.raises(TaskFailed, match=f"died twice, the second time alone: {how}"):
            task.result()
    assert once.result() not in (os.getpid(), None)
    assert [*range(20)] == [other.result() for other in others]
    assert [2, 2, 2] == [(tmp_path / name).stat().st_size for name in ("exits", "killed", "once")]
    assert 3 == caplog.text.count("runs once more, alone")


@pytest.mark.fault("endless fit")
@pytest.mark.parametrize("holding_the_lock", [False, True], ids=["", "holding Python's lock"])
def test_a_fit_beyond_its_limit_ends_at_once_with_all_that_it_started_and_is_not_tried_again(
    workers, tmp_path, holding_the_lock
):
    name = tmp_path / "pids"
    with pytest.raises(TaskFailed, match=f"{dying.LIMIT:g} s of the.key"):
        workers.submit(dying.never_ends, str(name), holding_the_lock=holding_the_lock).result(30)
    worker, *started = map(int, name.read_text().split())
    assert 2 == len(started)
    assert not _lives(worker)
    if holding_the_lock:  # no thread could end them
        for process in started:
            os.kill(process, signal.SIGKILL)
    end = time.monotonic() + 5  # the system ends what was killed when it gets to run
    while any(map(_lives, started)) and time.monotonic() < end:
        time.sleep(0.01)
    assert [False, False] == [*map(_lives, started)]
    assert 3 == workers.submit(abs, -3).result()


def _lives(process: int) -> bool:
    """Whether a process of Linux has not ended; what nobody waited for has."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_processes_are_found_without_proc_too(monkeypatch):
    child = subprocess.Popen([*dying.STARTS], stdout=subprocess.PIPE, text=True)
    expected = {child.pid, int(child.stdout.readline())}
    assert expected <= {*fit_limit._started()}
    listed = "".join(f"{process} {parent}\n" for process, parent in fit_limit._parents())
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=listed))
    assert expected <= {*fit_limit._started()}
    for process in expected:
        os.kill(process, signal.SIGKILL)
    child.communicate()


@pytest.mark.fault("learner")
def test_what_a_learner_raises_to_end_its_process_is_its_failure_and_no_interruption(workers):
    with pytest.raises(TaskFailed, match="KeyboardInterrupt"):
        workers.submit(dying.interrupts).result()


def test_a_block_within_the_limit_is_not_ended():
    with limited(0.05):
        pass
    with limited(None):
        time.sleep(0.1)


def test_ended_workers_end_at_once_whatever_they_do():
    made = Workers(1)
    sleeps, waits = made.submit(time.sleep, 600), made.submit(abs, 1)
    while not sleeps.running():
        time.sleep(0.01)
    time.sleep(0.5)
    made.shutdown()
    assert waits.cancelled()
    assert sleeps.exception(10) is not None
    with pytest.raises(RuntimeError):
        made.submit(abs, 1)


def _processes_of(work):
    """The processes that made the tasks which `work` submits to two workers, whose first process is there."""
    made = Workers(2)
    try:
        assert made.submit(os.getpid).result() != os.getpid()
        return {task.result() for task in work(made)}
    finally:
        made.shutdown()


def test_short_tasks_share_one_process():
    assert 1 == len(_processes_of(lambda workers: [workers.submit(os.getpid) for _ in range(20)]))


@pytest.mark.long
def test_a_further_process_starts_when_a_task_has_waited():
    assert 2 == len(
        _processes_of(lambda workers: [workers.submit(dying.naps, 2 * _PATIENCE_SECONDS) for _ in range(2)])
    )
