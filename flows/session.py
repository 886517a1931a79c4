"""One process in which flows run: server and workers start once, imports happen once."""

import importlib
import logging
import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError
from tasks.runtime.server import Server

if TYPE_CHECKING:
    from tasks.params import Settings

log = logging.getLogger("heldout")

_WITHOUT_FITS = ("prepare", "report")
CRASH, USER_ERROR, INTERRUPTED = 1, 2, 130


class Session:
    """Server, workers and imports of one process; `run` may be called for several flows in turn."""

    def __init__(self) -> None:
        self._server = Server()
        self._settings: Settings | None = None

    def open(self, settings: "Settings", *, fits: bool = True, tracked: bool = False) -> None:
        """Start the workers if there is something to fit, import the flows meanwhile, and wait for the server.

        A `tracked` run reaches its store meanwhile. Raises UserError if the store or the server does not answer.
        """
        if self._settings is not None:
            return
        from tasks.fits.run_schemes import warm_up  # Prefect reads the server's address when it is imported

        if fits:
            warm_up(settings)
        importlib.import_module("flows.validate")
        if tracked:
            from tasks.track import store

            store.experiment_id(store.connect(settings), settings)  # a new store takes seconds
        self._server.wait()
        from tasks.runtime import flow_runs

        flow_runs.mark_dead()
        self._settings = settings

    def start_server(self) -> None:
        """Start the slowest part without waiting; `open` waits for it."""
        self._server.start()

    def run(self, name: str, params: str, overrides: Sequence[str], **more: bool) -> int:
        """Run one flow, with `more` of its own arguments; an error of the user is reported. Returns the exit code."""
        from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

        flow = getattr(importlib.import_module(f"flows.{name}"), name)
        if name == "cross_validation":  # it waits for the workers; `select` needs this import later
            threading.Thread(target=importlib.import_module, args=("skops.io",), daemon=True).start()
        try:
            # each flow would wait up to a second for the end of its heartbeat, which nothing here uses
            with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
                flow(params, tuple(overrides), **more)
        except UserError as error:
            return report_error(error)
        return 0

    def close(self) -> None:
        """Send Prefect's last log lines and events, and stop the workers and the server."""
        if self._settings is not None:
            from prefect.events.worker import EventsWorker
            from prefect.logging.handlers import APILogWorker

            from tasks.fits import executor

            executor.stop(self._settings.execution)
            APILogWorker.drain_all(timeout=5)
            EventsWorker.drain_all(timeout=5)
        self._server.stop()


def report_error(error: UserError) -> int:
    """Print each line of the error; returns the exit code."""
    sys.stdout.flush()
    print(f"error: {error}".replace("\n", "\nerror: "), file=sys.stderr, flush=True)
    return USER_ERROR


def log_to_terminal() -> None:
    """Log our lines to standard output; Prefect's lines go to its server, whose pages show them."""
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def run_here(name: str, params: str, overrides: Sequence[str], **more: bool) -> int:
    """Run one flow in this process, with `more` of its own arguments."""
    log_to_terminal()
    session = Session()
    try:
        with checkout_lock(f"python -m flows {name}"):
            session.start_server()
            from tasks.params import load

            session.open(load(params, overrides), fits=name not in _WITHOUT_FITS, tracked=name == "validate")
            return session.run(name, params, overrides, **more)
    except UserError as error:
        return report_error(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        session.close()
