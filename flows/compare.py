"""Compare: what answers or losses in files, which somebody else made, say about their candidates; or two revisions."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import compare_revisions
from flows.arguments import absolute, add_params

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = """\
Compare candidates by answers or losses that somebody else made, on rows that
the candidates were not trained on: no fit, and no params.yaml, in any folder.

A file has a line for each row and candidate, in any order, with the columns
row, candidate, answer and label, or row, candidate and loss. Name other columns
by the options. A file with a column for each candidate names them all:
--correct a b c. Several files have a candidate each: small=a.jsonl big=b.jsonl.
--fold is for answers of cross-validation, --group for rows that are alike.
heldout.from_predictions does the same in a notebook.

Two git revisions, or experiments of DVC, in place of files: the estimates of
both validations with their intervals, and which differ by more than chance.
`workspace` is what is there now: compare HEAD~1 workspace. What is the name of
a file is a file."""
_COLUMNS = {
    "row": "the column with the name of the row (row)",
    "candidate": "the column with the name of the candidate (candidate)",
    "label": "the column with the true label (label)",
    "fold": "the column with the fold of the row; its model was trained on the other folds",
    "repeat": "the column with the number of the partition into folds, of repeated cross-validation",
    "group": "the column with the group of the row, where rows of a group are alike",
    "weight": "the column with how many rows of the population a row stands for",
}
_CELLS = {
    "answer": "the column with the answer, or one for each candidate (answer)",
    "correct": "in its place, what says whether it is right: true or false, or 0 to 1",
    "losses": "in its place, the losses (loss)",
}
_NUMBERS = ("loss", "loss_max", "metric", "missing", "level", "margin", "compared")
_ROW, _CANDIDATE = "row", "candidate"
_MOST_SHOWN = 10  # values of a column, in a message


@dataclass(frozen=True)
class _File:
    """A file, and its candidate: NAME=FILE, or the name of the file without its ending."""

    name: str
    path: Path
    named: bool

    @classmethod
    def of(cls, text: str) -> "_File":
        """From what the command line says, where it was typed."""
        from tasks.data.file_formats import ENDINGS

        name, sign, file = text.partition("=")
        if sign and not Path(text).exists():
            return cls(name, Path(absolute(file)), named=True)
        path = Path(absolute(text))
        ending = max((end for end in ENDINGS if path.name.endswith(end)), key=len, default="")
        return cls(path.name.removesuffix(ending), path, named=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The files, the names of their columns, and what the numbers are."""
    parser.add_argument(
        "given",
        metavar="FILE",
        nargs="+",
        help="a .csv, .parquet, .jsonl or another table; NAME=FILE; or two revisions",
    )
    for name, meaning in _COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COLUMN", help=meaning)
    for name, meaning in _CELLS.items():
        parser.add_argument(f"--{name}", metavar="COLUMN", nargs="+", help=meaning)
    parser.add_argument(
        "--only", metavar="COLUMN=VALUE", action="append", default=[], help="the lines with this value, and no others"
    )
    parser.add_argument("--loss", metavar="NAME", help="zero_one, squared, absolute, …; by default the labels say")
    parser.add_argument("--loss-max", type=float, metavar="L", help="what no loss can pass, for a bound")
    parser.add_argument(
        "--metric", metavar="NAME", help="in place of a loss: auc, average_precision, f1 or balanced_accuracy; 1 - it"
    )
    parser.add_argument(
        "--missing", choices=("leave_out", "wrong"), help="rows with a missing answer, or the answer as an error"
    )
    parser.add_argument("--level", type=float, default=0.95, help="the level of the intervals (0.95)")
    parser.add_argument(
        "--margin",
        type=float,
        metavar="M",
        help="the largest difference that does not matter, in percentage points where errors are in percent: who is "
        "better, worse, alike or undecided by it",
    )
    parser.add_argument(
        "--compared", type=int, metavar="M", help="how many candidates were ever compared on these rows"
    )
    parser.add_argument("--ledger", action="store_true", help="count all that the store of params.yaml saw, and add")
    add_params(parser, overrides=False)


def main(options: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code. Raises UserError."""
    import heldout
    from heldout.errors import BadArgument
    from tasks.runtime.errors import UserError
    from tasks.runtime.terminal import write_everywhere

    write_everywhere()
    if compare_revisions.are_meant(options.given):
        return compare_revisions.main(options.given, _given_for_files(options))
    options.files = [_File.of(text) for text in options.given]
    given: dict[str, Any] = {
        name: _one(getattr(options, name))
        for name in (*_COLUMNS, *_CELLS, *_NUMBERS)
        if getattr(options, name) is not None
    }
    if len({file.name for file in options.files}) < len(options.files):
        raise UserError("FILE: two files have the same name; name their candidates: small=FILE large=FILE")
    file = ", ".join(file.path.name for file in options.files)
    table = _only(_table(options.files, options.candidate, options.row), options.only)
    try:
        made = heldout.from_predictions(table, **given)
    except BadArgument as error:
        raise UserError(f"{file}: {error}") from None
    if options.ledger:
        from tasks.params import load
        from tasks.runtime import environment
        from tasks.track import compared_files

        environment.enter()
        found = compared_files.count(load(options.params), made, file)
        made = replace(made, models=max(made.models, found.compared))
        before = f"; others are in {', '.join(found.before)}" if found.before else ""
        print(f"ledger: {found.compared} candidates were compared on rows of these names, with those here{before}")
    print(made)
    return 0


def _given_for_files(options: argparse.Namespace) -> str | None:
    """The first option that was given and says something about files."""
    names = (*_COLUMNS, *_CELLS, *(name for name in _NUMBERS if name != "level"), "only", "ledger")
    return next((f"--{name.replace('_', '-')}" for name in names if getattr(options, name)), None)


def _only(table: "pd.DataFrame", wanted: Sequence[str]) -> "pd.DataFrame":
    """The lines that have each of the values, COLUMN=VALUE, as text. Raises UserError where there is none."""
    from tasks.runtime.errors import UserError

    for text in wanted:
        name, sign, value = text.partition("=")
        if not sign or name not in table:
            raise UserError(f"--only is {text}; it must be COLUMN=VALUE, with one of {', '.join(map(str, table))}")
        kept = table[table[name].astype(str) == value]
        if kept.empty:
            known = ", ".join(sorted({*table[name].astype(str)})[:_MOST_SHOWN])
            raise UserError(f"--only is {text}, and no line has that value; {name} has {known}")
        table = kept
    return table


def _one(value: Any) -> Any:
    """A single column is one of a long table."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _table(files: Sequence[_File], candidate: str | None, row: str | None) -> "pd.DataFrame":
    """The lines of all files; each of several is about a candidate of its own, unless a column says which.

    The rows of a single file, whose candidate was named, need no names.
    """
    import pandas as pd

    from tasks.data import file_formats
    from tasks.data.text_form import USUAL

    frames = [file_formats.read(file.path, "FILE", (), (), USUAL).frame for file in files]
    if len(files) == 1 and not files[0].named:
        return frames[0]
    if candidate is None and not any(_CANDIDATE in frame for frame in frames):
        frames = [frame.assign(**{_CANDIDATE: file.name}) for file, frame in zip(files, frames, strict=True)]
        if len(frames) == 1 and row is None and _ROW not in frames[0]:
            frames = [frames[0].assign(**{_ROW: range(len(frames[0]))})]
    return pd.concat(frames, ignore_index=True)
