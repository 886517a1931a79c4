"""A candidate whose task ended its workers: the reason is known, and no further task of it is started."""

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from heldout.errors import TaskFailed
from tasks.fits import failed_candidates
from tasks.fits.work import Work
from tasks.fits.workers import reason_of


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
        work = Work(f"task {number}", function, (number,), (), candidate=candidate)
        return work, failed_candidates.submit(pool, work)

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
        failed_candidates.result(Work("", str, (), (), candidate="a"), cancelled)
    with ThreadPoolExecutor(1) as pool:
        work = Work("", int, ("x",), (), candidate="a")
        with pytest.raises(ValueError, match="x"):
            failed_candidates.result(work, failed_candidates.submit(pool, work))


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
