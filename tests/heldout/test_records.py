"""Records are frozen, and an estimate's bounds are those of its interval."""

from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pytest

from heldout.intervals.method import with_interval
from heldout.records import Estimate, Interval
from heldout.splits.split import Split

FIELDS = {"candidate": "a", "estimate": "E_val", "value": 0.2, "target": "g-", "n_train": 8, "n_tested": 2}
COLUMNS = ["candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_train", "n_tested"]


def test_an_estimate_has_the_columns_of_the_estimates_table():
    # and the assumption, which the table leaves to its methods, and the doubt, which has a table of its own
    assert {*COLUMNS, "assumption", "not_credible"} == set(asdict(Estimate(**FIELDS)))


def test_an_estimate_takes_bounds_level_method_and_assumption_from_its_interval():
    found = with_interval(Estimate(**FIELDS), Interval(0.1, 0.4, 0.9, "Wilson", "independent"))
    taken = {"low": 0.1, "high": 0.4, "level": 0.9, "interval": "Wilson", "assumption": "independent"}
    assert {**FIELDS, **taken, "not_credible": None} == asdict(found)


def test_an_estimate_without_an_interval_claims_nothing():
    nothing = dict.fromkeys(["low", "high", "level", "interval", "assumption", "not_credible"])
    assert {**FIELDS, **nothing} == asdict(Estimate(**FIELDS))


@pytest.mark.parametrize("missing", FIELDS)
def test_an_estimate_without_target_value_or_size_cannot_be_made(missing):
    with pytest.raises(TypeError, match=missing):
        Estimate(**{name: value for name, value in FIELDS.items() if name != missing})


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (Estimate(**FIELDS), "value"),
        (Interval(0.1, 0.4, 0.9, "Wilson", "independent"), "low"),
        (Split(np.arange(2), np.arange(2)), "train"),
    ],
    ids=["Estimate", "Interval", "Split"],
)
def test_records_are_frozen(record, field):
    with pytest.raises(FrozenInstanceError):
        setattr(record, field, 0)
