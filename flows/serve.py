"""`make serve`: a Prefect server, a worker, and the deployments of prefect.yaml, until Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from types import FrameType

import psutil

from tasks.runtime import environment
from tasks.runtime.errors import UserError
from tasks.runtime.server import healthy

HOST, PORT, POOL = "127.0.0.1", 4200, "heldout"
URL = f"http://{HOST}:{PORT}/api"
_START_SECONDS, _STOP_SECONDS = 120, 20


def main() -> int:
    """Start all, wait, stop all; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first
        signal.signal(number, _interrupt)
    children: list[subprocess.Popen[bytes]] = []
    try:
        environment.enter()
        _start_all(children)
        print(f"pages: http://{HOST}:{PORT}\nin another terminal, to run at once:\n")
        print(f"PREFECT_API_URL={URL}\n")
        print("  prefect deployment run 'validate/nightly-validation'\n\nCtrl-C stops all", flush=True)
        while all(child.poll() is None for child in children):
            time.sleep(0.5)
        raise UserError("the Prefect server or its worker ended by itself; see its output above")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopping", flush=True)
        return 0
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would leave processes behind
        for child in reversed(children):
            _stop(child)


def _start_all(children: list[subprocess.Popen[bytes]]) -> None:
    """Append the server and the worker to `children`, each as soon as it is started."""
    if healthy(URL):
        raise UserError(f"a Prefect server answers at {URL} already; stop it first")
    os.environ["PREFECT_API_URL"] = URL
    print("starting the Prefect server", flush=True)
    children.append(_start("server", "start", "--host", HOST, "--port", str(PORT)))
    _wait_for(children[0])
    _call("work-pool", "create", POOL, "--type", "process", "--overwrite")
    _call("--no-prompt", "deploy", "--all")
    children.append(_start("worker", "start", "--pool", POOL, "--type", "process"))


def _prefect(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "prefect", *arguments]


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    # in another session Ctrl-C does not reach it: the worker stops before its server does
    return subprocess.Popen(_prefect(*arguments), stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603


def _call(*arguments: str) -> None:
    ran = subprocess.run(  # noqa: S603
        _prefect(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise UserError(f"prefect {' '.join(arguments)} failed: {ran.stdout.strip()} {ran.stderr.strip()}")


def _wait_for(server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not healthy(URL):
        if server.poll() is not None or time.monotonic() > deadline:
            raise UserError("the Prefect server did not start; see its output above")
        time.sleep(0.2)


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End a process and all its descendants: by SIGINT first, then by SIGKILL."""
    if child.poll() is not None:
        return
    descendants = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(signal.SIGINT)
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    _, left = psutil.wait_procs(descendants, timeout=2)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=5)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
