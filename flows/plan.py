"""Plan: the fits, seconds and memory of a run, before it starts."""

import argparse
import sys
from pathlib import Path
from typing import Any

from flows.arguments import add_json, add_params, minutes, print_json
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.own_code import COMMAND

DESCRIPTION = """\
Count the fits of each candidate and scheme that are not stored yet, and measure
the seconds and the memory that they will take, by small fits. No fit is stored.
Rows are prepared first where data/prepared is missing or of other settings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parameters of the run."""
    add_params(parser)
    add_json(parser)
    parser.add_argument(
        "--budget",
        type=minutes,
        metavar="MINUTES",
        help="write the rows, folds, repeats and finalists of a run of at most so many minutes into params.yaml",
    )


def main(options: argparse.Namespace) -> int:
    """Print the fits of every candidate and scheme, and their expected seconds and memory. Raises UserError."""
    from tasks.fits import executor, forecast
    from tasks.init.shorten import shorten
    from tasks.params import load
    from tasks.plans.prepared_rows import make_sure

    settings = load(options.params, tuple(options.overrides))
    with checkout_lock(f"{COMMAND} plan"):
        try:
            numbers: dict[str, Any] = {}
            make_sure(settings)
            for part in forecast.parts(settings):
                numbers |= part.numbers
                if not options.json:
                    print(part.text)
            if options.budget is not None:
                wanted = forecast.within(settings, options.budget)
                lines = [] if wanted is None else [*shorten(Path(options.params), wanted)]
                for line in lines or [f"plan      within {options.budget:g} minutes: nothing to change"]:
                    print(line, file=sys.stderr if options.json else sys.stdout)
        finally:
            executor.stop()
    if options.json:
        print_json(numbers)
    return 0
