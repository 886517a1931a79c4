"""The name of a group is its text as it is written: no digit is lost, and nothing is read as a number."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

import heldout
from heldout.errors import BadArgument
from heldout.rows.group_names import group_names
from heldout.splits.dependence import checked_groups, distinct

LONG = 10**16 + np.arange(40) // 2  # neighbours are one float
CONTAINERS = {
    "list": list,
    "array": np.asarray,
    "objects": lambda ids: np.array(ids, dtype=object),
    "pandas": pd.Series,
    "nullable": lambda ids: pd.Series(ids, dtype="Int64"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunks": lambda ids: pa.chunked_array([ids]),
    "text": lambda ids: np.array([str(item) for item in ids]),
    "decimals": lambda ids: [Decimal(item) for item in ids],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_name_loses_no_digit_in_any_container(container):
    ids = [int(item) for item in LONG]
    assert [str(item) for item in ids] == group_names(CONTAINERS[container](ids))
    assert distinct(LONG).tolist() == checked_groups(CONTAINERS[container](ids), 40).group.tolist()


@given(st.lists(st.integers(-(2**80), 2**80), min_size=2))
def test_whole_numbers_of_any_size_are_as_many_groups_as_they_are_values(ids):
    assert len({*ids}) == len({*group_names(ids)})
    assert [str(item) for item in ids] == group_names(ids) == group_names([str(item) for item in ids])


def test_texts_that_are_the_same_number_are_two_groups_and_a_number_and_its_text_are_one():
    assert ["00005", "5", "1E2", "100", "5", "5"] == group_names(["00005", " 5 ", "1E2", 100, 5, np.float64(5)])
    assert [None, None, None, None, "nan"] == group_names([None, np.nan, pd.NA, pd.NaT, "nan"])
    assert ["True", "1", "1.5", "100"] == group_names([True, 1, 1.5, Decimal("1E+2")])


def test_a_float_that_may_stand_for_several_whole_numbers_is_refused_with_its_value():
    for groups in (LONG.astype(float), pd.Series(LONG.astype(float)), [1, float(2**53)]):
        with pytest.raises(
            BadArgument, match=r"groups has (1e\+16|9007199254740992\.0), a float beyond 2\^53"
        ) as error:
            checked_groups(groups, len(groups))
        assert "whole numbers or as text" in str(error.value)
    assert group_names([float(2**53 - 1)]) == [str(2**53 - 1)]


def test_the_estimates_of_long_ids_are_those_of_their_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    estimates = [
        heldout.validate({"a": Ridge()}, X, y, groups=groups, folds=5, repeats=2).estimates
        for groups in (np.arange(40) // 2 + 10, LONG, [str(item) for item in LONG], pd.Series(LONG, dtype=object))
    ]
    assert all(estimates[0] == others for others in estimates[1:])
