"""The intervals that cannot be right, of the winner in selection.json and of all in a table."""

from heldout.records import Estimate
from heldout.schemes.design import Evidence
from tasks.outcome.estimate import Results
from tasks.outcome.not_credible import look
from tasks.plans.read_design import read_design
from tasks.storage import report_tables

REASON = "3 of 48 rows carry 41 % of the loss"
LINE = ("E_cv", 0.1, "", 40, 48, 0.0, 0.2, 0.95, "corrected log t")
RECORDS = [
    Estimate("bayes", "E_val", 0.1, "", 36, 12, 0.0, 0.2, 0.95, "log t"),
    Estimate("bayes", *LINE, not_credible=REASON),
    Estimate("tree", *LINE, not_credible=REASON),
    Estimate("bayes", "E_test", 0.1, "", 48, 9, 0.0, 0.2, 0.95, "log t", not_credible=REASON),
]


def test_the_winner_has_its_doubts_and_the_table_those_of_all(prepared):
    settings = prepared()
    results = Results(read_design(settings), {"bayes": Evidence({})}, {})
    found = look(results, "bayes", RECORDS)
    assert {"not_credible": {"E_cv": REASON, "E_test": REASON}} == found.described()
    report_tables.write_not_credible(found.lines)
    read = report_tables.read_not_credible()
    assert [("bayes", "E_cv"), ("bayes", "E_test"), ("tree", "E_cv")] == [
        *zip(read["candidate"], read["estimate"], strict=True)
    ]
    assert {REASON} == {*read["reason"]}


def test_no_doubt_is_an_empty_mapping_and_a_table_without_lines(prepared):
    found = look(Results(read_design(prepared()), {"bayes": Evidence({})}, {}), "bayes", RECORDS[:1])
    assert {"not_credible": {}} == found.described()
    report_tables.write_not_credible(found.lines)
    assert report_tables.read_not_credible().empty
