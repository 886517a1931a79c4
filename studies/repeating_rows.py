"""How often a champion is replaced where rows repeat, by what counts as a new row: a table of operations.md.

A share of the rows is in 50 cells that repeat, every other row comes once. Each night brings rows, and the contest bets
on the new ones of the test part (decision 25), or on those of new content, as earlier versions did.

    python -m studies.repeating_rows             # 300 quarters of each case: ten minutes
    python -m studies.repeating_rows --quick     # 20 quarters, printed and not written
"""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heldout.over_time.promotion import Capital, differences
from heldout.rows.hashing import bits
from heldout.rows.row_identity import contents, drawn, identities, numbers
from studies.made_tables import markdown, write_between
from tasks.outcome.contest import MOST_HIDDEN
from tasks.outcome.new_rows import KnownRows, fresh, hidden
from tasks.storage.row_ids import RowIds

LEVEL, FRACTION, CELLS, QUARTERS = 0.95, 0.2, 50, 300
PAGE = Path("docs/operations.md")
BEGIN, END = "<!-- made by `python -m studies.repeating_rows` -->\n", "<!-- end of repeating_rows -->"
Errors = tuple[float, float]  # in the cells, and on the rows that come once


@dataclass(frozen=True)
class Case:
    """Errors of both models, the share of rows in cells, and the rows that the table keeps, None for all."""

    champion: Errors
    challenger: Errors
    repeating: float
    kept: int | None = None
    nights: int = 90
    rows: int = 100  # of a night

    def __str__(self) -> str:
        errors = " against ".join(
            f"{100 * (self.repeating * cells + (1 - self.repeating) * once):.3g} %"
            for cells, once in (self.challenger, self.champion)
        )
        table = "all rows stay" if self.kept is None else f"the last {self.kept} rows stay"
        return f"challenger errs {errors}, {100 * self.repeating:g} % of rows repeat, {table}"


WORSE = Case((0.09, 0.39), (0.205, 0.105), 0.9)
BETTER = replace(WORSE, challenger=(0.05, 0.39))
# as good, by what it loses on the rows that repeat and wins on the others
EQUAL = Case((0.2, 0.3), (0.4, 0.3 - 0.2 * 0.2 / 0.8), 0.2, kept=2000)
FEW_REPEAT = Case((0.2, 0.2), (0.1, 0.1), 0.02, kept=2000)
CASES = (WORSE, BETTER, replace(WORSE, kept=2000), replace(BETTER, kept=2000), EQUAL, FEW_REPEAT)


def table_of(rows: NDArray[np.float64], *, together: bool = False) -> tuple[RowIds, RowIds, NDArray[np.bool_]]:
    """The test part and all rows of a table of one column, and which rows are tested; `together`: copies are a unit."""
    content = contents({"x": bits(rows)})
    number = numbers(content)
    tested = drawn(content if together else identities(content, number), 0, FRACTION)
    every = RowIds(content, number, content if together else None)
    return RowIds(content[tested], number[tested], content[tested] if together else None), every, tested


def promoted(case: Case, seed: int, *, by_content: bool = False) -> bool:
    """Whether the challenger replaces the champion in a quarter, with bets on new rows or on rows of new content."""
    rng = np.random.default_rng(seed)
    rows, known, capital = np.empty(0), KnownRows(np.empty(0, np.uint64), not by_content), Capital()
    errors = np.array([case.champion, case.challenger])
    for night in range(case.nights):
        once = CELLS + night * case.rows + np.arange(case.rows)
        repeats = rng.random(case.rows) < case.repeating
        rows = np.concatenate([rows, np.where(repeats, rng.integers(0, CELLS, case.rows), once)])[-(case.kept or 0) :]
        test, every, tested = table_of(rows)
        new = fresh(test, known)
        share = 0.0 if by_content else hidden(test, every, known, copies=False)
        if share < MOST_HIDDEN:
            where = (rows[tested][new] >= CELLS).astype(int)
            theirs, ours = (1.0 * (rng.random(len(new)) < of[where]) for of in errors)
            capital = capital.after(differences(theirs, ours, 1.0, hidden=share))
        known = KnownRows(np.union1d(known.words, test.of_contents if by_content else test.words()), not by_content)
        if capital.shown(LEVEL):
            return True
    return False


def page(quarters: int) -> str:
    """The table in Markdown."""
    lines = [["a quarter of 90 nights, 100 new rows each", "replaced, by new rows", "by new contents"]]
    for case in CASES:
        found = [sum(promoted(case, seed, by_content=of) for seed in range(quarters)) for of in (False, True)]
        lines.append([str(case), *(f"{count} of {quarters}" for count in found)])
    return markdown(lines)


def main() -> int:
    """Write the table into the page, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        print(page(20))
        return 0
    write_between(PAGE, BEGIN, END, page(QUARTERS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
