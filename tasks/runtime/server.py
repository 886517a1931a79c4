"""Prefect servers of this checkout, which answer only those who know its secret: docs/decisions/0023."""

import atexit
import base64
import http.client
import logging
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, without_login
from tasks.runtime.listening import LOOPBACK
from tasks.runtime.private_files import write_private
from tasks.runtime.secret import checkout_secret

log = logging.getLogger("heldout")

LOGIN = CACHE / "login"
_PATIENCE_SECONDS, _REFUSED_SECONDS = 120, 10
_MOST_RESTARTS = 3
_API_URL, _SECRET = "PREFECT_API_URL", "PREFECT_API_AUTH_STRING"
# Task runs are written together, at the latest after a second, not one at a time: a fifth of the server's work
RECORDER = {
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
}
# like Prefect's own temporary servers: no pages, and only the services that record runs
_TEMPORARY = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1"}


class Server:
    """The server named by PREFECT_API_URL, or a temporary server on loopback that stops with this process.

    Prefect could start a temporary server itself, but would import the whole server into the flow's process,
    which takes as long as the start of the server. `start` returns at once, so that other slow starts run
    meanwhile; call `wait` before each flow.

    A temporary server that dies after its start is started again at the same port, with the same database. Prefect's
    clients try again for a minute, so that the run goes on.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""
        self._port = 0
        self._keeper: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start without waiting. Call before Prefect is imported: Prefect reads the address at its import."""
        if _API_URL in os.environ:  # its owner may start it again within half a minute, but nobody has to
            os.environ.setdefault("PREFECT_CLIENT_MAX_RETRIES", "4")
            return
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            self._port = probe.getsockname()[1]
        self._url = address(self._port)
        self._process = self._started()
        atexit.register(self.stop)
        use(self._port)

    def wait(self) -> None:
        """Return when the server answers. Raises UserError if it does not, or asks for another password."""
        if self._process is None:
            if url := os.environ.get(_API_URL):
                _check_answer(url)
                _check_login(url)
            return
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not healthy(self._url):
            dead = self._process.poll() is not None and (self._keeper is None or not self._keeper.is_alive())
            if dead or time.monotonic() > deadline:
                self.stop()
                raise UserError(f"the Prefect server did not start; its output is in {_log_file()}")
            time.sleep(0.03)
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, args=(self._process,), daemon=True)
            self._keeper.start()

    def _started(self) -> subprocess.Popen[bytes]:
        CACHE.mkdir(exist_ok=True)
        with _log_file().open("ab") as output:
            return start(self._port, _TEMPORARY, output)

    def _keep(self, process: subprocess.Popen[bytes]) -> None:
        """Start the server again when it dies, a few times."""
        for _ in range(_MOST_RESTARTS):
            while process.poll() is None:
                if self._stopping.wait(0.3):
                    return
            if self._stopping.is_set():
                return
            log.warning("the Prefect server died; it is started again")
            process = self._process = self._started()

    def stop(self) -> None:
        """Stop the temporary server; a server of the user keeps running."""
        self._stopping.set()
        if self._keeper is not None:
            self._keeper.join()
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None
        for name in (_API_URL, _SECRET):
            os.environ.pop(name, None)


def address(port: int) -> str:
    """The API address of our server at a port."""
    return f"http://{LOOPBACK}:{port}/api"


def login() -> str:
    """What our servers ask for: a user's name and the secret of this checkout."""
    return f"heldout:{checkout_secret('prefect server')}"


def write_login() -> Path:
    """Write the login for people, in a file that only its owner can read; its path."""
    write_private(LOGIN, f"{login()}\n".encode())
    return LOGIN


def use(port: int) -> None:
    """Have Prefect, in this process and those that it starts, use our server at a port. Call before its import."""
    os.environ[_API_URL] = address(port)
    os.environ[_SECRET] = login()


def start(port: int, settings: Mapping[str, str], output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    """Start our server at a port; its secret is in an environment that others cannot read."""
    guarded = {
        "PREFECT__SERVER_FINAL": "1",
        "PREFECT_SERVER_API_AUTH_STRING": login(),
        "PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED": "true",
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": f"http://{LOOPBACK}:{port}",
    }
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", str(Path(__file__).with_name("server_process.py")), str(port), str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env={**RECORDER, **os.environ, **guarded, **settings},
    )


def healthy(url: str) -> bool:
    """Whether a Prefect server answers at the API address `url`."""
    return _status(f"{url}/health", seconds=2) == 200


def answers(url: str) -> bool:
    """Whether anything answers at the address `url`, also if it asks for a login or has another certificate."""
    return _status(f"{url}/health", seconds=5) != 0


def _status(address: str, seconds: float, headers: Mapping[str, str] | None = None) -> int:
    """The status of the answer to a GET: 0 if nothing answers, and -1 if its certificate is not known here."""
    try:
        asked = urllib.request.Request(address, headers=headers or {})  # noqa: S310
        with urllib.request.urlopen(asked, timeout=seconds) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        return answer.code
    except (OSError, ValueError, http.client.HTTPException) as error:
        return -1 if isinstance(getattr(error, "reason", None), ssl.SSLError) else 0


def _check_answer(url: str) -> None:
    """Raise UserError if no server answers at the address that the user named."""
    deadline = time.monotonic() + _REFUSED_SECONDS
    while not answers(url):
        if time.monotonic() > deadline:
            raise UserError(
                f"{_API_URL} is {without_login(url)}, where no Prefect server answers; start the server, or unset the "
                "variable"
            )
        time.sleep(0.5)


def _check_login(url: str) -> None:
    """Raise UserError if the user's server refuses the login that Prefect will send it."""
    login = os.environ.get(_SECRET)
    known = {} if login is None else {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
    refused = _status(f"{url}/admin/version", 20, known) in (401, 403)
    if refused and "PREFECT_API_KEY" not in os.environ:
        raise UserError(
            f"the Prefect server at {_API_URL} asks for {'a' if login is None else 'another'} password; set {_SECRET} "
            "to what the server has as PREFECT_SERVER_API_AUTH_STRING"
        )


def _log_file() -> Path:
    return CACHE / "prefect-server.log"
