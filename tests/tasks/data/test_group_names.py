"""Groups of a file go by the text of their names, whatever the format, and a test set has its share of them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.data.prepare_tables import prepare
from tests.tasks.data.test_file_formats import WRITERS
from tests.tasks.mistakes import assert_refused
from tests.variants import some

ROWS = 400
FORMS = {name.removeprefix("t."): writer for name, writer in WRITERS.items() if name.count(".") == 1}


def names_of(digits: int) -> list[str]:
    """Names of so many digits for 200 groups of two rows; as floats they are one."""
    return [f"{10 ** (digits - 1) + row // 2}" for row in range(ROWS)]


def table(ids) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"x": rng.normal(size=ROWS), "kind": rng.choice(["won", "lost"], ROWS), "row": range(ROWS), "house": ids}
    )


@pytest.fixture
def prepared_of(settings_of_rows):
    """What `prepare` makes of a file, with data.groups."""

    def make(name, *changes):
        return prepare(
            settings_of_rows(
                f"data.source={name}", "data.groups=house", "split.test_fraction=0.3", "split.folds=3", *changes
            )
        )

    return make


def rows_of_test(made) -> set[int]:
    return {*made.test["row"].tolist()}


@pytest.mark.parametrize("digits", [3, 17, 19, 20, 25])
def test_the_test_set_has_its_share_of_groups_of_long_names(prepared_of, digits):
    table(names_of(digits)).to_csv("t.csv", index=False)
    made = prepared_of("t.csv")
    assert 0.2 * ROWS < len(made.test) < 0.4 * ROWS
    assert {row ^ 1 for row in rows_of_test(made)} == rows_of_test(made)
    assert len({*made.roles.labeled["group"], *made.roles.test["group"]}) == ROWS // 2


@pytest.mark.parametrize("form", FORMS)
def test_names_of_17_digits_are_the_same_groups_in_every_format(prepared_of, form):
    table(names_of(17)).to_csv("text.csv", index=False)
    expected = prepared_of("text.csv")
    for ids in (names_of(17), [int(name) for name in names_of(17)]):
        FORMS[form](table(ids), f"t.{form}")
        if form == "xlsx" and isinstance(ids[0], int):  # Excel keeps 15 digits of a number
            assert_refused(lambda: prepared_of("t.xlsx"), "data.groups", "house", "2^53", "text")
            continue
        made = prepared_of(f"t.{form}")
        assert rows_of_test(made) == rows_of_test(expected)
        assert made.roles.labeled["group"].tolist() == expected.roles.labeled["group"].tolist()
        assert made.partition.fold.tolist() == expected.partition.fold.tolist()


@pytest.mark.parametrize("dtype", some(["int64", "uint64", "Int64", "decimal", "category", "object"], "Int64"))
def test_every_type_of_parquet_keeps_all_digits_next_to_rows_without_a_group(prepared_of, dtype):
    names = names_of(19 if dtype != "decimal" else 25)
    rows = table(names)
    rows.to_csv("t.csv", index=False)
    numbers = [int(name) for name in names]
    of = {
        "decimal": pd.Series([Decimal(name) for name in names], dtype=object),
        "category": pd.Series(names, dtype="category"),
        "object": pd.Series(names, dtype=object),
    }
    rows.assign(house=of[dtype] if dtype in of else pd.Series(numbers, dtype=dtype)).to_parquet("t.parquet")
    assert rows_of_test(prepared_of("t.csv")) == rows_of_test(prepared_of("t.parquet"))
    rows.loc[:9, ["house", "kind"]] = None  # rows without a label need no group
    rows.to_csv("t.csv", index=False)
    gaps = rows["house"].isna()
    values = of[dtype].mask(gaps) if dtype in of else pd.Series(numbers, dtype="object").mask(gaps).astype("Int64")
    plain = pa.Table.from_pandas(rows.assign(house=values), preserve_index=False).replace_schema_metadata()
    if dtype == "uint64":
        plain = plain.set_column(plain.column_names.index("house"), "house", plain["house"].cast(pa.uint64()))
    pq.write_table(plain, "t.parquet")
    assert rows_of_test(prepared_of("t.csv")) == rows_of_test(prepared_of("t.parquet"))


@pytest.mark.parametrize("form", FORMS)
def test_texts_that_are_the_same_number_are_different_groups(prepared_of, form):
    codes = [f"{zeros}{number}" for number in range(1, 51) for zeros in ("", "0", "000")] + ["1E2", "100", "1e2", "2E5"]
    ids = [codes[row % len(codes)] for row in range(ROWS)]
    FORMS[form](table(ids), f"t.{form}")
    made = prepared_of(f"t.{form}")
    assert {*codes} == {*made.roles.labeled["group"], *made.roles.test["group"]}
    assert not {*made.roles.labeled["group"]} & {*made.roles.test["group"]}


def test_the_names_are_the_same_with_other_keys_of_data(prepared_of):
    rows = table([f"0{name}" for name in names_of(17)]).assign(x=[f"{row},5" for row in range(ROWS)])
    rows.to_csv("t.csv", index=False)
    expected = prepared_of("t.csv")
    again = prepared_of("t.csv", "data.read.decimal=comma", 'data.missing=["?"]')
    assert rows_of_test(expected) == rows_of_test(again)
    assert expected.roles.labeled.equals(again.roles.labeled)


def test_a_float_that_may_be_several_names_is_refused(prepared_of):
    table([float(name) for name in names_of(17)]).to_parquet("t.parquet")
    assert_refused(lambda: prepared_of("t.parquet"), "data.groups", "house", "1e+16", "2^53", "text")
