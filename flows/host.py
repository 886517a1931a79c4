"""One process for all stages of a `dvc repro`.

DVC starts a process for each stage, and the start of one costs more than most stages' arithmetic.
So the first stage starts a host (this module as a program), every stage asks it to run its flow and
waits, and the host ends with the `dvc` process that it serves: docs/decisions/0002.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import psutil

from flows.session import CRASH, INTERRUPTED, Session, log_to_terminal, report_error
from heldout.running.private_files import private_opener
from heldout.running.uncollected import uncollected
from tasks.runtime import environment, open_servers
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.environment import CACHE, copy_suffix
from tasks.runtime.errors import Held, Incomplete, UserError
from tasks.runtime.full_disk import check_space
from tasks.runtime.private_files import private_folder
from tasks.runtime.process_limits import check_limits
from tasks.runtime.used_up import used_up

if TYPE_CHECKING:
    from tasks.params import Settings

log = logging.getLogger("heldout")

_PATIENCE_SECONDS = 30.0
_LOG = CACHE / "host.log"


def run_in_host(name: str, params: str, overrides: Sequence[str]) -> int:
    """Have the host of the enclosing `dvc` process run one flow, on our standard output and error."""
    driver = _driver()
    address = _address(driver)
    connection = _connect(address) or _start(driver, address)
    request = json.dumps([name, params, list(overrides)]).encode()
    with connection:
        socket.send_fds(connection, [request], [1, 2])
        try:
            answer = connection.recv(16)
        except KeyboardInterrupt:
            return INTERRUPTED
    # on a full disk a process that writes to a mapped file is killed, and DVC leaves half of dvc.lock after a stage
    check_space(Path(), CACHE)
    if not answer:
        print(f"error: the process that runs the flows died; its last words are in {_LOG}", file=sys.stderr)
        return CRASH
    return int(answer)


class Host:
    """Serves one stage after the other, as one run: one lock, one session, one MLflow run."""

    def __init__(self) -> None:
        self._session = Session()
        self._run = ExitStack()  # the MLflow run, from the first stage to the report
        self._first = True
        self._settings: Settings | None = None
        self._sources: dict[Path, str] = {}  # the hashes of what the run reads

    def serve(self, driver: psutil.Process) -> None:
        """Serve until `driver` ends, which arrives as SIGTERM."""
        signal.signal(signal.SIGTERM, _leave)
        address = _address(driver)
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener, ExitStack() as closing:
            _bind(listener, address)
            closing.callback(address.resolve().unlink, missing_ok=True)  # DVC may have removed the folder by then
            listener.listen()
            threading.Thread(target=_watch, args=(driver,), daemon=True).start()
            self._session.start_server()
            closing.push(self._run)
            while True:
                connection, _ = listener.accept()
                with connection:
                    request, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 2)
                    try:
                        code = self._answer(descriptors, *json.loads(request))
                    finally:
                        for descriptor in descriptors:
                            os.close(descriptor)
                    connection.sendall(str(code).encode())
                if self._first:
                    return  # refused before anything was started

    def close(self) -> None:
        """Stop the server."""
        self._session.close()

    def leave(self) -> NoReturn:
        """End the process."""
        self._session.leave(0)

    def _answer(self, descriptors: list[int], name: str, params: str, overrides: list[str]) -> int:
        """One stage; its words go to its own output, those of the server and the workers to the log."""
        try:
            with uncollected() if self._first else nullcontext():
                settings = self._opened(descriptors, name, params, overrides)
            from flows.new_batch import examine_new_rows
            from flows.night import night
            from flows.parent_run import parent_run  # Prefect reads the server's address when it is imported
            from tasks.data.source_files import check_unchanged, hash_sources
            from tasks.track import known_store, lifecycle
            from tasks.track.trial import why_trial

            with _redirected_to(descriptors):
                if self._first:
                    self._run.enter_context(parent_run(params))
                    trial = why_trial(settings, overrides)
                    self._run.enter_context(night(settings, trial))
                    if not trial:
                        known_store.check(settings)
                    self._run.enter_context(lifecycle.run(settings, trial))
                    self._sources = hash_sources(settings)
                    # else the rows are those of the last run; or of DVC's cache, which nothing must be decided by
                    if name == "prepare" or not trial or settings.selection.open_test:
                        examine_new_rows(settings, trial)
                    self._first = False
                if name == "report":
                    check_unchanged(self._sources)
                code = self._session.run(name, params, overrides)
                if name == "report" and code == 0:
                    self._run.close()
                    lifecycle.check_sent()
                return code
        except Incomplete as error:  # DVC would not keep the outputs of a stage that ends with another code than 0
            with _redirected_to(descriptors):
                report_error(error)
            return 0
        except UserError as error:
            with _redirected_to(descriptors):
                self._end_run(error)
                return report_error(error)
        except Exception as error:
            with _redirected_to(descriptors):
                if (said := used_up(error)) is None:
                    log.exception("%s crashed", name)
                self._end_run(error)
                return CRASH if said is None else report_error(said)

    def _opened(self, descriptors: list[int], name: str, params: str, overrides: list[str]) -> "Settings":
        """The settings of a stage, for which the session is ready. Raises UserError."""
        from tasks.fits import executor
        from tasks.params import load
        from tasks.storage import stage_settings

        with _redirected_to(descriptors):
            settings = self._settings = load(params, overrides)
            stage_settings.check(name, settings)  # before a run of MLflow has the settings of no result
            if self._first:
                check_limits(settings.execution.workers)
                log.info("starting the server and %s", executor.workers(settings.execution))
                open_servers.warn(settings.tracking.store)
        self._session.open(settings, tracked=True)
        return settings

    def _end_run(self, error: Exception) -> None:
        """Mark the run as failed, and report it, if its parameters could be read."""
        from tasks.track import lifecycle

        reason = str(error)
        lifecycle.end_run("FAILED", reason)
        # which is told already; and before the first stage nothing was started
        if self._settings is not None and not self._first and not isinstance(error, Held):
            from flows.events import run_failed

            run_failed(self._settings, reason)
        self._run.__exit__(type(error), error, error.__traceback__)


def main(driver: psutil.Process) -> NoReturn:
    """Be the host of `driver`, and end with it."""
    environment.enter()
    log_to_terminal()
    host = Host()
    try:
        with checkout_lock("dvc repro"):
            host.serve(driver)
    except UserError as error:
        report_error(error)
    except SystemExit:  # `dvc` has ended
        pass
    finally:
        host.close()  # the checkout is free by now: the next command need not wait for a server to stop
    host.leave()


@contextmanager
def _redirected_to(descriptors: Sequence[int]) -> Iterator[None]:
    """Standard output and error are those of the stage."""
    own = [os.dup(1), os.dup(2)]
    for place, descriptor in zip((1, 2), descriptors, strict=True):
        os.dup2(descriptor, place)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for place, descriptor in zip((1, 2), own, strict=True):
            os.dup2(descriptor, place)
            os.close(descriptor)


def _driver() -> psutil.Process:
    """The process that runs the stages: the nearest ancestor outside of a stage."""
    for process in psutil.Process().parents():
        try:
            if "DVC_STAGE" not in process.environ():
                return process
        except psutil.Error:
            break
    raise UserError("DVC_STAGE is set, but no process above runs DVC; unset it")


def _start(driver: psutil.Process, address: Path) -> socket.socket:
    private_folder(CACHE)
    check_space(Path(), CACHE)  # the host could not write why it ends
    with open(_LOG, "wb", opener=private_opener) as file:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "flows.host", str(driver.pid)], stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        connection = _connect(address)
        if connection is not None:
            return connection
        time.sleep(0.05)
    check_space(Path(), CACHE)  # as in `run_in_host`
    raise UserError(_LOG.read_text().strip().removeprefix("error: ") or f"no host started; see {_LOG}")


def _bind(listener: socket.socket, address: Path) -> None:
    """Listen at an address that only its owner may connect to, from its first moment on."""
    before = os.umask(0o177)
    try:
        listener.bind(str(address))
        address.chmod(0o600)  # a strict umask forbids its owner to connect
    finally:
        os.umask(before)


def _connect(address: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(address))
    except OSError:
        connection.close()
        return None
    return connection


def _address(driver: psutil.Process) -> Path:
    return CACHE / f"host-{driver.pid}{copy_suffix()}.sock"  # relative: the system's limit is about 100 characters


def _watch(driver: psutil.Process) -> None:
    while driver.is_running() and driver.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGTERM)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main(psutil.Process(int(sys.argv[1])))
