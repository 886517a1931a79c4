"""Kinds of columns: what each becomes, what is refused, and that shards come out as the labelled rows are."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks.column_kind import kind_of_dtype
from tasks.data.column_types import KINDS, conform, kind_of, kinds, separated, typed
from tasks.data.dates import ColumnError
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import assert_refused

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
MANY = [f"word {number}" for number in range(50)]
NUMBERED = [str(number) for number in range(50)]
FOUND = {
    "whole": ([1, 2, 3], "numeric", "int64"),
    "whole with a gap": ([1, None, 3], "numeric", "float64"),
    "numbers": ([1.5, None], "numeric", "float64"),
    "nullable": (pd.array([1, None], dtype="Int64"), "numeric", "float64"),
    "nullable, whole": (pd.array([1, 2], dtype="Int64"), "numeric", "int64"),
    "half precision": (np.array([1.5], dtype="float16"), "numeric", "float64"),
    "decimals": ([decimal.Decimal("1.5"), None], "numeric", "float64"),
    "beyond 64 bits": ([10**30, 1], "numeric", "float64"),
    "beyond 1e300": ([1e308, -1e308], "numeric", "float64"),
    "gaps alone": ([None, None], "numeric", "float64"),
    "truth": ([True, False], "boolean", "bool"),
    "truth with a gap": ([True, None, False], "category", "category"),
    "nullable truth": (pd.array([True, None], dtype="boolean"), "category", "category"),
    "few strings": (["a", "b", None] * 10, "category", "category"),
    "a category": (pd.Categorical([2, 1, None]), "category", "category"),
    "strings and numbers, few": ([1, "a", 2.5], "category", "category"),
    "many strings": (MANY, "text", "str"),
    "days": (["2024-01-31", None], "date", "datetime64[us]"),
    "moments": (["2024-01-31 10:00:05", "2024-02-01T00:00:00Z"], "date", "datetime64[us]"),
    "days, the month first": (["03/14/2024", "05/06/2024"], "date", "datetime64[us]"),
    "hours up to twelve": (["03/14/2024 12:05 AM", "05/06/2024 01:00 PM"], "date", "datetime64[us]"),
    "days with names": (["26-FEB-1987 15:01:01.79", "1-MAR-1987 00:00:00.00"], "date", "datetime64[us]"),
    "timestamps": (pd.to_datetime(["2024-01-01", None]), "date", "datetime64[us]"),
    "dates": ([datetime.date(2024, 1, 1), None], "date", "datetime64[us]"),
    "durations": (pd.to_timedelta([1, None], unit="h"), "numeric", "float64"),
    "durations of Python": ([datetime.timedelta(days=10**6), None], "numeric", "float64"),
    "durations of Arrow": (pd.array([1, None], dtype=pd.ArrowDtype(pa.duration("s"))), "numeric", "float64"),
}
CATEGORY = ("data.columns", "category", "text")
REFUSED = {
    "nested": ([[1], [2]], ["list", "data.drop"]),
    "nested mappings": ([{"a": 1}], ["dict"]),
    "bytes": ([b"x"], ["bytes"]),
    "complex": ([1j], ["complex"]),
    "infinite": ([1.0, np.inf], ["infinite", "row 1", "finite number"]),
    "infinite whole": ([10**400, 1], ["infinite", "row 0"]),
    "numbers and a sign": ([*NUMBERED, "?"], ["numbers", "'?'", "data.missing", *CATEGORY]),
    "two formats": (
        ["2024-01-31", "31.01.2024"],
        ["'2024-01-31'", "'31.01.2024'", "YYYY-MM-DD", *CATEGORY],
    ),
    "either order": (["03/04/2024", "05/06/2024"], ["%d/%m/%Y", "%m/%d/%Y"]),
    "dates and a word": (["2024-01-31", "unknown"], ["dates", "'unknown'", "data.missing"]),
    "no such day": (["2024-02-31", "2024-02-30"], ["dates", "format"]),
}


@pytest.mark.parametrize(("values", "kind", "dtype"), FOUND.values(), ids=FOUND)
def test_the_kind_is_found_and_has_one_dtype(values, kind, dtype):
    table, columns = typed(pd.DataFrame({"x": values}))
    assert (kind, kind) == (kinds(pd.DataFrame({"x": values}))["x"], kind_of_dtype(table["x"].dtype))
    assert dtype == str(table["x"].dtype)
    pd.testing.assert_series_equal(table["x"], conform(pd.Series(values, name="x"), columns["x"]))


@pytest.mark.parametrize(("values", "words"), REFUSED.values(), ids=REFUSED)
def test_a_column_without_a_kind_is_refused_by_name(values, words):
    table = pd.DataFrame({"fine": range(len(values)), "x": values})
    assert_refused(lambda: kinds(table), "data.source", "'x'", *words)
    with pytest.raises(ColumnError):
        kind_of(table["x"])
    assert ["x"] == list(separated(table)[2])


def test_at_most_ten_columns_are_named_and_the_others_counted():
    with pytest.raises(UserError) as caught:
        kinds(pd.DataFrame({f"x{number}": [[1]] for number in range(14)}))
    assert (11, "… and 4 more") == (len(str(caught.value).splitlines()), str(caught.value).splitlines()[-1])


CHOSEN = {
    "codes": ([3, 1, None], "category", ["3", "1", None]),
    "codes of text": (["01", "1"], "category", ["01", "1"]),
    "numbers written as text": (["1", "2.5", None], "numeric", [1.0, 2.5, None]),
    "0 and 1": ([0, 1, 1], "boolean", [False, True, True]),
    "0 and 1 with a gap": ([0, 1, None], "boolean", ["False", "True", None]),
    "words of truth": (["True", "false"], "boolean", [False, True][::-1]),
    "text": (["a", None], "text", ["a", None]),
    "truth as numbers": ([True, False], "numeric", [1, 0]),
}


@pytest.mark.parametrize(("values", "kind", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_the_users_kind_overrides_the_one_that_is_found(values, kind, expected):
    table, columns = typed(pd.DataFrame({"x": values}), {"x": kind})
    made = table["x"].astype(object).where(table["x"].notna(), None)
    assert expected == made.tolist()
    pd.testing.assert_series_equal(table["x"], conform(pd.Series(values, name="x"), columns["x"]))


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (["1", "x"], "numeric", ["'x'", "number"]),
        ([0, 2], "boolean", ["boolean", "true", "false", 0, 1]),
        (["a"], "date", ["dates", "'a'"]),
        ([5], "date", ["dates", "'5'"]),
        (pd.to_datetime(["2024-01-01"]), "numeric", ["dates", "numbers"]),
    ],
)
def test_a_kind_that_the_values_do_not_have_is_refused(values, kind, words):
    table = pd.DataFrame({"x": values})
    assert_refused(lambda: kinds(table, {"x": kind}), "data.source", "'x'", *words)


@pytest.mark.parametrize(
    ("labelled", "shard", "expected"),
    [
        ([1, 2], [3.5, None], [3.5, None]),
        ([True, False], [True, None], [1.0, None]),
        ([True, None], [True, False], ["True", "False"]),
        (["a", "b"], ["b", "new", None], ["b", "new", None]),
        (["a", "b"], [None, None], [None, None]),
        ([1, 2], [None, None], [None, None]),
        ([None, None], [1, 2], [1.0, 2.0]),
        (["2024-01-31"], ["2023-02-01", None], [pd.Timestamp("2023-02-01"), None]),
        (np.array([1, 2], dtype="int8"), [500], [500.0]),
        (np.array([1, 2], dtype="int8"), [5], [5]),
    ],
)
def test_a_shard_keeps_its_values_in_the_labelled_dtype_or_one_that_can_hold_them(labelled, shard, expected):
    _, columns = typed(pd.DataFrame({"x": labelled}))
    made = conform(pd.Series(shard), columns["x"])
    assert expected == made.astype(object).where(made.notna(), None).tolist()


@pytest.mark.parametrize(
    ("labelled", "shard"),
    [([1, 2], ["a", "b"]), ([1, 2], [True, False]), (["a"], [1.5]), ([True], [2]), (["2024-01-31"], ["31.01.2024"])],
)
def test_a_shard_of_another_kind_is_refused(labelled, shard):
    _, columns = typed(pd.DataFrame({"x": labelled}))
    with pytest.raises(ColumnError):
        conform(pd.Series(shard), columns["x"])


values = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**60), 2**60)), min_size=1),
    st.lists(st.one_of(st.none(), st.floats(allow_infinity=False)), min_size=1),
    st.lists(st.one_of(st.none(), st.booleans()), min_size=1),
    st.lists(st.one_of(st.none(), st.text(max_size=5)), min_size=1),
    st.lists(st.one_of(st.none(), st.datetimes(datetime.datetime(1700, 1, 1))), min_size=1),
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(), st.booleans()), min_size=1),
)


@LAWS
@given(values)
def test_every_column_has_a_kind_that_parquet_keeps_or_a_reason_without(tmp_path_factory, cells):
    table = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    if separated(table)[2]:
        with pytest.raises(UserError, match="^data.source: the column 'x' "):
            typed(table)
        return
    made, columns = typed(table)
    assert kind_of_dtype(made["x"].dtype) in KINDS
    assert table["x"].isna().tolist() == made["x"].isna().tolist()
    pd.testing.assert_series_equal(made["x"], conform(table["x"], columns["x"]))
    path = tmp_path_factory.mktemp("x") / "x.parquet"
    made.to_parquet(path)
    read = pd.read_parquet(path)["x"]
    assert kind_of_dtype(made["x"].dtype) == kind_of_dtype(read.dtype)
    assert made["x"].astype(object).where(made["x"].notna(), None).tolist() == (
        read.astype(object).where(read.notna(), None).tolist()
    )
