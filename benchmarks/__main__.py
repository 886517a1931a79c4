"""The time of this project compared with its peers, both measured in one run; docs/speed.md.

    python -m benchmarks            # all rows, at most 20 minutes; writes docs/speed.csv, its picture and the page
    python -m benchmarks --quick    # a tenth of the data, for which the bars are not meant; nothing is written
    python -m benchmarks --only leave_one_out

Each figure is a median of five; this project and the peer take turns. Absolute times depend on the machine.
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
_WORKS = (
    "leave_one_out",
    "support_vectors",
    "online",
    "defaults",
    "covalidation",
    "arithmetic",
    "orchestration",
    "wide",
)
_START, _END = "<!-- measured -->\n", "<!-- end -->\n"
_HEAD = ["| work | rows | peer | this project : peer | bar | |", "|---|---|---|---|---|---|"]


def line(row: Row, judged: bool = True) -> str:
    """One line of the table; only a run at full size is `judged` by the bars."""
    figure, bar = (f"{value:.3g}" for value in (row.figure, row.bar))
    verdict = "missed" if judged and not row.met else ""
    return f"| {row.work} | {row.rows} | {row.peer} | {figure} {row.unit} | {bar} | {verdict} |"


def write(rows: Sequence[Row]) -> None:
    """Write docs/speed.csv, and the table inside the page."""
    pd.DataFrame([asdict(row) | {"met": row.met} for row in rows]).to_csv(TABLE, index=False, float_format="%.4g")
    head, rest = PAGE.read_text(encoding="utf-8").split(_START)
    tail = rest.split(_END)[1]
    lines = "\n".join([*_HEAD, *map(line, rows)])
    PAGE.write_text(f"{head}{_START}{lines}\n{_END}{tail}", encoding="utf-8")


def draw(rows: Sequence[Row]) -> None:
    """How far each figure is below its bar, or above it, on a logarithmic axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.4 * len(rows) + 1), layout="constrained")
    axes = figure.add_subplot()
    colours = ["tab:blue" if row.met else "tab:red" for row in rows]
    places = range(len(rows))
    axes.barh(places, [row.figure / row.bar for row in rows], color=colours)
    axes.set_yticks(places, [f"{row.work}, {row.rows} rows\n{row.peer}" for row in rows])
    axes.margins(y=0.01)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("figure divided by its bar; left of the line the bar is met")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=6)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


def main() -> None:
    """Measure, print each row when it is ready, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data; nothing is written")
    parser.add_argument("--only", choices=_WORKS, help="one comparison; nothing is written")
    arguments = parser.parse_args()
    environment.enter()
    print("\n".join(_HEAD))
    rows = []
    for work in [arguments.only] if arguments.only else _WORKS:
        for row in importlib.import_module(f"benchmarks.{work}").rows(10 if arguments.quick else 1):
            print(line(row, judged=not arguments.quick), flush=True)
            rows.append(row)
    if not (arguments.quick or arguments.only):
        write(rows)
        draw(rows)


if __name__ == "__main__":
    main()
