"""Whole numbers beyond 2^53 lose no digit on their way: as features, labels, and in the identity of a row."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from tasks.data.content_hash import content_hash
from tasks.data.prepare_tables import prepare
from tasks.data.read_source import read_table
from tasks.data.row_contents import contents
from tests.tasks.data.test_group_names import FORMS

LONG = [2**53 + place for place in range(8)] + [-(2**53) - 1, 2**63 - 1, -(2**63)]
LONGER = [*LONG, 2**63, 2**64 - 1, 10**24 + 1, 10**24 + 3]


@pytest.mark.parametrize("values", [LONG, [*LONG[:10], 2**63], LONGER])
def test_rows_that_differ_in_the_last_digit_have_identities_of_their_own_in_any_type(values):
    text = contents(pd.DataFrame({"x": [str(value) for value in values]}))
    assert len({*text.tolist()}) == len(values)
    objects = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert text.tolist() == contents(objects).tolist()
    assert text.tolist() == contents(pd.DataFrame({"x": [Decimal(value) for value in values]})).tolist()
    assert text.tolist() == contents(objects.astype("str").astype("category")).tolist()
    if values == LONG:
        for dtype in ("int64", "Int64"):
            typed = pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
            assert text.tolist() == contents(typed).tolist()
            gap = pd.concat([typed.astype("Int64"), pd.DataFrame({"x": pd.Series([None], dtype="Int64")})])
            assert text.tolist() == contents(gap)[:-1].tolist()
        whole = pd.DataFrame({"x": values})
        assert content_hash(whole) != content_hash(whole.astype("float64").astype("object"))
        assert content_hash(whole) != content_hash(whole.assign(x=[LONG[0], *LONG[:-1]]))


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_next_to_a_gap_are_read_with_all_digits(form):
    if form == "xlsx":
        pytest.skip("Excel keeps 15 digits of a number")
    for values in (LONG, LONGER):
        column = pd.Series([*values, None], dtype=object)
        if form in ("parquet", "feather"):
            kind = pa.int64() if values == LONG else pa.decimal128(38)
            table = pa.table({"x": pa.array([*values, None], kind), "y": range(len(column))})
            pq.write_table(table, "t.parquet") if form == "parquet" else pa.feather.write_feather(table, "t.feather")
        elif form in ("json", "jsonl"):
            lines = [
                f'{{"y": {place}, "x": {"null" if value is None else value}}}' for place, value in enumerate(column)
            ]
            text = "\n".join(lines) if form == "jsonl" else f"[{', '.join(lines)}]"
            Path(f"t.{form}").write_text(text)
        else:
            FORMS[form](pd.DataFrame({"x": column, "y": range(len(column))}), f"t.{form}")
        found = read_table(f"t.{form}")["x"]
        assert values == [int(value) for value in found.dropna()]
        assert found.isna().tolist() == column.isna().tolist()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_labels_of_17_digits_are_as_many_classes_as_are_written(settings_of_rows, form):
    rng = np.random.default_rng(0)
    classes = np.array([10**16 + 1, 10**16, 10**16 + 2])[np.arange(90) % 3]
    kinds = pd.Series(classes, dtype=object).mask(np.arange(90) < 9)
    rows = pd.DataFrame({"x": rng.normal(size=90), "kind": kinds})
    if form == "parquet":
        rows = rows.astype({"kind": "Int64"})
    FORMS[form](rows, f"t.{form}")
    made = prepare(settings_of_rows(f"data.source=t.{form}", "data.shards=1", "loss=zero_one"))
    assert {*classes.tolist()} == {*made.labeled["target"].tolist()}
    assert made.labeled["target"].dtype == np.int64
