"""What people and MLflow read of an interval that cannot be right."""

from dataclasses import replace

import pytest

from heldout.intervals import credible
from heldout.losses import SQUARED
from tasks.report.estimates_table import columns_and_rows
from tasks.report.next_steps import next_steps
from tasks.report.note import note
from tasks.report.sentences import sentences

REASON = "3 of 8 rows carry 41 % of the loss"


def doubted(summary):
    made = summary(percent=False, not_credible={"E_cv": REASON, "E_test": REASON})
    return replace(made, not_credible={("bayes", "E_cv"): REASON, ("baseline", "E_cv"): REASON})


def test_the_sentence_has_the_estimates_the_reason_and_the_first_advice(summary):
    said = sentences(doubted(summary))["not credible"]
    assert f"(E_cv, E_test: {REASON})" in said
    assert "loss: absolute" in said
    assert "**not credible**" in note(doubted(summary)).text
    assert "not credible" not in sentences(summary())
    assert "not credible" not in sentences(summary(not_credible={}))


@pytest.mark.parametrize("changes", [["data.weight=w"], ["data.sampling=active", "data.label_probability=w"]])
def test_of_rows_that_count_unequally_the_weights_are_limited_first(summary, settings_with, changes):
    weighted = replace(doubted(summary), settings=settings_with(*changes))
    assert sentences(weighted)["not credible"].endswith(credible.advice(SQUARED, weighted=True))


def test_the_table_marks_the_intervals_of_every_candidate(summary):
    columns, rows = columns_and_rows(doubted(summary))
    marked = {row.name: row.cells[columns.index("E_cv")][1] for row in rows if row.cells}
    assert marked["bayes"].endswith(" ?")
    assert marked["baseline"].endswith(" ?")
    assert doubted(summary).cell("bayes", "E_cv")[1].endswith(" ?")
    assert not doubted(summary).cell("bayes", "E_test")[1].endswith("?")


def test_the_first_step_is_another_loss_or_a_limit(summary):
    assert next_steps(doubted(summary))[0].startswith("Judge by the absolute loss (loss: absolute), or cap the target")
