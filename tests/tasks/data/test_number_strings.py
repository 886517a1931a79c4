"""Numbers written as strings: read as they were written, refused where they can be read in two ways."""

import contextlib
import time
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.data import column_types, dates, number_strings
from tasks.data.dates import ColumnError
from tasks.data.prepare_tables import prepare
from tasks.data.text_form import TextForm
from tasks.data.write_prepared import write_prepared
from tasks.storage import files
from tests.tasks.mistakes import assert_refused

LAWS = settings(max_examples=100, deadline=None, derandomize=True, database=None)
READ = {
    "dollars": (["$118,884", "-$95,000", "$950"], [118884, -95000, 950]),
    "euros": (["118.884 €", "95.000,50 €"], [118884, 95000.5]),
    "euros with thousands alone": (["€118.884"], [118884]),
    "quoted decimal commas": (["4836,12", "7"], [4836.12, 7]),
    "percent": (["12 %", "3.5%"], [12, 3.5]),
    "spaces": ([" 1 234,5 ", "7\N{NO-BREAK SPACE}000"], [1234.5, 7000]),
    "apostrophes": (["1'234.5"], [1234.5]),
    "typographic minus": (["\N{MINUS SIGN}5.5", "+2.5"], [-5.5, 2.5]),
    "told apart by another value": (["1,234", "1,234,567"], [1234, 1234567]),
    "no thousands after a zero": (["1,234", "0,123"], [1.234, 0.123]),
    "brackets": (["($1,200.50)", "$3"], [-1200.5, 3]),
    "a point alone": (["1.234", "5.678"], [1.234, 5.678]),
}
NOT_READ = {
    "codes": ["12", "007"],
    "addresses": ["192.168.1.1"],
    "two currencies": ["$5", "€6"],
    "two marks": ["1.5", "1,5"],
    "words": ["$5", "five"],
    "short groups": ["1,23,456"],
}


@pytest.mark.parametrize(("strings", "numbers"), READ.values(), ids=READ)
def test_numbers_in_disguise_are_a_numeric_column(strings, numbers):
    table = pd.DataFrame({"x": strings * 30})
    typed, columns = column_types.typed(table)
    assert numbers * 30 == typed["x"].tolist()
    pd.testing.assert_series_equal(typed["x"], column_types.conform(table["x"], columns["x"]))


@pytest.mark.parametrize(
    "cell",
    ["(" * 10**5, " " * 10**5 + "x", "1" * 10**5 + "x", "2020-01-01 10:00" + " " * 10**5 + "\nx"],
    ids=["brackets", "spaces", "digits", "a date"],
)
def test_a_long_cell_takes_no_longer_than_its_letters(cell):
    began = time.process_time()
    assert None is number_strings.decimal_of([cell], None)
    with contextlib.suppress(ColumnError):
        dates.common_format(pd.Series([cell], dtype=object))
    assert 5 > time.process_time() - began  # minutes, where it is quadratic


@pytest.mark.parametrize("strings", NOT_READ.values(), ids=NOT_READ)
def test_what_is_no_number_stays_a_string(strings):
    assert None is number_strings.decimal_of(strings, None)
    assert "category" == column_types.kind_of(pd.Series(strings))


def test_what_can_be_read_in_two_ways_is_asked_for():
    table = pd.DataFrame({"x": ["1,234", "5,678"]})
    assert_refused(lambda: column_types.typed(table), "data.source", "'x'", "'1,234'", "data.read.decimal", "--decimal")
    for decimal, number in (("point", 1234), ("comma", 1.234)):
        assert number == column_types.typed(table, text=TextForm(decimal=decimal))[0]["x"][0]


@pytest.mark.parametrize("odd", ["[5.5]", "5.5 kg", "€5.5"])
def test_many_numbers_with_another_form_among_them_are_no_text(odd):
    with pytest.raises(ColumnError, match="'.*'.*data.columns"):
        column_types.kind_of(pd.Series([f"${number}.5" for number in range(40)] + [odd]))


@LAWS
@given(
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1),
    st.sampled_from([(".", ","), (".", " "), (".", ""), (",", "."), (",", " "), (",", "")]),
    st.sampled_from(["{}", "${}", "{} €", "{}%", " {} "]),
)
def test_what_is_written_in_one_form_is_read_back(numbers, marks, form):
    decimal, thousands = marks
    signs = str.maketrans({",": thousands, ".": decimal})
    strings = [form.format(f"{number:,.2f}".translate(signs)) for number in numbers]
    found = number_strings.decimal_of(strings, None)
    assert {".": "point", ",": "comma"}[decimal] == found
    assert [float(number) for number in numbers] == number_strings.numbers(strings, found)


def test_a_target_and_shards_are_read_as_the_column_is(settings_of_rows):
    frame = pd.DataFrame({"x": [f"{row},5" for row in range(60)], "y": [f"${1000 + 7 * row:,}" for row in range(60)]})
    frame.to_csv("t.csv", index=False)
    frame[["x"]].tail(3).to_csv("shard-0.csv", index=False)
    pd.DataFrame({"x": [7, 8]}).to_csv("shard-1.csv", index=False)
    settings = settings_of_rows("data.source=t.csv", "data.target=y", "data.unlabeled=shard-*.csv")
    write_prepared(prepare(settings))
    labeled = pd.read_parquet(files.LABELED)
    assert [row + 0.5 for row in range(60)] == labeled["x"].tolist()
    assert [1000 + 7 * row for row in range(60)] == labeled["target"].tolist()
    assert [[57.5, 58.5, 59.5], [7, 8]] == [pd.read_parquet(path)["x"].tolist() for path in files.shards()]


def test_a_target_that_can_be_read_in_two_ways_is_asked_for(settings_of_rows):
    pd.DataFrame({"x": range(60), "y": [f"{row},{row + 100}" for row in range(1, 61)]}).to_csv("t.csv", index=False)
    base = ("data.source=t.csv", "data.target=y")
    assert_refused(lambda: prepare(settings_of_rows(*base)), "data.target", "'y'", "'1,101'", "data.read.decimal")
    assert 1.101 == prepare(settings_of_rows(*base, "data.read.decimal=comma")).labeled["target"][0]


def test_a_target_of_many_classes_with_few_rows_each_is_refused(settings_of_rows):
    pd.DataFrame({"x": range(180), "y": [f"n{row // 3}" for row in range(180)]}).to_csv("t.csv", index=False)
    base = ("data.source=t.csv", "data.target=y", "split.folds=3")
    assert_refused(lambda: prepare(settings_of_rows(*base)), "data.target", "y", 60, 180, "'n0'", 5, "data.positive")
    assert 60 == prepare(settings_of_rows(*base, "loss=zero_one", "split.stratify=false")).labeled["target"].nunique()
    Path("t.csv").unlink()
