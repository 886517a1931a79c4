"""Check: params.yaml has the keys of this version; the first stage, so that this is said before DVC asks for them."""

import argparse

DESCRIPTION = """\
End with 2, and say how to go on, if params.yaml lacks keys that this version of
heldout has in its stages. `dvc repro` does it first of all, before outputs are
removed. Nothing that params.yaml names is imported."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def main(options: argparse.Namespace) -> int:  # noqa: ARG001
    """Returns the exit code. Raises UserError."""
    from tasks.params.current import check_current

    check_current()
    return 0
