"""Rollback: the former champion is the champion again."""

import argparse

from flows.arguments import add_params

DESCRIPTION = """\
Return to the former champion: the alias goes back to the version that the
present champion replaced. Nothing is deleted; the model that was rolled back
has to win again, on new rows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parameters, which name the store and the registered model."""
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Return the alias to the version that the champion replaced; returns the exit code."""
    from tasks.params import load
    from tasks.track import former_champion

    settings = load(options.params, options.overrides)
    done = former_champion.rollback(settings)
    print(done, flush=True)
    from flows.events import champion_restored  # the import of Prefect takes seconds, and the alias is moved by now

    champion_restored(settings, str(done))
    return 0
