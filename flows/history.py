"""History: all nights on one page, with whether anything must be done."""

import argparse

from flows.arguments import add_params

DESCRIPTION = """\
Write reports/history.html, the page of all nights, from the tracking store, and
print the same: first whether anything must be done and by which command, then
the champion, and a line for each night. A night of the deployment, and
validate --promote, writes it at its end; this command also sees that none came,
or none yet.

Exit codes: 0 there is nothing to do, 3 there is, 2 the store does not answer."""
TO_DO = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many nights, and the parameters, which name the store and the registered model."""
    many = "lines for so many nights in the terminal (default: 40)"
    parser.add_argument("--nights", type=int, default=40, metavar="N", help=many)
    add_params(parser)


def main(options: argparse.Namespace) -> int:
    """Write the page and print it; returns the exit code. Raises UserError."""
    from heldout.display.text_table import output_width
    from tasks.params import load
    from tasks.report import history_lines, history_page
    from tasks.storage import files
    from tasks.track.morning import read_morning

    made = read_morning(load(options.params, options.overrides))
    history_page.write_history(made)
    print("\n".join(history_lines.text(made, output_width(), options.nights)), flush=True)
    print(f"page: {files.HISTORY}", flush=True)
    return TO_DO if made.matters else 0
