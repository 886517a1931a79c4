"""Where unlabelled rows may not narrow an interval, a candidate of a run says why."""

import pandas as pd

from heldout.unlabelled.half_model_controls import NO_ROWS
from tasks.fits.stored_models import StoredModels
from tasks.plans.read_design import read_design
from tasks.storage import files


def reason(settings, failed=()):
    return StoredModels(settings, settings.candidates[0], read_design(settings), dict(failed)).controls


def test_rows_that_were_picked_are_not_drawn_as_the_unlabelled_rows_are(prepared):
    assert NO_ROWS == reason(prepared("data.sampling=active"))
    pd.DataFrame({"id": [1], "x": [0.5]}).to_parquet(files.UNLABELED / "shard-00000.parquet")
    assert reason(prepared("data.sampling=active")).startswith("data.sampling is active")
    assert "the half models do not answer: no" == reason(prepared(), {"disagreement": "no"})
    files.write_fits({"controls": pd.DataFrame(columns=["candidate", "kind"])}, {})
    assert "its half models do not answer" == reason(prepared())
