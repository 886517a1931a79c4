"""The bets on a champion: no row serves twice, and none serves a learner that was thought of after its outcome."""

import numpy as np

from heldout.monitoring.promotion import Capital
from tasks.outcome.bets import Book
from tasks.outcome.contest import PairRecord, Promotion


def night(*rows, gain=0.5) -> Promotion:
    record = PairRecord(Capital().after(np.full(len(rows), gain)), 1.0, ({"rows": len(rows)},))
    return Promotion("no", "", record, bets=np.array(rows, np.uint64))


BOOK = Book("heldout/1").after("a", night(1, 2), at=10).after("b", night(2, 3), at=20).after("a", night(4), at=30)


def test_a_pair_never_bets_twice_on_a_row():
    assert {1, 2, 4} == {*BOOK.spent("a", known_since=0).tolist()}
    assert {2, 3} == {*BOOK.spent("b", known_since=0).tolist()}
    assert [1, 2, 4] == BOOK.of_pair("a").tolist()


def test_a_learner_may_bet_on_the_rows_of_others_only_if_it_was_known_before():
    spent = {since: {*BOOK.spent("c", known_since=since).tolist()} for since in (10, 11, 20, 21, 99)}
    assert {10: set(), 11: {1, 2}, 20: {1, 2}, 21: {1, 2, 3}, 99: {1, 2, 3, 4}} == spent


def test_the_newest_record_of_a_pair_counts_unless_its_champion_was_restored_since():
    assert 1 == BOOK.record("a", restored=0).capital.rows
    assert Capital() == BOOK.record("a", restored=31).capital == BOOK.record("c", restored=0).capital
    assert 1 == BOOK.record("a", restored=30).capital.rows


def test_without_a_bet_the_book_stays():
    assert BOOK is BOOK.after("a", Promotion("no", ""), at=40)
