"""Prune: old runs are removed from MLflow's store."""

import argparse
import re
from datetime import timedelta

from flows.arguments import add_params
from tasks.runtime.checkout_lock import checkout_lock

DESCRIPTION = """\
Remove old runs of this data source from MLflow's store, with their artifacts.
Runs of registered versions stay whole, so the champion, its predecessors and
challengers too. Of other validations the tags stay: they are the contamination
ledger, by which later bounds hold."""
_DAYS = re.compile(r"(\d{1,5})d")


def days(text: str) -> timedelta:
    """A number of days, as in 90d."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"is {text!r}; write a number of days, as in 90d")
    return timedelta(days=int(found[1]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--keep DAYS."""
    parser.add_argument("--keep", required=True, type=days, metavar="DAYS", help="keep newer runs, as in 90d")
    add_params(parser, overrides=False)


def main(options: argparse.Namespace) -> int:
    """Remove; returns the exit code. Raises UserError."""
    from tasks.params import load
    from tasks.track.old_runs import prune

    settings = load(options.params)
    with checkout_lock():
        for line in prune(settings, options.keep):
            print(line, flush=True)
    return 0
