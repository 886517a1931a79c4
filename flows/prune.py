"""Prune: old models that nobody uses are marked as deleted in MLflow's store, for `mlflow gc`."""

import argparse
import re
from datetime import timedelta

from flows.arguments import add_params
from tasks.runtime.checkout_lock import checkout_lock

DESCRIPTION = """\
Mark in MLflow's store the models of this data source that nobody uses: those of
runs that ended longer ago, whose winner was not promoted. What is or was the
champion, and what has an alias, stays; so do all runs with their numbers, tags
and reports: they are the ledgers. `mlflow gc` then removes the files of what is
marked, and `dvc gc` those of no commit: docs/operations.md, section Old runs."""
_DAYS = re.compile(r"(\d{1,5})d")


def days(text: str) -> timedelta:
    """A number of days, as in 90d."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"is {text!r}; write a number of days, as in 90d")
    return timedelta(days=int(found[1]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--keep DAYS."""
    parser.add_argument("--keep", type=days, metavar="DAYS", required=True, help="keep newer models, as in 90d")
    add_params(parser, overrides=False)


def main(options: argparse.Namespace) -> int:
    """Mark; returns the exit code. Raises UserError if the store does not answer."""
    from tasks.params import load
    from tasks.track.old_models import mark_deleted

    with checkout_lock():
        models, versions = mark_deleted(load(options.params), options.keep)
    print(f"marked as deleted: {models} models, and their {versions} versions; `mlflow gc` removes the files")
    return 0
