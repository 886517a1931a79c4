"""One process in which flows run, so that slow starts are paid for once.

`python -m flows validate` is one process anyway. `dvc repro` starts a process for each stage; there
the first stage starts a host (this module as a program), and every stage asks it to run its flow
(see docs/decisions). The host ends with the `dvc` process that it serves.
"""

import importlib
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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import psutil

from tasks import environment
from tasks.environment import CACHE
from tasks.errors import UserError
from tasks.server import Server

log = logging.getLogger("heldout")

USER_ERROR, CRASH, INTERRUPTED = 2, 1, 130
_PATIENCE_SECONDS = 30.0


class Session:
    """Server, workers and imports of one process; `run` may be called for one flow after the other."""

    def __init__(self) -> None:
        self._server = Server()
        self._opened = False

    def open(self, settings: Any) -> None:
        """Start the server and the workers, and import the flows meanwhile."""
        if self._opened:
            return
        from tasks.execution import warm_up  # Prefect reads the server's address when it is imported

        warm_up(settings)
        importlib.import_module("flows.validate")
        self._server.wait()
        self._opened = True

    def start_server(self) -> None:
        """Begin with what takes longest; `open` waits for it."""
        self._server.start()

    def run(self, name: str, params: str, overrides: Sequence[str]) -> int:
        """Run one flow; returns the exit code, after telling what went wrong."""
        flow = getattr(importlib.import_module(f"flows.{name}"), name)
        try:
            flow(params, tuple(overrides))
        except UserError as error:
            return tell(error)
        return 0

    def close(self) -> None:
        """Send what Prefect still has to say, and stop the server; the workers end with the process."""
        if self._opened:
            from prefect.logging.handlers import APILogWorker

            APILogWorker.drain_all(timeout=5)
        self._server.stop()


def tell(error: UserError) -> int:
    """Say what a user has to mend."""
    sys.stdout.flush()
    print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr, flush=True)
    return USER_ERROR


def log_to_terminal() -> None:
    """Our own lines to standard output; Prefect's go to its server, where its pages show them."""
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def run_here(name: str, params: str, overrides: Sequence[str]) -> int:
    """Run one flow in this process."""
    log_to_terminal()
    session = Session()
    session.start_server()
    try:
        from tasks.params import load

        session.open(load(params, overrides))
        return session.run(name, params, overrides)
    except UserError as error:
        return tell(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        session.close()


def ask_host(name: str, params: str, overrides: Sequence[str]) -> int:
    """Have the host of the enclosing `dvc` process run one flow, on our standard output and error."""
    driver = _driver()
    address = _address(driver.pid)
    connection = _connect(address)
    if connection is None:
        connection = _start_host(driver, address)
    request = json.dumps({"name": name, "params": params, "overrides": list(overrides)}).encode()
    with connection:
        socket.send_fds(connection, [request], [1, 2])
        try:
            answer = connection.recv(16)
        except KeyboardInterrupt:
            return INTERRUPTED
    if not answer:
        print(f"error: the process that runs the flows died; its last words are in {_log_file()}", file=sys.stderr)
        return CRASH
    return int(answer)


def host(driver: psutil.Process) -> None:
    """Serve the stages of `driver` until it ends."""
    environment.enter()
    log_to_terminal()
    address = _address(driver.pid)
    address.unlink(missing_ok=True)
    signal.signal(signal.SIGTERM, _leave)
    session = Session()
    session.start_server()
    with socket.socket(socket.AF_UNIX) as listener, ExitStack() as whole_run:
        listener.bind(str(address))
        listener.listen()
        threading.Thread(target=_watch, args=(driver,), daemon=True).start()
        try:
            while True:
                connection, _ = listener.accept()
                with connection:
                    message, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 2)
                    code = _serve(session, whole_run, descriptors, **json.loads(message))
                    connection.sendall(str(code).encode())
        finally:
            address.unlink(missing_ok=True)
            session.close()


def _serve(
    session: Session, whole_run: ExitStack, descriptors: list[int], name: str, params: str, overrides: list[str]
) -> int:
    """One stage: its words to the stage's own output; the run's, the server's and workers' to the log."""
    from tasks import tracking
    from tasks.params import load

    first = not session._opened
    try:
        with _speaking_to(descriptors):
            settings = load(params, overrides)
            if first:
                log.info("starting the server and %d workers", settings.execution.workers)
        session.open(settings)
        with _speaking_to(descriptors):
            if first:
                whole_run.enter_context(tracking.run(settings))
            code = session.run(name, params, overrides)
            if code:
                tracking.end_run("FAILED", f"{name} refused its input")
            elif name == "report":
                whole_run.close()
            return code
    except UserError as error:
        with _speaking_to(descriptors):
            return tell(error)
    except Exception:
        with _speaking_to(descriptors):
            log.exception("%s crashed", name)
        tracking.end_run("FAILED", f"{name} crashed")
        return CRASH
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


@contextmanager
def _speaking_to(descriptors: Sequence[int]) -> Iterator[None]:
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


def _start_host(driver: psutil.Process, address: Path) -> socket.socket:
    CACHE.mkdir(exist_ok=True)
    with _log_file().open("ab") as file:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "flows.session", str(driver.pid)], stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        connection = _connect(address)
        if connection is not None:
            return connection
        time.sleep(0.05)
    raise UserError(f"the process that runs the flows did not start; its last words are in {_log_file()}")


def _connect(address: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(address))
    except OSError:
        connection.close()
        return None
    return connection


def _address(driver: int) -> Path:
    return CACHE / f"session-{driver}.sock"  # relative: the system's limit is about 100 characters


def _log_file() -> Path:
    return CACHE / "session.log"


def _watch(driver: psutil.Process) -> None:
    while driver.is_running() and driver.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGTERM)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    host(psutil.Process(int(sys.argv[1])))
