"""Migrate: a project goes on with the version of heldout that is installed now."""

import argparse

from heldout.printable import printable

DESCRIPTION = """\
After an upgrade (pip install -U): write the project's stages, the schema of its
parameters and the version in requirements.txt again, for the heldout that is
installed, and say which parameters to change. Commit before it; `git diff`
shows what it did, and `dvc repro` then makes all results again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def main(options: argparse.Namespace) -> int:  # noqa: ARG001
    """Write the files, and print what comes next; returns the exit code. Raises UserError."""
    from tasks.init import project

    for line in project.migrate():
        print(printable(line))
    return 0
