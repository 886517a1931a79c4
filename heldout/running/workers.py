"""Local worker processes that die one at a time.

A pool whose processes share a queue breaks as a whole when a process dies, and nobody knows on which task. So each
worker here is a pool of one process, with a thread that waits for it. See docs/decisions/0042.
"""

import importlib
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from heldout.errors import TaskFailed
from heldout.running import exit_code, fit_limit
from heldout.running.lifeline import end_with, lifeline
from heldout.running.uncollected import uncollected

try:  # which the pipeline requires
    from loky import process_executor as loky
except ModuleNotFoundError:
    from joblib.externals.loky import process_executor as loky

log = logging.getLogger("heldout")

_IDLE_SECONDS = 600
_PATIENCE_SECONDS = 1.0


class Workers(Executor):
    """`count` processes, one task each at a time. A task whose worker dies runs once more while nothing else runs.

    Its future then has the result, or raises TaskFailed: after the second death, at once after a fit that took longer
    than `fit_timeout` seconds, and for what a learner raises to end its process.

    The time of a fit counts from when it began, where its task enters `fit_limit.limited`; `limit` is the name of that
    limit in messages. A process has one thread for arithmetic, imports the module `imports` at its start, and ends with
    this one, however this one ends.

    A further process starts when a task has waited for a second: the start of one takes as much of the machine.
    """

    def __init__(
        self,
        count: int,
        fit_timeout: float | None = None,
        *,
        idle_seconds: float = _IDLE_SECONDS,
        imports: str | None = None,
        limit: str = "fit_timeout",
    ) -> None:
        self.count, self.fit_timeout = count, fit_timeout
        self._idle_seconds, self._imports, self._limit = idle_seconds, imports, limit
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="worker")
        self._free = threading.Condition()
        self._idle: list[loky.ProcessPoolExecutor] = []
        self._processes: list[loky.ProcessPoolExecutor] = []  # each of one process; None of them starts after the end
        self.ended = False
        self._door, self._places = threading.Lock(), threading.Semaphore(count)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run `function` in a worker; tasks start in the order in which they come."""
        return self._threads.submit(self._run, function, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End all processes, whatever they do."""
        with self._free:
            self.ended = True
            processes, self._processes = self._processes, []
            self._free.notify_all()
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        for process in processes:
            process.shutdown(wait=wait, kill_workers=True)

    def _run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self._among_others():
            try:
                return self._in_process(function, args, kwargs)
            except loky.TerminatedWorkerError as death:
                if self.ended:
                    raise
                log.warning("a worker died: %s; its task runs once more, alone", self._how(death))
        with self._alone():
            try:
                return self._in_process(function, args, kwargs)
            except loky.TerminatedWorkerError as death:
                raise TaskFailed(f"its worker died twice, the second time alone: {self._how(death)}") from None

    def _in_process(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result from a process that is idle. Raises loky.TerminatedWorkerError if it dies on the task."""
        process = self._taken()
        try:
            try:
                future = process.submit(function, *args, **kwargs)
            except loky.BrokenProcessPool:  # it died before
                process = self._in_place_of(process)
                future = process.submit(function, *args, **kwargs)
            return future.result()
        except Exception:
            raise
        except BaseException as error:  # of a learner: nobody interrupts this thread, nor a worker
            raise TaskFailed(f"{type(error).__name__}, raised to end its process") from None
        finally:
            with self._free:
                self._idle.append(process)
                self._free.notify()

    def _taken(self) -> loky.ProcessPoolExecutor:
        """An idle process, or a new one: there are never more than threads, each of which has one task."""
        latest = time.monotonic() + _PATIENCE_SECONDS
        with self._free:
            while not self._idle and self._processes and (left := latest - time.monotonic()) > 0:
                self._free.wait(left)
            return self._idle.pop() if self._idle else self._started()

    def _in_place_of(self, dead: loky.ProcessPoolExecutor) -> loky.ProcessPoolExecutor:
        with self._free:
            process = self._started()
            self._processes.remove(dead)
        dead.shutdown(wait=True)
        return process

    def _started(self) -> loky.ProcessPoolExecutor:
        if self.ended:
            raise loky.ShutdownExecutorError("the workers were ended")
        begin = (*lifeline(), self._imports)
        process = loky.ProcessPoolExecutor(1, timeout=self._idle_seconds, initializer=_begin, initargs=begin)
        self._processes.append(process)
        return process

    def _how(self, death: loky.TerminatedWorkerError) -> str:
        """How the process ended. Raises TaskFailed if it was ended at the limit of a fit."""
        if self.fit_timeout is not None and code_of(death) in fit_limit.CODES:
            raise TaskFailed(
                f"a fit took longer than the {self.fit_timeout:g} s of {self._limit}, and was ended"
            ) from None
        return how(death)

    @contextmanager
    def _among_others(self) -> Iterator[None]:
        with self._door:  # shut while a task runs alone
            self._places.acquire()
        try:
            yield
        finally:
            self._places.release()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._door:
            for _ in range(self.count):
                self._places.acquire()
            try:
                yield
            finally:
                self._places.release(self.count)


def code_of(death: loky.BrokenProcessPool) -> int | None:
    """That of the process that died; minus the number of a signal."""
    found = re.search(r"\w+\((-?\d+)\)", str(death))  # which is where loky says it
    return int(found[1]) if found else None


def how(death: loky.BrokenProcessPool) -> str:
    """How a process ended, in words."""
    code = code_of(death)
    return str(death).partition("\n")[0] if code is None else exit_code.in_words(code)


def _begin(process: int, reading: int, imports: str | None) -> None:
    """Limit the worker, and import what its tasks need."""
    start_worker(process, reading)
    if imports is not None:
        with uncollected():
            importlib.import_module(imports)


def start_worker(process: int, reading: int) -> None:
    """Limit the worker to one thread: the cores are in use, and sums are the same with any number of workers.

    It ends with the main process, whose lifeline the arguments are.
    """
    end_with(process, reading)
    from threadpoolctl import threadpool_limits

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for the libraries that are loaded later: scikit-learn's OpenMP, SciPy's BLAS
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process reports an interruption
