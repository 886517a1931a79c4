"""Compare: what answers or losses in files, which somebody else made, say about their candidates; or two revisions."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import compare_revisions
from flows.arguments import absolute, add_params

if TYPE_CHECKING:
    import pandas as pd

    from heldout.predictions.source import Source

DESCRIPTION = """\
Compare candidates by answers or losses that somebody else made, on rows that
the candidates were not trained on: no fit, and no params.yaml, in any folder.

A file of caret, Weka, lm-evaluation-harness or another tool that is known is
read as that tool wrote it; --format names the tool. Any other has a line for
each row and candidate, in any order, with the columns row, candidate, answer
and label, or row, candidate and loss. Name other columns by the options. A
file with a column for each candidate names them all: --correct a b c.
Several files have a candidate each: small=a.jsonl big=b.jsonl. --fold is for
answers of cross-validation, --group for rows that are alike.
heldout.from_predictions does the same in a notebook.

Two git revisions, or experiments of DVC, in place of files: the estimates of
both validations with their intervals, and which differ by more than chance.
`workspace` is what is there now: compare HEAD~1 workspace. What is the name of
a file is a file."""
_COLUMNS = {
    "row": "the column with the name of the row (row); none where each line is a row of its own",
    "candidate": "the column with the name of the candidate (candidate)",
    "label": "the column with the true label (label)",
    "fold": "the column with the fold of the row; its model was trained on the other folds",
    "repeat": "the column with the number of the partition into folds, or of the answer of a model asked again",
    "group": "the column with the group of the row, where rows of a group are alike",
    "weight": "the column with how many rows of the population a row stands for",
    "time": "the column by which the rows of a stream are in order (--progressive); or the time that was forecast",
    "series": "the column with the series of a forecast",
    "cutoff": "the column with the time up to which the data of a forecast went; with --time",
    "stratum": "the column with the task of the row: the error is the mean over tasks",
}
_CELLS = {
    "answer": "the column with the answer, or one for each candidate (answer)",
    "correct": "in its place, what says whether it is right: true or false, or 0 to 1",
    "losses": "in its place, the losses (loss)",
}
_NUMBERS = ("loss", "loss_max", "metric", "missing", "level", "margin", "compared", "format", "progressive")
_READ_ALREADY = ("label", "fold", "correct", "format")  # what a reader was told
_ROW, _CANDIDATE, _NONE = "row", "candidate", "none"
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
        "--only",
        metavar="COLUMN=VALUE",
        action="append",
        default=[],
        help="the lines with this value, and no others; of Vowpal Wabbit pass=N",
    )
    parser.add_argument(
        "--sep", metavar="SIGN", help="what separates columns: , or ; or tab or |; by default it is found"
    )
    parser.add_argument("--format", metavar="TOOL", help="the tool that wrote the file, if it is not found by itself")
    parser.add_argument(
        "--progressive",
        action="store_true",
        default=None,
        help="each row was answered by a model that was trained on the rows before it, in this order",
    )
    parser.add_argument("--loss", metavar="NAME", help="zero_one, squared, absolute, …; by default the labels say")
    parser.add_argument("--loss-max", type=float, metavar="L", help="what no loss can pass, for a bound")
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="in place of a loss: auc, average_precision, f1, balanced_accuracy, mcc, kappa, recall, precision, "
        "specificity, or r2 of numbers; 1 - it",
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
    from heldout.predictions import recognise
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
    file = ", ".join(file.path.name for file in options.files)
    try:
        if options.row == _NONE:
            given["row"] = None
        sources = [_source(file, options) for file in options.files]
        read = recognise.read(sources, {**given, "only": options.only or None})
        if read is not None:
            made = heldout.from_predictions(
                read, **{name: of for name, of in given.items() if name not in _READ_ALREADY}
            )
        else:
            table = _table(options, sources)
            if options.row == _NONE and _NONE in table:
                given["row"] = _NONE
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


def _source(file: _File, options: argparse.Namespace) -> "Source":
    """A file as readers look at it: its first lines if it is text, and its columns when they are asked for."""
    from heldout.predictions.source import HEAD, Source
    from tasks.data import file_formats
    from tasks.runtime.errors import UserError

    if file.path.is_dir():
        raise UserError(f"FILE: {file.path} is a folder; name the files in it, as {file.path}/*.jsonl")
    path, is_table = file.path, file.path.name.endswith(file_formats.ENDINGS)
    head: tuple[str, ...] = ()
    if path.is_file() and (not is_table or (file_formats.is_text(path) and not options.only)):  # lines have no columns
        try:
            head = tuple(line.rstrip("\r\n") for line in file_formats.first_lines(path, HEAD))
        except ValueError:  # no text: who reads its columns says so
            head = ()
    elif not path.is_file():
        _read(path, options.sep)  # says what is wrong
    return Source(
        file.name if is_table else path.name,
        lambda: _only(_read(path, options.sep), options.only),
        path.parent.name,
        file.name if file.named else "",
        head,
        lambda: [line.rstrip("\r\n") for line in file_formats.first_lines(path, sys.maxsize)],
        has_columns=is_table,
    )


def _table(options: argparse.Namespace, sources: "Sequence[Source]") -> "pd.DataFrame":
    """The lines of all files; each of several is about a candidate of its own, unless a column says which.

    Raises UserError where a file lacks a column that an option names, and for lines of an unnamed candidate.
    """
    import pandas as pd

    from tasks.runtime.errors import UserError

    if len({file.name for file in options.files}) < len(options.files):
        raise UserError("FILE: two files have the same name; name their candidates: small=FILE large=FILE")
    frames: list[pd.DataFrame] = [one.table for one in sources]
    for file, frame in zip(options.files, frames, strict=True):
        _check_columns(options, file, frame)
    if (
        (len(frames) == 1 and not options.files[0].named)
        or options.candidate
        or any(_CANDIDATE in one for one in frames)
    ):
        return pd.concat(frames, ignore_index=True)
    named = zip(options.files, frames, strict=True)
    return pd.concat([frame.assign(**{_CANDIDATE: file.name}) for file, frame in named], ignore_index=True)


def _read(path: Path, separator: str | None) -> "pd.DataFrame":
    """The lines of a file. Raises UserError where its first line is a row of values."""
    from tasks.data import reading_process
    from tasks.data.text_form import TextForm
    from tasks.init import find_form, header_is_data
    from tasks.runtime.errors import UserError

    form = TextForm.given(separator, None, None)
    rows = reading_process.read(
        path, "FILE", (), (), replace(form, separator=form.separator or find_form.separator_of(path))
    )
    finding = header_is_data.look(rows.frame, rows.header, path.name)
    if finding is not None:
        raise UserError(f"{finding.text}; if it is a row, put a line of names above it, else rename the columns")
    return rows.frame


def _check_columns(options: argparse.Namespace, file: _File, frame: "pd.DataFrame") -> None:
    """Raise UserError where a file lacks a column that is named, or that is needed by default."""
    from tasks.runtime.errors import UserError

    given = {name: value for name in (*_COLUMNS, *_CELLS) if (value := getattr(options, name)) is not None}
    if not given.keys() & _CELLS.keys() and "loss" not in frame:
        given["answer"] = "answer"
    if "answer" in given:
        given.setdefault("label", "label")
    if len(options.files) > 1:
        given.setdefault("row", _ROW)
    elif not file.named and not any(isinstance(value, list) and len(value) > 1 for value in given.values()):
        given.setdefault("candidate", _CANDIDATE)
    for option, names in given.items():
        for name in [names] if isinstance(names, str) else names:
            if name in frame or (option, name) == ("row", _NONE):
                continue
            one = f", or for one model its name before the file: NAME={file.path.name}" * (option == "candidate")
            raise UserError(
                f"{option} is {name!r}, but {file.path.name} has the columns {', '.join(map(str, frame))}; "
                f"name the column by --{option}{one}"
                + ", or say what separates columns by --sep"
                * (frame.shape[1] == 1)
            )
