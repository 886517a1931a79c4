"""Strings that are mostly numbers, called numeric in data.columns: a range is its middle, the rest is missing."""

import numpy as np
import pandas as pd
import pytest

from tasks.data import loose_numbers
from tasks.data.column_types import conform, typed, unread
from tasks.data.dates import ColumnError
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.storage import files
from tests.tasks.mistakes import assert_names, assert_refused

PLAIN = [f"{1000 + 7 * row}.5" for row in range(40)]
ODD = {
    "a range": ("2100 - 2850", 2475),
    "a range without blanks": ("10-20", 15),
    "a range in words": ("10 to 20", 15),
    "a long line": ("10 \N{EN DASH} 20", 15),
    "below zero": ("-5 - -3", -4),
    "a range that falls": ("20-10", None),
    "another unit": ("34.46Sq. Meter", None),
    "a range in another unit": ("10 m - 20 m", None),
    "a date": ("2019-03-04", None),
    "words": ("on request", None),
    "a long text": ("9" * 41 + " or more", None),
}
UNITS = {
    "a unit": ("{} bar", "bar"),
    "without a blank": ("{}kg", "kg"),
    "a power": ("{} m2", "m2"),
    "two words": ("{} Sq. Meter", "Sq. Meter"),
    "a sign": ("${}", "$"),
    "degrees": ("{} °C", "°C"),
    "a quotient": ("{} km/h", "km/h"),
    "percent": ("{} %", "%"),
    "the plural": ("{} years", "year"),
}


@pytest.mark.parametrize(("string", "number"), ODD.values(), ids=ODD)
def test_a_range_is_its_middle_and_what_is_no_number_is_missing(string, number):
    table = pd.DataFrame({"x": [*PLAIN, string]})
    assert_refused(lambda: typed(table), "data.source", "'x'", repr(string), "data.columns", "numeric", "missing")
    made, columns = typed(table, {"x": "numeric"})
    expected = [*map(float, PLAIN), np.nan if number is None else number]
    np.testing.assert_array_equal(expected, made["x"])
    pd.testing.assert_series_equal(made["x"], conform(table["x"], columns["x"]))
    tally = unread(table, columns)["x"]
    assert (41, 1, int(number is not None), string) == (tally.present, tally.others, tally.ranges, tally.example)


@pytest.mark.parametrize(("form", "unit"), UNITS.values(), ids=UNITS)
def test_a_unit_that_the_values_share_is_left_out_and_another_is_missing(form, unit):
    table = pd.DataFrame({"x": [*map(form.format, PLAIN), "5 feet"]})
    made, columns = typed(table, {"x": "numeric"})
    assert unit == loose_numbers.unit_of(columns["x"].format)
    np.testing.assert_array_equal([*map(float, PLAIN), np.nan], made["x"])


def test_one_year_and_two_years_have_one_unit_but_milliwatts_and_megawatts_two():
    years = pd.DataFrame({"x": ["1 year", *(f"{row} years" for row in range(2, 10))], "y": ["1 mW", *["2 MW"] * 8]})
    made, _ = typed(years, {"x": "numeric", "y": "numeric"})
    assert [*range(1, 10)] == made["x"].tolist()
    assert [True, *[False] * 8] == made["y"].isna().tolist()


@pytest.mark.parametrize("strings", [["1", "x"], ["1", "x", "y"], ["01", "02", "10", "x"], ["12 kg", "12 lb", "3"]])
def test_codes_and_strings_of_which_half_are_no_numbers_of_one_form_are_no_numeric_column(strings):
    assert_refused(lambda: typed(pd.DataFrame({"x": strings}), {"x": "numeric"}), "data.source", "'x'", "number")


def test_a_decimal_comma_is_read_in_both_ends_of_a_range():
    made, columns = typed(pd.DataFrame({"x": ["1,5", "2,25", "3,75", "1,5 - 2,5"]}), {"x": "numeric"})
    assert ("comma|", [1.5, 2.25, 3.75, 2.0]) == (columns["x"].format, made["x"].tolist())


def test_numbers_in_disguise_and_other_kinds_are_read_as_before():
    table = pd.DataFrame({"x": ["$5.50", "$1,200.00"]})
    pd.testing.assert_frame_equal(typed(table)[0], typed(table, {"x": "numeric"})[0])
    mixed = pd.DataFrame({"x": [*PLAIN, "2100 - 2850"]})
    assert "2100 - 2850" == typed(mixed, {"x": "text"})[0]["x"].iloc[-1]


def test_prepare_counts_what_it_read_and_shards_follow_the_same_form(rows, settings_of_rows):
    area = [f"{1000 + row} ft" for row in range(58)]
    rows.assign(area=[*area, "10 - 20 ft", "on request"]).to_csv("t.csv", index=False)
    shard = rows.drop(columns="kind").head(4)
    shard.assign(area=["7 ft", "8 ft - 10 ft", "3 m", "none yet"]).to_csv("shard.csv", index=False)
    settings = settings_of_rows("data.source=t.csv", "data.unlabeled=shard.csv", "data.columns={area: numeric}")
    prepared = prepare(settings)
    (said,) = [one for one in prepared.warnings if "area" in one]
    assert_names(said, "data.columns", "2 of 60", "no numbers in ft", "ranges", "1 other is missing")
    assert 15 == prepared.labeled["area"].min()
    assert 1 == prepared.labeled["area"].isna().sum()
    (report,) = write_prepared(prepared)
    assert [7, 9] == pd.read_parquet(files.shards()[0])["area"].dropna().tolist()
    assert any("'area': 3 of 4 values are no numbers in ft" in note and "2 others" in note for note in report.notes)


def test_a_shard_of_which_most_values_are_no_numbers_is_of_another_kind():
    _, columns = typed(pd.DataFrame({"x": [*PLAIN, "2100 - 2850"]}), {"x": "numeric"})
    with pytest.raises(ColumnError, match="3 of 4 .*'a'.*data.columns"):
        conform(pd.Series(["a", "b", "c", "4"]), columns["x"])
