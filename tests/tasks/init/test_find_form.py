"""init finds how a table's text is written: the same table in any form is prepared to the same rows, and it is said."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from tasks.data.prepare_tables import prepare
from tasks.data.text_form import USUAL, TextForm
from tasks.init import find_form, start
from tasks.params import load
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands
from tests.tasks.data.test_file_formats import workbook
from tests.tasks.mistakes import assert_names

ROWS = 120


@pytest.fixture(autouse=True)
def without_dvc(monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=ROWS)
    word = rng.choice(["a, b", "c; d", "e|f", "g"], ROWS)
    return pd.DataFrame({"x": x.round(2), "word": word, "y": (x + rng.normal(size=ROWS)).round(2) * 1000})


def begin(path, target="y", text=USUAL):
    return start.initialize(str(path), target, None, Path.cwd(), text)


def form_written():
    return TextForm(**yaml.safe_load(Path("params.yaml").read_text())["data"].get("read", {}))


FORMS = {
    "usual": ({}, USUAL, None),
    "semicolons and decimal commas": ({"sep": ";", "decimal": ","}, TextForm("semicolon", "comma"), "found"),
    "semicolons": ({"sep": ";"}, TextForm("semicolon"), "found"),
    "tabs": ({"sep": "\t", "decimal": ","}, TextForm("tab", "comma"), "found"),
    "bars": ({"sep": "|"}, TextForm("bar"), "found"),
    "quoted decimal commas": ({"decimal": ","}, TextForm(None, "comma"), "parsed"),
}


@pytest.mark.parametrize(("how", "form", "word"), FORMS.values(), ids=FORMS)
def test_a_table_in_any_form_is_prepared_to_the_same_rows(frame, how, form, word):
    Path("given").mkdir()
    frame.to_csv("plain.csv", index=False)
    frame.to_csv("given/t.csv", index=False, **how)
    lines = begin("given/t.csv")
    assert form == form_written()
    assert (word is not None) == any(line.split()[0] == word for line in lines)
    settings = load("params.yaml")
    plain = load("params.yaml", ["data.source=plain.csv", "data.read.separator=null", "data.read.decimal=null"])
    pd.testing.assert_frame_equal(prepare(plain).labeled, prepare(settings).labeled)


@pytest.mark.slow
def test_options_decide_what_is_open(frame):
    frame["y"] = [f"{row},{row + 100}" for row in range(1, ROWS + 1)]
    frame["x"] = np.arange(ROWS) % 7
    frame.to_csv("t.csv", index=False)
    with pytest.raises(UserError) as caught:
        begin("t.csv")
    assert_names(str(caught.value), "--target", "y", "'1,101'", "--decimal")
    for sign, number in ((",", 1.101), (".", 1101)):
        lines = begin("t.csv", text=TextForm.given(None, sign, None))
        assert (sign == ".") == any(line.startswith("parsed    y: ") for line in lines)  # the reader reads a comma
        assert number in prepare(load("params.yaml", ["split.test_fraction=0"])).labeled["target"].tolist()


def test_numbers_with_a_point_elsewhere_say_what_a_comma_is(frame):
    frame.assign(y=[f"{row},{row + 100}" for row in range(1, ROWS + 1)]).to_csv("t.csv", index=False)
    assert any(line.startswith("parsed    y: ") and "1101" in line for line in begin("t.csv"))
    assert TextForm(decimal="point") == form_written()


def test_columns_with_different_marks_are_each_read_with_their_own(frame):
    frame.assign(z=[f"{row},5" for row in range(ROWS)]).to_csv("t.csv", index=False)
    assert any(line.startswith("parsed    z: ") and "'0,5'" in line for line in begin("t.csv"))
    assert USUAL == form_written()
    assert {"x", "z"} <= set(prepare(load("params.yaml")).labeled.select_dtypes("float").columns)


def test_the_order_of_day_and_month_is_asked_for_and_settled_by_an_option(frame):
    days = pd.date_range("2011-01-01", periods=12)[np.random.default_rng(0).integers(0, 12, ROWS)]
    frame.assign(day=days.strftime("%d/%m/%y")).to_csv("t.csv", index=False)
    (dropped,) = [line for line in begin("t.csv") if line.startswith("dropped")]
    assert_names(dropped, "day", "%d/%m/%y", "%m/%d/%y", "--dayfirst", "data.read.dayfirst")
    lines = begin("t.csv", text=TextForm.given(None, None, True))
    assert any(line.startswith("parsed    day: ") for line in lines)
    found = prepare(load("params.yaml", ["split.test_fraction=0"])).labeled["day"]
    assert days.to_series().value_counts().to_dict() == found.value_counts().to_dict()


def test_gaps_marked_by_a_string_do_not_hide_decimal_commas(frame):
    frame["x"] = [f"{value:.2f}".replace(".", ",") if row % 9 else "?" for row, value in enumerate(frame["x"])]
    frame.to_csv("t.csv", index=False, sep=";", decimal=",")
    begin("t.csv")
    labeled = prepare(load("params.yaml", ["split.test_fraction=0"])).labeled
    assert (ROWS // 9 + 1, "float64") == (labeled["x"].isna().sum(), str(labeled["x"].dtype))


def test_two_separators_that_fit_alike_are_asked_for():
    Path("t.csv").write_text("a,b;c\n" + "1,2;3\n" * 9)
    with pytest.raises(UserError) as caught:
        find_form.read("t.csv", USUAL)
    assert_names(str(caught.value), "t.csv", "comma", "semicolon", "--sep")
    assert ["a,b", "c"] == list(find_form.read("t.csv", TextForm("semicolon")).table.columns)
    with pytest.raises(UserError) as caught:
        TextForm.given(":", None, None)
    assert_names(str(caught.value), "--sep", "':'", "comma", "semicolon", "tab", "bar")


def test_a_target_of_too_many_classes_is_refused(frame):
    frame.assign(y=[f"n{row // 2}" for row in range(ROWS)]).to_csv("t.csv", index=False)
    with pytest.raises(UserError) as caught:
        begin("t.csv")
    assert_names(str(caught.value), "--target", "y", 60, ROWS, 5)
    frame["y"] = ["?" if row % 9 == 0 else f"${row},000" for row in range(ROWS)]
    frame.to_csv("t.csv", index=False)
    with pytest.raises(UserError) as caught:
        begin("t.csv")
    assert_names(str(caught.value), "--target", "y", "numbers", "'?'")
    assert not Path("params.yaml").exists()


def test_init_names_the_sheets_that_are_not_read_also_where_the_target_is_in_one(frame):
    workbook("t.xlsx", frame, frame.head(3))
    (line,) = [line for line in begin("t.xlsx") if "sheets" in line]
    assert line.startswith("found")
    assert_names(line, "t.xlsx", 2, "'S1'", "'S2'")
    workbook("cover.xlsx", frame.rename(columns={"y": "z"}), frame)
    with pytest.raises(UserError) as caught:
        begin("cover.xlsx")
    assert_names(str(caught.value), "--target", "'y'", "cover.xlsx", "'S1'", "'S2'")


def test_nested_values_are_left_out_by_name():
    rows = [{"x": row**2 % 7, "deep": {"a": [row]}, "y": row % 2} for row in range(ROWS)]
    Path("t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert any(line.startswith("dropped   deep: ") for line in begin("t.jsonl"))


def test_a_table_in_a_store_is_copied_below_data_raw(frame, tmp_path_factory):
    outside = tmp_path_factory.mktemp("store") / "t.csv.zip"
    frame.to_csv(outside, index=False, sep=";", compression="zip")
    begin(f"file://{outside}")
    assert outside.read_bytes() == Path("data/raw/t.csv.zip").read_bytes()
    assert "data/raw/t.csv.zip" == load("params.yaml").data.source
    assert ["init-params.yaml", "init-table_checks.yaml"] == sorted(path.name for path in Path(".cache").iterdir())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("memory://t.csv", ["s3://", "gs://", "file://"]),
        ("https://example.org/t.csv", ["s3://", "download"]),
        ("file:///t.csv::file:///u.csv", ["s3://"]),
        ("file:///none/t.csv", ["cannot be read"]),
        ("file:///etc/passwd", [".csv", ".parquet"]),
        ("s3://bucket/t.csv", ["s3fs", "not installed"]),
    ],
)
def test_what_cannot_be_fetched_is_refused(source, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)  # as where requirements.lock is installed
    with pytest.raises(UserError) as caught:
        begin(source)
    assert_names(str(caught.value), source, *words)
    assert not Path("params.yaml").exists()


@pytest.mark.parametrize("target", ["price", "y"])
def test_prices_with_points_between_thousands_and_no_comma_are_read_and_said(frame, target):
    price = np.random.default_rng(1).integers(100, 999, ROWS) * 1000
    frame["price"] = [f"{value:,} €".replace(",", ".") for value in price]
    frame.drop(columns="x").astype({"y": int}).to_csv("t.csv", index=False, sep=";")
    said = begin("t.csv", target)
    (line,) = [line for line in said if "between thousands" in line]
    assert_names(line, "price", frame["price"][0])
    assert any(line.startswith("parsed    price") and f"{price[0]}" in line for line in said)
