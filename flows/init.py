"""Init: look at a table, and write the params.yaml that fits it."""

import argparse
from pathlib import Path

from flows.arguments import minutes
from heldout.printable import printable
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.own_code import COMMAND

DESCRIPTION = """\
Look at a table, report what is in it, and write params.yaml for it: what to
predict, which columns to leave out and why, how to split, and candidates that
fit. The table is copied below data/raw and given to DVC. A params.yaml that was
edited and is not in git is kept as params.yaml.old. An error changes nothing.
Then run `dvc repro`."""


def add_arguments(arguments: argparse.ArgumentParser) -> None:
    """PATH --target COLUMN, and how text is written."""
    arguments.set_defaults(here=Path.cwd())
    arguments.add_argument(
        "path",
        metavar="PATH",
        help="a .csv, .tsv, .json, .jsonl, .parquet, .feather or .xlsx file (text also .gz or .zip), also at s3:// or "
        "gs://; a folder of Parquet files; sklearn:NAME or openml:NAME",
    )
    arguments.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    arguments.add_argument("--unlabeled", metavar="PATH", help="a file, a folder or a glob of rows without a label")
    arguments.add_argument(
        "--sep", metavar="SIGN", help="what separates columns: , or ; or tab or |; left out, it is found"
    )
    arguments.add_argument("--decimal", metavar="SIGN", help="the decimal mark: . or , ; left out, it is found")
    arguments.add_argument(
        "--dayfirst", action=argparse.BooleanOptionalAction, help="whether 01/02/2011 is the first of February"
    )
    arguments.add_argument(
        "--budget",
        type=minutes,
        metavar="MINUTES",
        help="rows, fits and candidates that a run makes in so many minutes (default: execution.budget, or 5)",
    )


def main(options: argparse.Namespace) -> int:
    """Write params.yaml in the checkout around the current folder. Raises UserError."""
    from tasks.data.text_form import TextForm
    from tasks.init import start  # pandas takes a second to import, and --help does not need it

    text = TextForm.given(options.sep, options.decimal, options.dayfirst)
    with checkout_lock(f"{COMMAND} init"):
        for line in start.initialize(
            options.path, options.target, options.unlabeled, options.here, text, options.budget
        ):
            print(printable(line))
    return 0
