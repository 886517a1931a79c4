"""What the fits left of a candidate, next to what only the settings and the prepared rows of a run say."""

import numpy as np

from heldout.learners.fit_warnings import WarningCounts
from heldout.notebook.load import SavedModels
from heldout.unlabelled.half_model_controls import Controls
from tasks.fits.stored_models import StoredModels

KNOWN = Controls(np.zeros((60, 1)), np.zeros((9, 1)))


def models(settings, controls):
    return StoredModels(settings, settings.candidates[0], SavedModels("a", False, None, WarningCounts.of([]), controls))


def test_rows_that_were_picked_are_not_drawn_as_the_unlabelled_rows_are(prepared):
    assert KNOWN is models(prepared(), KNOWN).controls
    assert models(prepared("data.sampling=active"), KNOWN).controls.startswith("data.sampling is active")
    assert "no" == models(prepared("data.sampling=active"), "no").controls


def test_e_in_is_of_the_labelled_rows_without_those_of_the_test_set(prepared):
    assert 60 == models(prepared(), KNOWN).final_rows
