"""`make ui`: the MLflow pages of the store that params.yaml names; `make serve` shows them too."""

import socket
import sys

import uvicorn

from tasks.params import Settings, load
from tasks.runtime import environment
from tasks.runtime.errors import UserError, without_login
from tasks.runtime.parent_watch import end_with
from tasks.track import pages

HOST, PORT = "127.0.0.1", 5000


def main(parent: int | None = None) -> int:
    """Show the pages until Ctrl-C, or until the process `parent` is gone; returns the exit code."""
    if parent is not None:
        end_with(parent)
    try:
        environment.enter()
        settings = load()
        if settings.tracking.store.startswith("http"):
            print(f"a server keeps the runs; open {address(settings)}")
            return 0
        with socket.socket() as probe:
            if probe.connect_ex((HOST, PORT)) == 0:
                raise UserError(f"port {PORT} is in use, perhaps by another `make ui` or `make serve`; stop it first")
        application = pages.application(settings)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"the runs: {address(settings)}", flush=True)
    uvicorn.run(application, host=HOST, port=PORT, log_level="warning", timeout_graceful_shutdown=3)
    return 0


def address(settings: Settings) -> str:
    """Where the pages are: ours, or those of the server that keeps the runs, without the login in its address."""
    if not settings.tracking.store.startswith("http"):
        return f"http://{HOST}:{PORT}"
    return without_login(settings.tracking.store).partition("?")[0]


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
