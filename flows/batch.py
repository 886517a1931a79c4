"""Batch: what was said of new labelled rows, and what a person decides about those that were held back."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from flows.arguments import add_json, add_params, print_json
from heldout.printable import printable

if TYPE_CHECKING:
    from tasks.outcome.batches import Batch

DESCRIPTION = """\
List the batches of new labelled rows, and what was said of each before a run
used it. Rows that are unlike those before are held back: no run uses them until
you release them, and rows that you drop never come back, also if the table
still has them. It writes quarantine.json, by which every run knows them. A
whole table is held where rows of the past left it or changed: bring it back, or
release it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is decided about which batch, why, and the parameters, which name the store and the data source."""
    act = parser.add_mutually_exclusive_group()
    use = "use its rows from the next run on; later batches are compared with them too"
    act.add_argument("--release", type=int, metavar="NUMBER", help=use)
    act.add_argument("--drop", type=int, metavar="NUMBER", help="leave its rows out for good")
    parser.add_argument("--why", default="", metavar="TEXT", help="the reason, which the record says")
    add_json(parser)
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """List the batches, or decide about one; returns the exit code. Raises UserError."""
    from tasks.params import load
    from tasks.track import batches

    settings = load(options.params, options.overrides)
    number = options.drop if options.release is None else options.release
    if number is not None:
        said = batches.decide(settings, number, release=options.release is not None, why=options.why)
        if options.json:
            print_json({"batch": number, "said": said})
        else:
            print(printable(said))
        return 0
    found = batches.listed(settings)
    if options.json:
        print_json([vars(one) for one in found])
        return 0
    for line in _lines(found, batches.remedy):
        print(printable(line))
    return 0


def _lines(found: "Sequence[Batch]", remedy: "Callable[[Batch], str]") -> list[str]:
    if not found:
        return ["no batch yet: the rows of a data source are examined from the first run on that may promote"]
    lines = ["batch      rows  when              state"]
    for one in found:
        state = "first, accepted as it is" if one.first and one.state == "accepted" else one.state
        lines.append(f"{one.number:>5}  {one.rows:>8,}  {one.time[:16].replace('T', ' ')}  {state}")
        who = f"by {one.who}: {one.why}" if one.why else f"by {one.who}"
        who = one.why if one.state == "replaced" else who  # nobody decided
        corrected = [f"{one.corrected:,} known rows with other values"] if one.corrected else []
        more = one.corrected or one.rows
        keys = [f"rows {', '.join(one.keys)}{', …' * (len(one.keys) < more)}"] if one.keys else []
        said = [*corrected, *keys, *one.reasons, *one.together, *one.noticed]
        texts = [*said, *(f"not asked: {text}" for text in one.not_asked), *([who] if one.who else [])]
        lines += [f"{'':17}{text}" for text in texts]
    if held := [one for one in found if one.state == "held"]:
        lines += ["", *map(remedy, held)]
    return lines
