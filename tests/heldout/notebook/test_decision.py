"""What of a result decides about the winner."""

from types import SimpleNamespace

import pytest

from heldout.decision.ship import Further
from heldout.diagnosis.too_good import Carrier
from heldout.notebook.decision import _too_good

ODOR = (Carrier(("odor",), 0.3), Carrier(("cap", "ring"), 0.2))


@pytest.mark.parametrize(
    ("carriers", "decided", "stops"),
    [
        (None, [], False),
        (ODOR, [], True),
        (ODOR, ["odor"], True),
        (ODOR, ["odor", "cap"], True),
        (ODOR, ["odor", "cap", "ring"], False),
        ((), ["odor"], True),
    ],
)
def test_an_error_that_is_too_low_stops_until_somebody_has_decided_about_its_columns(carriers, decided, stops):
    made = SimpleNamespace(too_good=lambda _: carriers)
    assert stops == bool(_too_good(made, "tree", Further(decided=decided)))
