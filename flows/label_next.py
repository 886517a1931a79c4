"""Label-next: the unlabelled rows most worth a label, as a file for whoever labels them."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from flows.arguments import add_params
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.own_code import COMMAND

DEFAULT = "reports/label_next.csv"
DESCRIPTION = """\
Draw the N unlabelled rows most worth a label: where the winner's half models
disagree, each with a known probability.

The file has a line for each row: its label_id (the name of its file and its
row, counted from 0), what the estimates need (label_order, label_pool,
label_probability), the target, which is empty, and the features. Fill in the
target, add the rows to the table of data.source with all four label_ columns,
which stay empty in the other rows, and write

  data: {sampling: active, label_probability: label_probability}

The next validation weighs by the probabilities, and the next label-next goes on
with other rows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """N, and where the file is written."""
    parser.add_argument("count", type=int, metavar="N", help="the number of rows")
    parser.add_argument("--output", metavar="FILE", default=DEFAULT, help=f"a .csv below the checkout ({DEFAULT})")
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Draw the rows, write the file; returns the exit code. Raises UserError."""
    return _label_next(options.count, options.output, options.params, options.overrides)


def _label_next(count: int, output: str, params: str, overrides: Sequence[str]) -> int:
    from tasks.fits import executor
    from tasks.outcome.label_next import ask
    from tasks.params import load
    from tasks.storage import files, label_file
    from tasks.storage.output_path import below_checkout

    path = below_checkout("--output", output, ".csv")
    settings = load(params, tuple(overrides))
    with checkout_lock():
        try:
            asked = ask(settings, count)
        finally:
            executor.stop()
        label_file.write(path, asked.table, settings.data.target or files.TARGET)
    print(f"drawn     {count} of {asked.pool - asked.before} unlabelled rows, by how far {asked.candidate} disagrees")
    print(f"before    {asked.before} rows of earlier draws have a label")
    print(f"wrote     {path.relative_to(Path.cwd().resolve())}; `{COMMAND} label-next --help` says what comes next")
    return 0
