"""Serve: a Prefect server, MLflow's pages and the deployments of prefect.yaml, until Ctrl-C."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import psutil

from flows.ui import add_login
from tasks.runtime import listening, pages_address, server
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND, INSTALLED
from tasks.runtime.private_files import write_private

PORT = 4200
DESCRIPTION = """\
Start Prefect's server, MLflow's pages and the deployments of prefect.yaml, and
stop them at Ctrl-C or SIGTERM, within 15 seconds. The schedules are off until
you resume them in Prefect's pages, and stay as you left them. The pages ask for
the login in .cache/login; MLflow's before they change a name, a note or a tag,
with --login always."""
_DEPLOYMENTS = "the process of the deployments"
_START_SECONDS = 300
_RUNS_SECONDS, _STOP_SECONDS = 6, 12  # for the end of the runs, and for all processes; then they are killed
SETTINGS = {
    "PREFECT_SERVER_UI_API_URL": "/api",  # the pages' own address, also in a tunnel
    # A run that waits for its turn is usual here. Prefect would mark it late by a transaction that reads before it
    # writes, which SQLite refuses ("database is locked") when another transaction wrote in between.
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    # once an hour, by Prefect: runs that ended 90 days ago, with logs and artifacts, and events of more than a week ago
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
}
_PROFILE = Path(".prefect/profiles.toml")  # named in prefect.toml: `prefect` reads it in this folder
_COMMAND = COMMAND if INSTALLED else f".venv/bin/{COMMAND}"
READY = """
Prefect's pages   {pages}
MLflow's pages    {runs}
Prefect's API, where no address is known by itself:
PREFECT_API_URL={pages}/api

deployment                      schedule
{deployments}

A schedule is switched on and off in Prefect's pages, and stays so. They ask for a password: the line in
{login}, which only you can read. To run a deployment at once, in another terminal in this folder; address
and login are known there:

  {command} trigger nightly-validation

Ctrl-C stops all"""


def ready(port: int, runs: str, deployments: Mapping[str, str]) -> str:
    """What is printed when all is there: `runs` is the address of MLflow's pages, `deployments` have on or off."""
    pages = server.address(port).removesuffix("/api")
    listed = "\n".join(f"{name:32}{state}" for name, state in deployments.items())
    return READY.format(pages=pages, runs=runs, deployments=listed, login=server.LOGIN, command=_COMMAND)


@dataclass(frozen=True)
class Child:
    """A process of ours."""

    name: str
    process: subprocess.Popen[bytes]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """At which ports the servers listen, and what they ask for."""
    parser.add_argument("--port", type=int, default=PORT, metavar="PORT", help=f"of Prefect (default: {PORT})")
    parser.add_argument(
        "--runs-port",
        type=int,
        default=pages_address.PORT,
        metavar="PORT",
        help=f"of MLflow's pages (default: {pages_address.PORT})",
    )
    add_login(parser)


def main(options: argparse.Namespace) -> int:
    """Start all, wait, stop all; returns the exit code."""
    from tasks.params import load  # which --help does not need

    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first
        signal.signal(number, _interrupt)
    children: list[Child] = []
    try:
        load()  # each run would end with what is wrong
        _start_all(children, options)
        while all(child.process.poll() is None for child in children):
            time.sleep(0.5)
        ended = next(child.name for child in children if child.process.poll() is not None)
        raise UserError(f"{ended} ended by itself; see its output above")
    except UserError as error:
        print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopping", flush=True)
        return 0
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would leave processes behind
        _stop_all(children)
        if children:
            _PROFILE.unlink(missing_ok=True)


def _start_all(children: list[Child], options: argparse.Namespace) -> None:
    """Add the servers and the process of the deployments to `children`, each as soon as it is started."""
    port, url = options.port, server.address(options.port)
    listening.at(port).close()  # before anything is started
    print("starting Prefect's server and MLflow's pages", flush=True)
    server.use(port)
    prefect = Child("Prefect's server", server.start(port, SETTINGS))
    children.append(prefect)
    shown = ("--port", str(options.runs_port), "--parent", str(os.getpid()), *(["--login"] if options.login else []))
    runs = Child("the process of MLflow's pages", _python("flows.ui", *shown))
    children.append(runs)
    _wait_for(prefect, lambda: server.healthy(url))
    pages = f"http://{listening.LOOPBACK}:{options.runs_port}"
    _wait_for(runs, lambda: runs.process.poll() == 0 or server.answers(pages))
    if runs.process.poll() == 0:  # another server has the pages
        children.remove(runs)
    lines = ['active = "heldout"', "[profiles.heldout]", f'PREFECT_API_URL = "{url}"']
    lines += [f'PREFECT_API_AUTH_STRING = "{server.login()}"', ""]
    write_private(_PROFILE, "\n".join(lines).encode())
    given = (str(os.getpid()), str(port), str(options.runs_port))
    children.append(Child(_DEPLOYMENTS, _python("flows.deployments", *given)))


def _python(module: str, *given: str) -> subprocess.Popen[bytes]:
    """A module as a process that ends with this one; in another session Ctrl-C does not reach it before us."""
    command = [sys.executable, "-m", module, *given]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603


def _wait_for(child: Child, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not ready():
        if child.process.poll() is not None or time.monotonic() > deadline:
            raise UserError(f"{child.name} did not start; see its output above")
        time.sleep(0.2)


def _stop_all(children: Sequence[Child]) -> None:
    """End the process of the deployments, which tells the server how its runs ended, then all others at once."""
    descendants = [
        one
        for child in children
        if child.process.poll() is None
        for one in psutil.Process(child.process.pid).children(recursive=True)
    ]
    deadline = time.monotonic() + _STOP_SECONDS
    for child in children:
        if child.name == _DEPLOYMENTS:
            _stop(child, time.monotonic() + _RUNS_SECONDS)
    for child in children:
        child.process.terminate()
    for child in children:
        _stop(child, deadline)
    _, left = psutil.wait_procs(descendants, timeout=1)
    for descendant in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            descendant.kill()
    psutil.wait_procs(left, timeout=1)


def _stop(child: Child, deadline: float) -> None:
    """End a process by SIGTERM or, after the deadline, by SIGKILL."""
    child.process.terminate()  # which does nothing to one that has ended
    try:
        child.process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        child.process.kill()
        child.process.wait()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    from flows.__main__ import main as command

    sys.exit(command(["serve", *sys.argv[1:]]))
