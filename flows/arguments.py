"""What the commands' arguments have in common: help that is 80 columns wide, the parameters, output for a program."""

import argparse
import functools
import json
import math
from pathlib import Path

from tasks.runtime.own_code import COMMAND

WIDTH = 80
PARAMS = "params.yaml"


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """The parser of a command, without arguments."""
    return argparse.ArgumentParser(
        prog=f"{COMMAND} {name}".strip(),
        description=description,
        formatter_class=functools.partial(argparse.RawDescriptionHelpFormatter, width=WIDTH),
        allow_abbrev=False,
    )


def add_params(arguments: argparse.ArgumentParser, *, overrides: bool = True) -> None:
    """--params, read where the command was typed, and --set."""
    whole = "the parameters (default: params.yaml of the folder with dvc.yaml)"
    arguments.add_argument("--params", metavar="FILE", type=absolute, default=PARAMS, help=whole)
    if overrides:
        one = (
            "one parameter, read as YAML; may be repeated; candidates.tree.params.max_depth=3 reaches into a candidate"
        )
        arguments.add_argument("--set", action="append", default=[], metavar="a.b=c", dest="overrides", help=one)


def add_json(arguments: argparse.ArgumentParser) -> None:
    """--json, for scripts."""
    arguments.add_argument("--json", action="store_true", help="print one JSON document, for a program to read")


def print_json(value: object) -> None:
    """One document on standard output; a number that is none is no JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def minutes(text: str) -> float:
    """A number of minutes above 0. Raises ValueError for any other text."""
    number = float(text)
    if not 0 < number < math.inf:
        raise ValueError(text)
    return number


def absolute(path: str) -> str:
    """A path, as it is read where the command was typed."""
    return str(Path(path).resolve())
