"""heldout/display/measured_intervals.py: how often each method of an interval held, from docs/coverage.csv.

`python -m studies.measured_intervals` writes it again.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from heldout.estimates.methods import METHODS
from studies.coverage_page import TABLE

MODULE = Path("heldout/display/measured_intervals.py")
_HEAD = '''"""How often methods of intervals held in a study: written by `python -m studies.measured_intervals`."""

from heldout.display.coverage import Coverage

# by estimate, kind of target and method; the cells are populations, learners and numbers of rows of docs/coverage.csv
MEASURED: dict[tuple[str, str, str], Coverage] = {
'''


def lines() -> Iterator[str]:
    """A line for each estimate, kind of target and method that a run can have."""
    table = pd.read_csv(TABLE)
    known = {(estimate, method.name) for method in METHODS for estimate in method.covers}
    for (estimate, task, method), cells in table.groupby(["estimate", "task", "method"]):
        if (estimate, method) in known:
            covers = cells["covers"]
            yield (
                f'    ("{estimate}", "{task}", "{method}"): '
                f"Coverage(cells={len(covers)}, mean={covers.mean():.3f}, least={covers.min():.3f}),"
            )


def text() -> str:
    """The module."""
    return _HEAD + "\n".join(lines()) + "\n}\n"


if __name__ == "__main__":
    MODULE.write_text(text())
