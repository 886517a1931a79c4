"""What this project spares beside its peers, both ways of each work in one run; docs/speed.md.

    python -m benchmarks            # all rows, at most 20 minutes; writes docs/speed.csv, its picture and the page
    python -m benchmarks --quick    # a tenth of the rows, for which the bars are not meant; nothing is written
    python -m benchmarks --only leave_one_out

Each figure is a median of five, done in turn with the peer's. Absolute times are those of one machine and mean little.
"""

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from benchmarks.measured import Row
from tasks.runtime import environment

TABLE, PICTURE, PAGE = Path("docs/speed.csv"), Path("docs/speed.png"), Path("docs/speed.md")
_WORKS = ("leave_one_out", "support_vectors", "online", "covalidation", "arithmetic", "orchestration")
_START, _END = "<!-- measured -->\n", "<!-- end -->\n"
_HEAD = ["| work | rows | peer | this project : peer | bar | |", "|---|---|---|---|---|---|"]


def line(row: Row, judged: bool = True) -> str:
    """One line of the table; the bar is for full sizes, at which a row is `judged`."""
    figure, bar = (f"{value:.3g}" for value in (row.figure, row.bar))
    verdict = "missed" if judged and not row.met else ""
    return f"| {row.work} | {row.rows} | {row.peer} | {figure} {row.unit} | {bar} | {verdict} |"


def write(found: Sequence[Row]) -> None:
    """The table and its picture beside the page, and the table in it."""
    pd.DataFrame([asdict(row) | {"met": row.met} for row in found]).to_csv(TABLE, index=False, float_format="%.4g")
    head, rest = PAGE.read_text(encoding="utf-8").split(_START)
    tail = rest.split(_END)[1]
    lines = "\n".join([*_HEAD, *map(line, found)])
    PAGE.write_text(f"{head}{_START}{lines}\n{_END}{tail}", encoding="utf-8")


def draw(found: Sequence[Row]) -> None:
    """How far each figure is below its bar, or above it, on a logarithmic axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.4 * len(found) + 1), layout="constrained")
    axes = figure.add_subplot()
    colours = ["tab:blue" if row.met else "tab:red" for row in found]
    places = range(len(found))
    axes.barh(places, [row.figure / row.bar for row in found], color=colours)
    axes.set_yticks(places, [f"{row.work}, {row.rows} rows\n{row.peer}" for row in found])
    axes.margins(y=0.01)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("figure over its bar: left of the line it is met")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=6)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


def main() -> None:
    """Measure, print each row as it is found, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, nothing is written")
    parser.add_argument("--only", choices=_WORKS, help="one work, nothing is written")
    arguments = parser.parse_args()
    environment.enter()
    print("\n".join(_HEAD))
    found = []
    for work in [arguments.only] if arguments.only else _WORKS:
        for row in importlib.import_module(f"benchmarks.{work}").rows(10 if arguments.quick else 1):
            print(line(row, judged=not arguments.quick), flush=True)
            found.append(row)
    if not (arguments.quick or arguments.only):
        write(found)
        draw(found)


if __name__ == "__main__":
    main()
