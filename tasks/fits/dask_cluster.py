"""The workers of a Dask cluster as the executor of the fits: docs/decisions/0042."""

import contextlib
import functools
import logging
import os
import uuid
import weakref
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker

from heldout.errors import TaskFailed
from tasks.fits.dask_worker import Here, differences, pack, unpack
from tasks.fits.reached_packages import reached
from tasks.runtime import dask_scheduler, own_code
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")

_CONNECT_SECONDS = 10
_FIRST_SECONDS, _OTHERS_SECONDS = 120, 15  # for the answer of the first worker, and of those after it
_MOST_LINES = 10
_connected: "dict[tuple[str | None, float | None, tuple[str, ...]], DaskExecutor]" = {}


def connect(scheduler: str | None, fit_timeout: float | None = None, modules: tuple[str, ...] = ()) -> "DaskExecutor":
    """The executor of the cluster; a process connects once. Raises UserError if no worker can be used.

    `modules` are those that params.yaml allows.
    """
    key = scheduler, fit_timeout, modules
    if key not in _connected:
        _connected[key] = DaskExecutor(dask_scheduler.allowed(scheduler), fit_timeout, modules)
    return _connected[key]


def disconnect() -> None:
    """End the tasks of this process on every cluster."""
    for key in [*_connected]:
        _connected.pop(key).shutdown()


class DaskExecutor(Executor):
    """Sends each task to a worker of the scheduler at `address`, which has a process of its own perform it."""

    def __init__(self, address: str, fit_timeout: float | None, modules: tuple[str, ...]) -> None:
        self._address, self._run = address, uuid.uuid4().hex
        self._asked: weakref.WeakSet[Any] = weakref.WeakSet()
        self._client = _client(address)
        try:
            self._here = Here.now(modules)
            self._performed = _performing(str(Path.cwd()), self._run, fit_timeout)
            self._check_versions()
            workers = self._check_workers()
            self._client.subscribe_topic("all", _say_lost)
        except BaseException:
            self._client.close()
            raise
        log.info("dask: %d workers at %s, dashboard %s", workers, address, self._client.dashboard_link)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        """Start the task on some worker."""
        return self._submit(functools.partial(function, **named) if named else function, arguments)

    def worker_count(self) -> int:
        """The threads of the workers that are connected now, at least one."""
        return max(1, int(self._client.scheduler_info(n_workers=0)["total_threads"]))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:  # noqa: ARG002
        """Cancel every task that waits, end the processes of this run on the workers, and leave the cluster."""
        with contextlib.suppress(OSError, TimeoutError, ValueError):  # the scheduler may be gone
            self._client.cancel([*self._asked])
            self._client.run(_ending(self._run), on_error="ignore")
        self._client.close()

    def _submit(self, function: Callable[..., Any], arguments: tuple[Any, ...], **options: Any) -> "Future[Any]":
        outer: Future[Any] = Future()
        asked = self._client.submit(self._performed, pack(self._here, function, arguments), pure=False, **options)
        self._asked.add(asked)
        asked.add_done_callback(functools.partial(self._pass_on, outer))
        outer.add_done_callback(lambda _: asked.cancel() if outer.cancelled() else None)
        return outer

    def _pass_on(self, outer: "Future[Any]", asked: Any) -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            if asked.cancelled():
                raise UserError(
                    f"the Dask scheduler at {self._address} is gone; start it, and the run again: finished fits are "
                    "stored"
                )
            outer.set_result(unpack(asked.result()))
        except KilledWorker as error:
            outer.set_exception(TaskFailed(f"each of its Dask workers died: {error}"))
        except BaseException as error:
            outer.set_exception(error)
        finally:
            asked.release()  # a result that is kept, on a worker that dies, would be made again

    def _check_versions(self) -> None:
        """Raise UserError if a worker has other versions; it is asked by Dask, before it runs anything of ours."""
        found = self._client.get_versions(packages=[*reached(self._here.modules)])
        expected = found["client"]["packages"]
        wrong = {name: differences(expected, of["packages"]) for name, of in found["workers"].items()}
        _refuse([f"{name}: {text}; use the same {own_code.PACKAGES}" for name, text in wrong.items() if text])

    def _check_workers(self) -> int:
        """Raise UserError if a worker does not see the checkout, or none answers; the number of workers.

        A worker that comes later, or is busy now, is checked by its first task.
        """
        names = [*self._client.scheduler_info(n_workers=-1)["workers"]]
        # without a worker, the task has a cluster that adapts start one
        asked = {self._submit(os.getpid, (), **({"workers": [name]} if name else {})): name for name in names or [""]}
        wait([*asked], _FIRST_SECONDS, FIRST_COMPLETED)
        done, _ = wait([*asked], _OTHERS_SECONDS)
        _refuse([f"{asked[future]}: {future.exception()}" for future in done if future.exception() is not None])
        if not done:
            raise UserError(
                f"execution.scheduler is {self._address}: none of its {len(names)} workers answered within "
                f"{_FIRST_SECONDS} s; start workers with `dask worker {self._address} --nthreads 1`, or wait until "
                "they are free"
            )
        return len(names)


def _client(address: str) -> Any:
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, ImportError, RuntimeError) as error:
        raise UserError(
            f"execution.scheduler is {address}, which does not answer ({error}); start it, or fix the address"
        ) from None
    if dask_scheduler.is_exposed(reached := str(client.scheduler_info(n_workers=0)["address"])):
        log.warning(
            "the Dask scheduler at %s is not on loopback and has no TLS: whoever reaches it can run programs on its "
            "workers and on this machine, and read the rows. Bind it to 127.0.0.1, or use tls:// "
            "(docs/how-to/machines.md)",
            reached,
        )
    return client


def _say_lost(event: tuple[float, Any]) -> None:
    """Log that a worker is gone that had tasks, by what the scheduler says to all."""
    _, said = event
    if isinstance(said, dict) and said.get("action") == "remove-worker" and said["processing-tasks"]:
        log.warning("dask: the worker %s is gone; others make the tasks that it had", said["worker"])


def _refuse(lines: list[str]) -> None:
    if lines:
        more = [f"and {len(lines) - _MOST_LINES} more workers"] if len(lines) > _MOST_LINES else []
        raise UserError("\n".join(f"execution.scheduler: worker {line}" for line in lines[:_MOST_LINES] + more))


def _performing(folder: str, name: str, fit_timeout: float | None) -> Callable[[bytes], bytes]:
    """A function that cloudpickle sends by value: neither the scheduler nor a worker needs our code on its path."""

    ours = str(own_code.FOLDER)

    def perform(payload: bytes) -> bytes:
        import os
        import sys

        os.stat(folder)  # noqa: PTH116
        os.stat(os.path.join(ours, "tasks"))  # noqa: PTH116, PTH118  # before an import that would say less
        sys.path[:] = [ours, *(path for path in sys.path if path != ours)]  # first, also for the processes
        from tasks.fits.dask_worker import run

        return run(folder, ours, name, fit_timeout, payload)

    return perform


def _ending(name: str) -> Callable[[], None]:
    def end() -> None:
        import sys

        if "tasks.fits.dask_worker" in sys.modules:
            sys.modules["tasks.fits.dask_worker"].end(name)

    return end
