"""The command `heldout` of an installed package, whose name for flows/ and tasks/ is heldout_pipeline (decision 76)."""

import os
import sys
from pathlib import Path


def main() -> int:
    """Run one command, as `python -m flows` does in a checkout; returns the exit code.

    Our modules come first here and in every process that this one starts, and the current folder is not searched: a
    file of the user's project replaces none of them, nor a library.
    """
    ours, others = str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path.insert(0, ours)
    os.environ["PYTHONPATH"] = os.pathsep.join([ours, *(path for path in others if path and path != ours)])
    os.environ["PYTHONSAFEPATH"] = "1"
    from flows.__main__ import main as command

    return command()
