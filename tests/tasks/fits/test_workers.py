"""Worker processes that die: a task is tried once more alone, its neighbours finish; a limit ends what never ends."""

import os
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tasks.fits import failed_candidates
from tasks.fits.fit_limit import limited
from tasks.fits.work import Work
from tasks.fits.workers import _PATIENCE_SECONDS, TaskFailed, Workers, reason_of
from tests.tasks.fits import dying


@pytest.fixture(scope="module")
def workers():
    made = Workers(2, dying.LIMIT)
    yield made
    made.shutdown()


@pytest.mark.fault("worker death")
def test_a_task_whose_worker_dies_runs_once_more_alone_and_its_neighbours_finish(workers, caplog):
    folder = Path.cwd()
    memory = "killed, as the system does when memory runs out"
    tasks = {
        how: workers.submit(dying.dies, function, str(folder / name))
        for how, function, name in [("exit code 3", dying.exits, "exits"), (memory, dying.is_killed, "killed")]
    }
    once = workers.submit(dying.dies_once, str(folder / "once"))
    others = [workers.submit(abs, -number) for number in range(20)]
    for how, task in tasks.items():
        with pytest.raises(TaskFailed, match=f"died twice, the second time alone: {how}"):
            task.result()
    assert once.result() not in (os.getpid(), None)
    assert [*range(20)] == [other.result() for other in others]
    assert [2, 2, 2] == [Path(name).stat().st_size for name in ("exits", "killed", "once")]
    assert 3 == caplog.text.count("runs once more, alone")


@pytest.mark.fault("endless fit")
@pytest.mark.parametrize("holding_the_lock", [False, True], ids=["", "holding Python's lock"])
def test_a_fit_beyond_its_limit_ends_at_once_with_its_children_and_is_not_tried_again(workers, holding_the_lock):
    name = Path.cwd() / "pids"
    with pytest.raises(TaskFailed, match=f"{dying.LIMIT:g} s of execution.fit_timeout"):
        workers.submit(dying.never_ends, str(name), holding_the_lock=holding_the_lock).result(30)
    worker, child = map(int, name.read_text().split())
    assert not psutil.pid_exists(worker)
    if holding_the_lock:  # no thread could end it
        psutil.Process(child).kill()
    assert _is_gone_within(5, child)  # the system ends what was killed when it gets to run
    assert 3 == workers.submit(abs, -3).result()


def _is_gone_within(seconds: float, pid: int) -> bool:
    end = time.monotonic() + seconds
    while psutil.pid_exists(pid) and time.monotonic() < end:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        time.sleep(0.01)
    return not psutil.pid_exists(pid)


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


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.setattr(failed_candidates, "_reasons", {})


@pytest.mark.fault("worker death")
def test_after_a_candidate_failed_no_task_of_it_is_started_and_others_are(fresh, caplog):
    started = []

    def fails(number):
        started.append(number)
        raise TaskFailed("why")

    def submit(pool, function, number, candidate):
        work = Work(f"task {number}", (number,), (), candidate=candidate)
        return work, failed_candidates.submit(pool, function, work)

    with ThreadPoolExecutor(1) as pool:
        tasks = [submit(pool, fails, 0, "a"), submit(pool, started.append, 1, "a"), submit(pool, str, 2, "b")]
        results = [failed_candidates.result(work, future) for work, future in tasks]
        late = submit(pool, started.append, 3, "a")
    assert ["why", "why", "2"] == results
    assert "why" == failed_candidates.result(*late)
    assert [0] == started
    assert 1 == caplog.text.count("no further task of this candidate is started")


def test_the_end_of_a_run_and_any_other_error_are_raised(fresh):
    cancelled: Future = Future()
    cancelled.cancel()
    with pytest.raises(CancelledError):
        failed_candidates.result(Work("", (), (), candidate="a"), cancelled)
    with ThreadPoolExecutor(1) as pool:
        work = Work("", ("x",), (), candidate="a")
        with pytest.raises(ValueError, match="x"):
            failed_candidates.result(work, failed_candidates.submit(pool, int, work))


@pytest.mark.fault("worker death")
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("The exit codes of the workers are {SIGSEGV(-11)}", "its worker died: signal 11, Segmentation fault"),
        (
            "The exit codes of the workers are {EXIT(124)}",
            "a fit took longer than execution.fit_timeout, and was ended",
        ),
        ("all those workers died\nmore", "its worker died: all those workers died"),
    ],
)
def test_a_worker_of_another_machine_that_died_is_a_reason_too(said, reason):
    assert reason == reason_of(BrokenProcessPool(said))
    assert reason_of(ValueError(said)) is None
