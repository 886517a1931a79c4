"""Prune: old runs are removed from MLflow's store."""

import argparse
import re
from collections.abc import Sequence
from datetime import timedelta

from tasks.runtime import environment
from tasks.runtime.checkout_lock import checkout_lock

DESCRIPTION = """\
Remove old runs of this experiment from MLflow's store, with their artifacts. Runs of registered versions stay whole, \
so the champion, its predecessors and challengers too. Of other validations the tags stay: they are the contamination \
ledger, by which later bounds hold."""
_DAYS = re.compile(r"(\d{1,5})d")


def days(text: str) -> timedelta:
    """A number of days, as in 90d."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"is {text!r}; write a number of days, as in 90d")
    return timedelta(days=int(found[1]))


def parser() -> argparse.ArgumentParser:
    """python -m flows prune --keep DAYS."""
    arguments = argparse.ArgumentParser(prog="python -m flows prune", description=DESCRIPTION)
    arguments.add_argument("--keep", required=True, type=days, metavar="DAYS", help="keep newer runs, as in 90d")
    arguments.add_argument("--params", default="params.yaml", metavar="FILE", help="the parameters")
    return arguments


def main(arguments: Sequence[str]) -> int:
    """Parse the arguments, and remove; returns the exit code. Raises UserError."""
    options = parser().parse_args(arguments)
    environment.enter()
    from tasks.params import load
    from tasks.track.prune import prune

    settings = load(options.params)
    with checkout_lock():
        for line in prune(settings, options.keep):
            print(line, flush=True)
    return 0
