"""Columns with a role are no features, and reach the prepared files row by row."""

import numpy as np
import pandas as pd
import pytest

from tasks.data import row_roles
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.storage import files
from tests.tasks.mistakes import assert_refused

NAMED = ("data.groups=house", "data.time=day", "data.weight=w")


@pytest.fixture
def sold(rows):
    """rows.csv with a group, a date and a weight for each row."""
    made = rows.assign(
        house=[f"h{row // 3}" for row in range(60)],
        day=pd.date_range("2026-01-01", periods=60)[::-1].strftime("%Y-%m-%d"),
        w=np.arange(60) / 60 + 0.5,
    )
    made.to_csv("rows.csv", index=False)
    return made


def test_role_columns_are_no_features_and_follow_their_rows(sold, settings_of_rows):
    write_prepared(prepare(settings_of_rows(*NAMED, "split.test_fraction=0.2")))
    for path, read in ((files.LABELED, files.read_roles), (files.TEST, files.read_test_roles)):
        X, _ = files.read_table(path)
        assert ["id", "x"] == list(X.columns)
        own = sold.iloc[X["id"]]
        found = read()
        assert ["group", "time", "weight"] == list(found)
        assert own["house"].tolist() == found["group"].tolist()
        assert pd.to_datetime(own["day"]).tolist() == pd.to_datetime(found["time"]).tolist()
        assert own["w"].tolist() == found["weight"].tolist()
    frame = pd.read_parquet(files.ROLES)
    assert ["row", "group", "time", "weight"] == list(frame.columns)
    assert list(range(len(frame))) == frame["row"].tolist()


def test_without_roles_their_file_has_the_rows_alone(rows, settings_of_rows):
    write_prepared(prepare(settings_of_rows()))
    assert ["row"] == list(pd.read_parquet(files.ROLES).columns)
    assert {} == files.read_roles()


def test_only_the_roles_that_are_named_are_written(sold, settings_of_rows):
    write_prepared(prepare(settings_of_rows("data.weight=w", "data.drop=[house, day]")))
    assert ["weight"] == list(files.read_roles())


def test_a_dropped_column_may_have_a_role(sold, settings_of_rows):
    made = prepare(settings_of_rows("data.groups=house", "data.drop=[house, day, w]"))
    assert ["id", "x", "target"] == list(made.labeled.columns)
    assert ["group"] == list(made.roles.labeled.columns)


@pytest.mark.parametrize("role", ["groups", "time", "weight"])
def test_a_role_needs_a_column(rows, settings_of_rows, role):
    settings = settings_of_rows(f"data.{role}=none")
    assert_refused(lambda: prepare(settings), f"data.{role}", "'none'", "rows.csv", "id", "x")


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (["data.groups=id", "data.time=id"], "data.time", ["'id'", "data.groups"]),
        (["data.weight=kind"], "data.weight", ["'kind'", "data.target"]),
    ],
)
def test_a_column_has_one_role(settings_of_rows, changes, key, words):
    assert_refused(lambda: settings_of_rows(*changes), key, *words)


@pytest.mark.parametrize(("role", "column"), [("groups", "house"), ("time", "day"), ("weight", "w")])
def test_a_role_is_known_of_every_row_with_a_label(sold, settings_of_rows, role, column):
    sold.loc[[3, 4], column] = None
    sold.to_csv("rows.csv", index=False)
    settings = settings_of_rows(f"data.{role}={column}")
    assert_refused(lambda: prepare(settings), f"data.{role}", repr(column), "missing", 2, 60)


@pytest.mark.parametrize("text", ["yesterday", "3/4/2026"])
def test_times_are_numbers_or_dates_that_can_be_read_in_one_way(sold, settings_of_rows, text):
    sold.assign(day=text).to_csv("rows.csv", index=False)
    assert_refused(lambda: prepare(settings_of_rows("data.time=day")), "data.time", "'day'", "numbers", "dates")


@pytest.mark.parametrize(("form", "dayfirst"), [("%d.%m.%Y", "null"), ("%d/%m/%y", "true"), ("%m/%d/%y", "false")])
def test_times_may_be_written_in_any_order_that_is_clear_or_said(sold, settings_of_rows, form, dayfirst):
    days = pd.date_range("2011-01-01", periods=12).repeat(5)
    settings = settings_of_rows("data.time=day", f"data.read.dayfirst={dayfirst}")
    found = row_roles.read(sold.assign(day=days.strftime(form)), settings)
    assert days.tolist() == found["time"].tolist()


def test_groups_of_mixed_types_are_compared_as_text(sold, settings_of_rows):
    found = row_roles.read(sold.assign(house=["a", 7, "8"] * 20), settings_of_rows("data.groups=house"))
    assert ["a", "7", "8"] * 20 == found["group"].tolist()


def test_times_of_several_zones_are_of_one_clock(sold, settings_of_rows):
    zoned = pd.date_range("2026-01-01", periods=60, tz="Europe/Berlin")
    found = row_roles.read(sold.assign(day=zoned), settings_of_rows("data.time=day"))
    assert zoned.tz_convert("UTC").tz_localize(None).tolist() == found["time"].tolist()
