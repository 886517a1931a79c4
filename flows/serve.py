"""`make serve`: a Prefect server and the deployments of prefect.yaml, until Ctrl-C."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

import psutil

from tasks.runtime import environment, server
from tasks.runtime.errors import UserError
from tasks.runtime.secret import write_private

PORT = 4200
URL = server.address(PORT)
_START_SECONDS, _STOP_SECONDS = 120, 20
Children = dict[subprocess.Popen[bytes], signal.Signals]  # each with the signal that stops it
_SETTINGS = {
    "PREFECT_SERVER_UI_API_URL": "/api",  # the pages' own address, also in a tunnel
    # A run that waits for its turn is usual here. Prefect would mark it late by a transaction that reads before it
    # writes, which SQLite refuses ("database is locked") when another transaction wrote in between.
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
}
_PROFILE = Path(".prefect/profiles.toml")  # named in pyproject.toml: `prefect` reads it in this folder
READY = f"""pages: {URL.removesuffix("/api")}
they ask for a password: the line PREFECT_API_AUTH_STRING in {_PROFILE}, which only you can read
in another terminal, in this folder, to run at once:

PREFECT_API_URL={URL}

  prefect deployment run 'validate/nightly-validation'

Ctrl-C stops all"""


def main() -> int:
    """Start all, wait, stop all; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first
        signal.signal(number, _interrupt)
    children: Children = {}
    try:
        environment.enter()
        _start_all(children)
        while all(child.poll() is None for child in children):
            time.sleep(0.5)
        raise UserError("the Prefect server or the process of the deployments ended by itself; see its output above")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopping", flush=True)
        return 0
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would leave processes behind
        for child, number in reversed(children.items()):
            _stop(child, number)
        if children:
            _PROFILE.unlink(missing_ok=True)


def _start_all(children: Children) -> None:
    """Add the server and the process of the deployments to `children`, each as soon as it is started."""
    if server.healthy(URL):
        raise UserError(f"a Prefect server answers at {URL} already; stop it first")
    print("starting the Prefect server", flush=True)
    server.use(PORT)
    prefect = server.start(PORT, _SETTINGS)
    children[prefect] = signal.SIGTERM
    _wait_for(prefect)
    lines = ['active = "heldout"', "[profiles.heldout]", f'PREFECT_API_URL = "{URL}"']
    lines += [f'PREFECT_API_AUTH_STRING = "{server.login()}"', ""]
    write_private(_PROFILE, "\n".join(lines).encode())
    # in another session Ctrl-C does not reach it: it stops before its server does
    command = [sys.executable, "-m", "flows.deployments"]
    children[subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)] = signal.SIGINT  # noqa: S603


def _wait_for(child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not server.healthy(URL):
        if child.poll() is not None or time.monotonic() > deadline:
            raise UserError("the Prefect server did not start; see its output above")
        time.sleep(0.2)


def _stop(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """End a process and all its descendants: by the signal that it waits for first, then by SIGKILL."""
    if child.poll() is not None:
        return
    descendants = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(number)
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
