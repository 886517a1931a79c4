"""Prune: old runs are removed from MLflow's store, Prefect's history and DVC's cache."""

import argparse
import re
from datetime import timedelta

from flows.arguments import add_params
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError

DESCRIPTION = """\
Remove old runs of this data source from MLflow's store, with their artifacts
and their versions, from Prefect's history, and from DVC's cache what no
commit and no file names. What is or was the champion stays whole, and what
has an alias. Of other validations numbers and tags stay: they are the
contamination ledger, by which later bounds hold. Each night of a deployment
does the same at its end, by tracking.keep."""
_DAYS = re.compile(r"(\d{1,5})d")


def days(text: str) -> timedelta:
    """A number of days, as in 90d."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"is {text!r}; write a number of days, as in 90d")
    return timedelta(days=int(found[1]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--keep DAYS."""
    kept = "keep newer runs, as in 90d (default: tracking.keep)"
    parser.add_argument("--keep", type=days, metavar="DAYS", help=kept)
    add_params(parser, overrides=False)


def main(options: argparse.Namespace) -> int:
    """Remove; returns the exit code. Raises UserError."""
    from tasks.params import load
    from tasks.runtime.server import Server

    # nobody is notified, so that the variable with the receiver's address need not be set here
    settings = load(options.params, ["operations.notify=null"])
    keep = settings.tracking.kept_for if options.keep is None else options.keep
    if keep is None:
        raise UserError("tracking.keep is null; write --keep 90d, or set it")
    with checkout_lock():
        server = Server()
        server.start()
        try:
            server.wait()
            from flows.retention import remove_old  # Prefect reads the server's address when it is imported

            for line in remove_old(settings, keep, compact=True):
                print(line, flush=True)
        finally:
            server.stop()
    return 0
