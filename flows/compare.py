"""Compare: what answers or losses in a file, which somebody else made, say about their candidates."""

import argparse
from pathlib import Path

from flows.arguments import absolute

DESCRIPTION = """\
Compare candidates by answers or losses that somebody else made, on rows that
the candidates were not trained on: no fit, and no params.yaml.

The file has a line for each row and candidate, in any order, with the columns
row, candidate, answer and label, or row, candidate and loss. Name other columns
by the options. --fold is for answers of cross-validation, --group for rows that
are alike. heldout.from_predictions does the same in a notebook."""
_COLUMNS = {
    "row": "the column with the name of the row (row)",
    "candidate": "the column with the name of the candidate (candidate)",
    "answer": "the column with its answer (answer)",
    "label": "the column with the true label (label)",
    "fold": "the column with the fold of the row; its model was trained on the other folds",
    "group": "the column with the group of the row, where rows of a group are alike",
    "weight": "the column with how many rows of the population a row stands for",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, the names of its columns, and what the numbers are."""
    parser.add_argument("file", metavar="FILE", type=absolute, help="a .csv, .parquet, .jsonl or another table")
    for name, meaning in _COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COLUMN", help=meaning)
    parser.add_argument("--loss", metavar="NAME", help="zero_one, squared, absolute, …; by default the labels say")
    parser.add_argument("--loss-max", type=float, metavar="L", help="what no loss can pass, for a bound")
    parser.add_argument("--level", type=float, default=0.95, help="the level of the intervals (0.95)")
    parser.add_argument(
        "--compared", type=int, metavar="M", help="how many candidates were ever compared on these rows"
    )


def main(options: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code. Raises UserError."""
    import heldout
    from heldout.errors import BadArgument
    from tasks.data import file_formats
    from tasks.data.text_form import USUAL
    from tasks.runtime.errors import UserError

    given = {name: getattr(options, name) for name in _COLUMNS if getattr(options, name) is not None}
    how = {"loss": options.loss, "loss_max": options.loss_max, "level": options.level, "compared": options.compared}
    table = file_formats.read(Path(options.file), "FILE", (), (), USUAL).frame
    try:
        print(heldout.from_predictions(table, **given, **how))
    except BadArgument as error:
        raise UserError(f"{options.file}: {error}") from None
    return 0
