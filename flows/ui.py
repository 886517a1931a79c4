"""Ui: the MLflow pages of the store that params.yaml names; `make serve` shows them too."""

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING

from flows.arguments import add_params
from tasks.runtime import listening, pages_address
from tasks.runtime.errors import without_login
from tasks.runtime.listening import LOOPBACK
from tasks.runtime.pages_address import PORT
from tasks.runtime.server import write_login

if TYPE_CHECKING:
    from tasks.params import Settings

DESCRIPTION = """\
Show the runs in MLflow's pages, until Ctrl-C. Names, notes and tags can be
changed there by who has the login in .cache/login; nothing else can. On a
machine with other users, those can see the runs meanwhile, unless --login
asks them for the login as well."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the pages are shown, and to whom."""
    parser.add_argument("--port", type=int, default=PORT, metavar="PORT", help=f"the port (default: {PORT})")
    add_login(parser)
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)  # the process with which this one ends
    add_params(parser)


def add_login(parser: argparse.ArgumentParser) -> None:
    """--login, of all that shows the pages."""
    parser.add_argument("--login", action="store_true", help="MLflow's pages ask for the login to read, too")


def main(options: argparse.Namespace) -> int:
    """Show the pages until Ctrl-C, or until the process `parent` is gone; returns the exit code. Raises UserError."""
    from heldout.running.parent_watch import end_with
    from tasks.params import load

    if options.parent is not None:
        end_with(options.parent)
    settings = load(options.params, options.overrides)
    if settings.tracking.store.startswith("http"):
        print(f"a server keeps the runs; open {address(settings)}")
        return 0
    listener = listening.at(options.port)
    import uvicorn

    from tasks.track import pages

    application = pages.application(settings, reads_need_login=options.login)
    shown = address(settings, options.port)
    pages_address.note(shown)
    print(f"the runs: {shown}/{pages.list_of_runs(settings)}")
    asked = "they ask" if options.login else "to change names, notes and tags, they ask"
    print(f"{asked} for the name and the password in {write_login()}, which only you can read", flush=True)
    server = uvicorn.Server(uvicorn.Config(application, log_level="warning", timeout_graceful_shutdown=3))
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])
    return 0


def address(settings: "Settings", port: int = PORT) -> str:
    """Where the pages are: ours, or those of the server that keeps the runs, without the login in its address."""
    if not settings.tracking.store.startswith("http"):
        return f"http://{LOOPBACK}:{port}"
    return without_login(settings.tracking.store).partition("?")[0]


if __name__ == "__main__":
    from flows.__main__ import main as command

    sys.exit(command(["ui", *sys.argv[1:]]))
