"""E-processes of a champion: no row serves twice, and none a learner that was thought of after its outcome."""

import numpy as np

from heldout.monitoring.promotion import EProcess
from tasks.outcome.contest import PairRecord, Promotion
from tasks.outcome.e_processes import EProcesses


def night(*rows, gain=0.5) -> Promotion:
    record = PairRecord(EProcess().after(np.full(len(rows), gain)), 1.0, ({"rows": len(rows)},))
    return Promotion("no", "", record, used=np.array(rows, np.uint64))


FOUND = (
    EProcesses("heldout/1").after("a", night(1, 2), at=10).after("b", night(2, 3), at=20).after("a", night(4), at=30)
)


def test_a_pair_never_uses_a_row_twice():
    assert {1, 2, 4} == {*FOUND.spent("a", known_since=0).tolist()}
    assert {2, 3} == {*FOUND.spent("b", known_since=0).tolist()}
    assert [1, 2, 4] == FOUND.of_pair("a").tolist()


def test_a_learner_may_use_the_rows_of_others_only_if_it_was_known_before():
    spent = {since: {*FOUND.spent("c", known_since=since).tolist()} for since in (10, 11, 20, 21, 99)}
    assert {10: set(), 11: {1, 2}, 20: {1, 2}, 21: {1, 2, 3}, 99: {1, 2, 3, 4}} == spent


def test_the_newest_record_of_a_pair_counts_unless_its_champion_was_restored_since():
    assert 1 == FOUND.record("a", restored=0).process.rows
    assert EProcess() == FOUND.record("a", restored=31).process == FOUND.record("c", restored=0).process
    assert 1 == FOUND.record("a", restored=30).process.rows


def test_without_a_record_nothing_changes():
    assert FOUND is FOUND.after("a", Promotion("no", ""), at=40)
