"""Where unlabelled rows may not narrow an interval, each line says so."""

import pandas as pd

from heldout.records import Estimate
from heldout.schemes.design import Evidence
from heldout.unlabelled.half_model_controls import NO_ROWS
from tasks.outcome.estimate import Results
from tasks.outcome.powered import powered_all
from tasks.plans.read_design import read_design
from tasks.storage import files

RECORDS = [Estimate("bayes", name, 0.1, "", 48, 12, 0.0, 0.2, 0.95, "Wilson") for name in ("E_val", "E_cv", "E_2cv")]


def reasons(settings):
    lines = powered_all(settings, Results(read_design(settings), {"bayes": Evidence({})}, {}), {"bayes": RECORDS})
    assert ["E_val", "E_cv"] == [line.estimate for line in lines]
    assert {None} == {line.value for line in lines}
    return {line.reason for line in lines}


def test_rows_that_were_picked_are_not_drawn_as_the_unlabelled_rows_are(prepared):
    assert {NO_ROWS} == reasons(prepared("data.sampling=active"))
    pd.DataFrame({"id": [1], "x": [0.5]}).to_parquet(files.UNLABELED / "shard-00000.parquet")
    [reason] = reasons(prepared("data.sampling=active"))
    assert reason.startswith("data.sampling is active")
    files.write_fits({"controls": pd.DataFrame(columns=["candidate", "kind"])}, {})
    assert {"its half models do not answer"} == reasons(prepared())
