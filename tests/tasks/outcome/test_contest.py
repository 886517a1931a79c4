"""On which rows a champion and a winner are compared: the new ones, as often as they come, no biased part of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from heldout.monitoring.promotion import EProcess, differences
from heldout.rows.hashing import bits
from heldout.rows.row_identity import contents, drawn, identities, numbers
from tasks.outcome.contest import MOST_HIDDEN
from tasks.outcome.new_rows import KnownRows, fresh, hidden
from tasks.storage.row_ids import RowIds

LEVEL, FRACTION, CELLS = 0.95, 0.2, 50
QUARTERS, NIGHTS, ROWS = 40, 18, 500  # a quarter has as many nights, and a night as many new rows
MOST = QUARTERS * (1 - LEVEL) + 2 * (QUARTERS * LEVEL * (1 - LEVEL)) ** 0.5  # promotions, of learners no better
NOBODY = KnownRows(np.empty(0, np.uint64))


@dataclass(frozen=True)
class Case:
    """Errors of both models in the cells that repeat and on the rows that come once, and the share of rows in cells.

    `kept` is how many of the last rows the table keeps, None for all.
    """

    champion: tuple[float, float]
    challenger: tuple[float, float]
    repeating: float
    kept: int | None = None


# better on the tenth of the rows that never repeat, and worse on the cells: .195 against .120
WORSE = Case((0.09, 0.39), (0.205, 0.105), 0.9)
BETTER = replace(WORSE, challenger=(0.05, 0.39))


def table_of(rows, *, together: bool = False) -> tuple[RowIds, RowIds, np.ndarray]:
    """The test set and all rows of a table of one column, and which rows are tested; `together`: copies are a unit."""
    content = contents({"x": bits(rows)})
    number = numbers(content)
    tested = drawn(content if together else identities(content, number), 0, FRACTION)
    every = RowIds(content, number, content if together else None)
    return RowIds(content[tested], number[tested], content[tested] if together else None), every, tested


def promoted(case: Case, seed: int) -> bool:
    """Whether the challenger replaces the champion in a quarter, by bets on the new rows of the test set."""
    rng = np.random.default_rng(seed)
    rows, known, process = np.empty(0), NOBODY, EProcess()
    errors = np.array([case.champion, case.challenger])
    for night in range(NIGHTS):
        once = CELLS + night * ROWS + np.arange(ROWS)
        repeats = rng.random(ROWS) < case.repeating
        rows = np.concatenate([rows, np.where(repeats, rng.integers(0, CELLS, ROWS), once)])[-(case.kept or 0) :]
        test, every, tested = table_of(rows)
        new, share = fresh(test, known), hidden(test, every, known, copies=False)
        if share < MOST_HIDDEN:
            where = (rows[tested][new] >= CELLS).astype(int)
            theirs, ours = (1.0 * (rng.random(len(new)) < of[where]) for of in errors)
            process = process.after(differences(theirs, ours, 1.0, hidden=share))
        known = KnownRows(np.union1d(known.words, test.words()))
        if process.shown(LEVEL):
            return True
    return False


def often(case: Case, quarters: int = QUARTERS) -> int:
    return sum(promoted(case, seed) for seed in range(quarters))


@pytest.mark.slow
def test_a_worse_challenger_is_promoted_at_most_as_often_as_the_level_allows():
    assert often(WORSE) <= MOST
    assert often(BETTER, quarters=9) > 7


@pytest.mark.long
@pytest.mark.parametrize(
    "repeating", [pytest.param(0.0, marks=pytest.mark.slow), pytest.param(0.1, marks=pytest.mark.slow), 0.4]
)
@pytest.mark.parametrize("kept", [None, 1500])
def test_a_learner_that_is_as_good_is_promoted_at_most_as_often_also_in_a_table_that_slides(repeating, kept):
    """The challenger loses on the rows that repeat and wins on the others, both as much."""
    won = 0.2 * repeating / (1 - repeating)
    assert often(Case((0.3, 0.3), (0.5, 0.3 - won), repeating, kept)) <= MOST


@pytest.mark.parametrize("repeating", [0.0, 0.02])
def test_a_better_challenger_is_promoted_in_a_table_that_slides_where_few_rows_repeat(repeating):
    assert 9 == often(Case((0.4, 0.4), (0.2, 0.2), repeating, kept=1500), quarters=9)


def test_where_rows_repeat_and_have_left_a_new_row_cannot_be_told_from_an_old_one():
    rows = np.repeat(np.arange(50.0), 10)
    test, every, _ = table_of(rows)
    assert 0 == hidden(test, every, NOBODY, copies=False) == hidden(test, every, KnownRows(test.words()), copies=False)
    slid, left, _ = table_of(np.concatenate([rows[100:], np.arange(100.0, 200.0)]))
    assert 0.8 == hidden(slid, left, KnownRows(every.words()), copies=False)


def test_of_copies_kept_together_those_that_come_again_are_the_hidden_share():
    test, every, _ = table_of(np.arange(200.0), together=True)
    known = KnownRows(test.words())
    more = np.concatenate([np.arange(200.0), np.arange(40.0), np.arange(200.0, 300.0)])
    grown, whole, _ = table_of(more, together=True)
    again = len(grown.content) - len(test.content) - len(fresh(grown, known))
    assert again > 0
    assert again / (again + len(fresh(grown, known))) == hidden(grown, whole, known, copies=True)
    assert 0 == hidden(grown, whole, known, copies=False)  # groups, whose names are known
    assert 0 == hidden(test, every, NOBODY, copies=True) == hidden(test, every, known, copies=True)
