"""Init: look at a table, and write the params.yaml that fits it."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tasks.runtime import environment
from tasks.runtime.checkout_lock import checkout_lock

DESCRIPTION = """\
Look at a table, say what is in it, and write params.yaml for it: what to predict, which columns to leave out and why, \
how to split, and candidates that fit. The table is copied below data/raw and given to DVC; the params.yaml before it \
is kept as params.yaml.old. Nothing is changed if anything is wrong. Then run `dvc repro`."""


def parser() -> argparse.ArgumentParser:
    """python -m flows init PATH --target COLUMN."""
    made = argparse.ArgumentParser(prog="python -m flows init", description=DESCRIPTION)
    made.add_argument(
        "path",
        metavar="PATH",
        help="a CSV (or .csv.gz), a Parquet file or a folder of them, sklearn:NAME or openml:NAME",
    )
    made.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    made.add_argument("--unlabeled", metavar="PATH", help="a file, a folder or a glob of rows without a label")
    return made


def main(arguments: Sequence[str]) -> int:
    """Parse, look and write, in the checkout around the current folder. Raises UserError."""
    given = parser().parse_args(arguments)
    here = Path.cwd()
    environment.enter()
    from tasks.init import init  # pandas takes a second, which --help need not

    with checkout_lock():
        for line in init.start(given.path, given.target, given.unlabeled, here):
            print(line)
    return 0
