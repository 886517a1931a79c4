"""Rollback: the former champion is the champion again."""

import argparse

from flows.arguments import add_params

DESCRIPTION = """\
Return to the former champion: the alias goes back to the version that the
present champion replaced. Nothing is deleted. The candidate that was rolled
back is pinned: it comes back if rows that are new after the next run show it,
or after --release. With --accept it stays where a person moved it in MLflow."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Why, what is released or accepted, and the parameters, which name the store and the registered model."""
    why = "the reason, which the record and the event say"
    parser.add_argument("--why", default="", metavar="TEXT", help=why)
    lift = "lift the pin of a candidate, or all pins of the data source; nothing is rolled back"
    parser.add_argument("--release", nargs="?", const="", metavar="CANDIDATE", help=lift)
    accept = "enter the version to which the alias was moved in MLflow; nothing is rolled back or pinned"
    parser.add_argument("--accept", action="store_true", help=accept)
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Return the alias to the version that the champion replaced, accept it, or lift a pin; returns the exit code."""
    from tasks.params import load
    from tasks.track import former_champion

    settings = load(options.params, options.overrides)
    if options.release is not None:
        print(former_champion.release(settings, options.release), flush=True)
        return 0
    if options.accept:
        print(former_champion.accept(settings, options.why), flush=True)
        return 0
    done = former_champion.rollback(settings, options.why)
    print(done, flush=True)
    from flows.events import champion_restored  # the import of Prefect takes seconds, and the alias is moved by now

    champion_restored(settings, done)
    return 0
