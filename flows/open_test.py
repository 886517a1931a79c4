"""Open-test: the test set is opened for the winner of the last run."""

import argparse
import sys

from flows.arguments import add_params

DESCRIPTION = """\
Test the winner of the last run on the rows of the test set that no choice has
used, once: E_test of exactly the model that is delivered. Do it when you have
decided. Every change before costs nothing; a model that you choose afterwards
has no E_test until there are new rows. No fit is made. In a terminal it asks
first; elsewhere it does not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parameters of the last run."""
    add_params(parser)
    parser.add_argument("--verbose", action="store_true", help="print all that is known")


def main(options: argparse.Namespace) -> int:
    """Ask, open, report; returns the exit code. Raises UserError if there is no row to open."""
    from flows.session import run_here
    from tasks.outcome.sealed_rows import UNFINISHED, question
    from tasks.params import load
    from tasks.runtime import environment
    from tasks.storage import stage_settings

    if options.verbose:
        environment.print_all()

    settings = load(options.params, tuple(options.overrides))
    ended = stage_settings.place("select").exists()
    stage_settings.check("report" if ended else "select", settings)
    text = question() if ended else UNFINISHED
    if sys.stdin.isatty() and input(f"{text} Open it? [y/N] ").strip().lower() not in {"y", "yes"}:
        print("The test set stays sealed.")
        return 0
    if not ended:
        print(text)
    return run_here("final_test", options.params, options.overrides)
