"""One process in which flows run: server and workers start once, imports happen once."""

import importlib
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from heldout.running.uncollected import uncollected
from tasks.runtime import open_servers, process_end
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import Incomplete, UserError
from tasks.runtime.own_code import COMMAND
from tasks.runtime.process_limits import check_limits
from tasks.runtime.server import Server

if TYPE_CHECKING:
    from tasks.params import Settings

log = logging.getLogger("heldout")

_LOST = (
    "the Prefect server does not answer any more, so the run cannot go on; start it again if it is yours "
    "(PREFECT_API_URL), then the run: finished fits are stored"
)
_WITHOUT_FITS = ("prepare", "report", "watch")
WHOLE = "validate"
CRASH, USER_ERROR, INCOMPLETE, INTERRUPTED = 1, 2, 3, 130


class Session:
    """Server, workers and imports of one process; `run` may be called for several flows in turn."""

    def __init__(self) -> None:
        self._server = Server()
        self._settings: Settings | None = None
        self.stuck = False  # whether Prefect's server did not take the last log lines and events

    def open(self, settings: "Settings", *, fits: bool = True, tracked: bool = False) -> None:
        """Import the flows, wait for the server, and start the workers if there is something to fit.

        A `tracked` run reaches its store meanwhile. Raises UserError if the store or the server does not answer.
        """
        if self._settings is not None:
            return
        importlib.import_module("flows.validate")  # Prefect reads the server's address when it is imported
        if tracked:
            from tasks.track import store

            store.connect(settings)  # a new store takes seconds
        self._server.wait()
        from tasks.fits.run_schemes import warm_up
        from tasks.runtime import flow_runs

        if fits:
            warm_up(settings)  # not before: where there are two cores, the server and this process need both

        flow_runs.mark_dead()
        self._settings = settings

    def start_server(self) -> None:
        """Start the slowest part without waiting; `open` waits for it."""
        self._server.start()

    def run(self, name: str, params: str, overrides: Sequence[str], **more: object) -> int:
        """Run one flow, with `more` of its own arguments; returns the exit code.

        Raises UserError, also if the flow ended because the Prefect server does not answer any more.
        """
        import httpx
        from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

        from tasks.params.hidden import hide

        flow = getattr(importlib.import_module(f"flows.{name}"), name)
        self._server.wait()
        try:
            # each flow would wait up to a second for the end of its heartbeat, which nothing here uses
            with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
                flow(params, tuple(map(hide, overrides)), **more)
        except Exception as error:
            if isinstance(error, httpx.TransportError) or "Failed to reach API" in str(error):
                raise UserError(_LOST) from None
            raise
        return 0

    def close(self) -> None:
        """Send Prefect's last log lines and events, and stop the workers and the server."""
        if self._settings is not None:
            from prefect.events.worker import EventsWorker
            from prefect.logging.handlers import APILogWorker

            from tasks.fits import executor

            executor.stop()
            for service in (APILogWorker, EventsWorker):
                self.stuck |= bool(service.drain_all(timeout=5)[1])  # type: ignore[index]  # no event loop runs here
        self._server.stop()

    def leave(self, code: int) -> NoReturn:
        """End the process with the exit code, at once if something is left for a server that is gone."""
        process_end.leave(code, at_once=self.stuck)  # Prefect would try to send it for minutes


def report_error(error: UserError) -> int:
    """Print each line of the error; returns the exit code, 3 if all results are there."""
    sys.stdout.flush()
    print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr, flush=True)
    return INCOMPLETE if isinstance(error, Incomplete) else USER_ERROR


def log_to_terminal() -> None:
    """Log our lines to standard output; Prefect's lines go to its server, whose pages show them."""
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    # of a server that is gone Prefect would print a line of thousands of letters for each event; we report it once
    os.environ.setdefault("PREFECT_LOGGING_INTERNAL_LEVEL", "CRITICAL")
    logging.raiseExceptions = False
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def run_here(name: str, params: str, overrides: Sequence[str], **more: object) -> NoReturn:
    """Run one flow in this process, with `more` of its own arguments, and end it."""
    log_to_terminal()
    session = Session()
    session.leave(_run(session, name, params, overrides, **more))


def _run(session: Session, name: str, params: str, overrides: Sequence[str], **more: object) -> int:
    try:
        with checkout_lock(f"{COMMAND} {name}"):
            with uncollected():
                _open(session, name, params, overrides)
            return session.run(name, params, overrides, **more)
    except UserError as error:
        return report_error(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        session.close()


def _open(session: Session, name: str, params: str, overrides: Sequence[str]) -> None:
    """Have the session ready for a flow. Raises UserError."""
    session.start_server()
    from tasks.params import load

    settings = load(params, overrides)
    check_limits(0 if name in _WITHOUT_FITS else settings.execution.workers)
    if name == WHOLE:
        open_servers.warn(settings.tracking.store)
    session.open(settings, fits=name not in _WITHOUT_FITS, tracked=name == WHOLE)
