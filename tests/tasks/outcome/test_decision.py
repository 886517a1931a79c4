"""What of a run decides about the winner."""

import pytest

from heldout.diagnosis.too_good import Carrier
from tasks.outcome.decision import _too_good
from tasks.outcome.suspicious import Suspicious
from tasks.storage.findings import RecordedFinding

ODOR = Suspicious(0.0, (Carrier(("odor",), 0.3), Carrier(("cap", "ring"), 0.2)))
SEEN = RecordedFinding("leak", "odor tells", columns=["odor"], decided="it is smelled before")


@pytest.mark.parametrize(
    ("doubt", "found", "stops"),
    [
        (None, [], False),
        (ODOR, [], True),
        (ODOR, [SEEN], True),
        (ODOR, [SEEN, RecordedFinding("leak", "both", columns=["cap", "ring"])], True),
        (ODOR, [SEEN, RecordedFinding("leak", "both", columns=["cap", "ring"], decided="seen before")], False),
        (Suspicious(0.0, ()), [SEEN], True),
    ],
)
def test_an_error_that_is_too_low_stops_until_somebody_has_decided_about_its_columns(doubt, found, stops):
    assert stops == bool(_too_good(doubt, found))
