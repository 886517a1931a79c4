"""New: a folder for a project of one's own, which the installed package runs."""

import argparse
from pathlib import Path

from heldout.printable import printable

DESCRIPTION = """\
Make FOLDER a git and DVC repository of your own, with the shipped example:
params.yaml, the stages, the deployments, and none of heldout's code. There
`heldout init` takes your table, and `dvc repro` and every command of `heldout`
run by the installed package. FOLDER must be new or empty."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FOLDER."""
    parser.add_argument("folder", metavar="FOLDER", help="a folder that is new or empty")


def main(options: argparse.Namespace) -> int:
    """Make the project, and print what comes next; returns the exit code. Raises UserError."""
    from tasks.init import project

    for line in project.make(Path(options.folder).expanduser().resolve()):
        print(printable(line))
    return 0
