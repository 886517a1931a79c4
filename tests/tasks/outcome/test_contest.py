"""On which rows a champion and a winner are compared: the new ones, as often as they come, no biased part of them."""

import numpy as np
import pytest

from heldout.hashing import bits
from heldout.promotion import Capital, differences
from heldout.row_identity import contents, drawn, identities, numbers
from tasks.outcome.contest import Known, fresh, hidden
from tasks.storage.row_ids import RowIds

LEVEL, QUARTERS, NIGHTS, ROWS, CELLS = 0.95, 40, 13, 300, 50
MOST = QUARTERS * (1 - LEVEL) + 2 * (QUARTERS * LEVEL * (1 - LEVEL)) ** 0.5  # promotions, of equal learners
NOBODY = Known(np.empty(0, np.uint64))


def arrivals(rng: np.random.Generator, rows: int, repeating: float, first: int) -> np.ndarray:
    """Cells 0 … 49 that repeat, and numbers from `first` that come once."""
    return np.where(rng.random(rows) < repeating, rng.integers(0, CELLS, rows), CELLS + first + np.arange(rows))


def ids_of(rows: np.ndarray, *, together: bool = False) -> tuple[RowIds, RowIds, np.ndarray]:
    """The test part and all rows of a table, and which rows are tested; `together`: equal rows are one unit."""
    content = contents({"x": bits(rows)})
    every = RowIds(content, numbers(content), content if together else None)
    tested = drawn(content if together else identities(content, every.number), 0, 0.3)
    part = RowIds(content[tested], every.number[tested], None if every.unit is None else content[tested])
    return part, every, tested


def quarter(seed: int, gain: np.ndarray, repeating: float, kept: int | None = None) -> bool:
    """Whether the challenger is promoted: D is 1 with probability `gain`[0] in a cell, `gain`[1] elsewhere, else -1.

    The table grows every night, or holds the last `kept` rows.
    """
    rng = np.random.default_rng(seed)
    rows, known, capital = np.empty(0), NOBODY, Capital()
    for night in range(NIGHTS):
        rows = np.concatenate([rows, arrivals(rng, ROWS, repeating, night * ROWS)])[-(kept or 0) :]
        test, every, tested = ids_of(rows)
        new, share = fresh(test, known), hidden(test, every, known, copies=False)
        if share < 0.5:
            won = rng.random(len(new)) < np.where(rows[tested][new] < CELLS, *gain)
            capital = capital.after(differences(won * 1.0, ~won * 1.0, 1.0, hidden=share))
        known = Known(np.union1d(known.words, test.words()))
        if capital.shown(LEVEL):
            return True
    return False


def test_a_worse_challenger_is_promoted_at_most_as_often_as_the_level_allows():
    """Better on the tenth of the rows that never repeat, and worse on the cells: .195 against .120."""
    rng = np.random.default_rng(0)
    champion, challenger = np.array([0.1, 0.3]), np.array([0.2, 0.15])
    assert [0.12, 0.195] == [pytest.approx(0.9 * error[0] + 0.1 * error[1]) for error in (champion, challenger)]
    promoted = {"rows": 0, "contents": 0}
    for _ in range(QUARTERS // 2):
        rows, words, capitals = np.empty(0), dict.fromkeys(promoted, NOBODY.words), dict.fromkeys(promoted, Capital())
        for night in range(2 * NIGHTS):
            rows = np.concatenate([rows, arrivals(rng, 3 * ROWS, 0.9, 3 * night * ROWS)])
            test, every, tested = ids_of(rows)
            for what, numbered in (("rows", True), ("contents", False)):
                known = Known(words[what], numbered)
                new = fresh(test, known)
                assert not numbered or hidden(test, every, known, copies=False) == 0
                where = (rows[tested][new] >= CELLS).astype(int)
                theirs, ours = (rng.random(len(new)) < error[where] for error in (champion, challenger))
                capitals[what] = capitals[what].after(differences(theirs * 1.0, ours * 1.0, 1.0))
                words[what] = np.union1d(words[what], test.words() if numbered else test.of_contents)
        for what, capital in capitals.items():
            promoted[what] += capital.shown(LEVEL)
    assert promoted["rows"] <= MOST / 2
    assert promoted["contents"] > 0.9 * QUARTERS / 2  # what a bet on new contents would do


@pytest.mark.parametrize("repeating", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("kept", [None, 3 * ROWS])
def test_equal_learners_are_promoted_at_most_as_often_as_the_level_allows_also_in_a_table_that_slides(repeating, kept):
    """The challenger loses on the rows that repeat and wins on the others, both as much."""
    elsewhere = (0.5 - 0.2 * repeating) / (1 - repeating)
    promoted = sum(quarter(seed, np.array([0.2, elsewhere]), repeating, kept) for seed in range(QUARTERS))
    assert promoted <= MOST


def test_a_better_challenger_is_promoted_where_no_row_repeats_and_where_few_do():
    assert all(quarter(seed, np.array([0.6, 0.6]), repeating=0.0, kept=900) for seed in range(9))
    assert all(quarter(seed, np.array([0.6, 0.6]), repeating=0.02, kept=900) for seed in range(9))
    assert all(quarter(seed, np.array([0.6, 0.6]), repeating=1.0) for seed in range(9))


def test_of_copies_kept_together_those_that_come_again_are_the_hidden_share():
    test, every, _ = ids_of(np.arange(200.0), together=True)
    known = Known(test.words())
    more = np.concatenate([np.arange(200.0), np.arange(40.0), np.arange(200.0, 300.0)])
    grown, whole, _ = ids_of(more, together=True)
    again = len(grown.content) - len(test.content) - len(fresh(grown, known))
    assert again > 0
    new = again + len(fresh(grown, known))
    assert again / new == hidden(grown, whole, known, copies=True)
    assert 0 == hidden(grown, whole, known, copies=False)  # groups, whose names are known
    assert 0 == hidden(test, every, NOBODY, copies=True)
