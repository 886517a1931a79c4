"""On which rows a champion and a winner are compared: the new ones, as often as they come, no biased part of them."""

from dataclasses import replace

import numpy as np
import pytest

from studies.repeating_rows import BETTER, LEVEL, WORSE, Case, promoted, table_of
from tasks.outcome.new_rows import KnownRows, fresh, hidden

QUARTERS = 40
MOST = QUARTERS * (1 - LEVEL) + 2 * (QUARTERS * LEVEL * (1 - LEVEL)) ** 0.5  # promotions, of learners no better
NOBODY = KnownRows(np.empty(0, np.uint64))


def often(case: Case, *, by_content: bool = False, nights: int = 18, rows: int = 500, quarters: int = QUARTERS) -> int:
    case = replace(case, nights=nights, rows=rows)
    return sum(promoted(case, seed, by_content=by_content) for seed in range(quarters))


@pytest.mark.slow
def test_a_worse_challenger_is_promoted_at_most_as_often_as_the_level_allows():
    """Better on the tenth of the rows that never repeat, and worse on the cells: .195 against .120."""
    assert "19.5 % against 12 %" in str(WORSE)
    assert often(WORSE) <= MOST
    assert often(WORSE, by_content=True, quarters=9) > 4  # what a bet on new contents would do
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
    assert 0.8 == hidden(slid, left, KnownRows(left.of_contents, numbered=False), copies=False)  # an older version


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
