"""The time of this project compared with its peers, both measured in one run; docs/speed.md.

    python -m benchmarks            # all rows, at most 20 minutes; writes docs/speed.md
    python -m benchmarks --quick    # a tenth of the data, for which the bars are not meant; nothing is written
    python -m benchmarks --only leave_one_out

Each figure is a median of five; this project and the peer take turns. Absolute times depend on the machine.
"""

import argparse
import importlib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import Row
from tasks.runtime import environment

PAGE = Path("docs/speed.md")
_WORKS = (
    "leave_one_out",
    "support_vectors",
    "online",
    "defaults",
    "covalidation",
    "arithmetic",
    "orchestration",
    "wide",
    "given_answers",
)
_START, _END = "<!-- measured -->\n", "<!-- end -->\n"
_HEAD = ["| work | rows | peer | this project : peer | bar | |", "|---|---|---|---|---|---|"]


def line(row: Row, judged: bool = True) -> str:
    """One line of the table; only a run at full size is `judged` by the bars."""
    figure, bar = (f"{value:.3g}" for value in (row.figure, row.bar))
    verdict = "missed" if judged and not row.met else ""
    return f"| {row.work} | {row.rows} | {row.peer} | {figure} {row.unit} | {bar} | {verdict} |"


def write(rows: Sequence[Row]) -> None:
    """Write the table inside the page."""
    head, rest = PAGE.read_text(encoding="utf-8").split(_START)
    tail = rest.split(_END)[1]
    lines = "\n".join([*_HEAD, *map(line, rows)])
    PAGE.write_text(f"{head}{_START}{lines}\n{_END}{tail}", encoding="utf-8")


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


if __name__ == "__main__":
    main()
