"""A table whose line of names is missing is asked about; no table with names is, whatever the names are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from tasks.data.text_form import USUAL
from tasks.init import find_form, start
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands
from tests.tasks.data.test_file_formats import workbook
from tests.tasks.mistakes import assert_names

ROWS = 200
SETS = ("iris", "wine", "breast_cancer", "diabetes", "digits")


def of_read(name):
    return [finding for finding in find_form.read(name, USUAL).findings if "first line" in finding.text]


def autos():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "symboling": rng.integers(-2, 4, ROWS),
            "losses": ["?", *np.where(rng.random(ROWS - 1) < 0.2, "?", rng.integers(65, 257, ROWS - 1).astype(str))],
            "make": rng.choice(["alfa-romero", "audi", "bmw", "volvo"], ROWS),
            "fuel": rng.choice(["gas", "diesel"], ROWS),
            "base": rng.normal(98, 6, ROWS).round(1),
            "width": rng.normal(98, 6, ROWS).round(1),
            "price": rng.integers(5000, 45000, ROWS),
        }
    )


def categories():
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.choice(["p", "x", "s", "n"], (ROWS, 8)), columns=list("abcdefgh"))


def days():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {"day": pd.date_range("2026-01-01", periods=ROWS).strftime("%d/%m/%Y"), "x": rng.integers(0, 99, ROWS)}
    )


def duplicated():
    return pd.concat([categories()] * 2, ignore_index=True)


@pytest.mark.parametrize("table", [autos, categories, days, duplicated])
@pytest.mark.parametrize("how", [{}, {"sep": ";", "decimal": ","}])
def test_a_table_without_a_line_of_names_is_asked_about_and_with_one_it_is_not(table, how):
    table().to_csv("t.csv", index=False, **how)
    assert [] == of_read("t.csv")
    table().to_csv("t.csv", index=False, header=False, **how)
    (finding,) = of_read("t.csv")
    assert "care" == finding.severity
    assert_names(finding.line, "t.csv", "names")
    assert all(finding.columns == () for finding in find_form.read("t.csv", USUAL).findings)  # no numbered names


@pytest.mark.parametrize("name", SETS)
def test_the_sets_of_scikit_learn_are_asked_about_without_their_names_alone(name):
    table = getattr(datasets, f"load_{name}")(as_frame=True).frame
    table.to_csv("t.csv", index=False)
    assert [] == of_read("t.csv")
    table.to_csv("t.csv", index=False, header=False)
    assert 1 == len(of_read("t.csv"))


def test_a_sheet_without_names_is_asked_about():
    frame = autos()
    workbook("t.xlsx", frame)
    assert [] == of_read("t.xlsx")
    workbook("t.xlsx", frame.iloc[1:].set_axis([*frame.iloc[0]], axis=1))
    assert 1 == len(of_read("t.xlsx"))


RNG = np.random.default_rng(3)
NAMED = {
    "columns that were counted": pd.DataFrame(RNG.normal(size=(ROWS, 6))),
    "two that were counted": pd.DataFrame(RNG.normal(size=(ROWS, 2))),
    "counted pixels": pd.DataFrame(RNG.integers(0, 256, (ROWS, 64))),
    "years": pd.DataFrame(RNG.integers(100, 90_000, (ROWS, 8)), columns=[*range(1952, 1992, 5)]),
    "years of countries": pd.DataFrame(RNG.integers(100, 90_000, (ROWS, 3)), columns=[1990, 2000, 2010]).assign(
        country=[f"c{row}" for row in range(ROWS)], continent=RNG.choice(["Asia", "Africa"], ROWS)
    ),
    "wavelengths": pd.DataFrame(RNG.random((ROWS, 4)), columns=["900.5", "904.25", "910.0", "1003.5"]),
    "one column called as its value": pd.DataFrame(
        {"male": RNG.choice(["male", "female"], ROWS), "x": RNG.random(ROWS), "kind": RNG.choice(["a", "b"], ROWS)}
    ),
    "nothing but texts": pd.DataFrame(
        {"a": [f"r {row}" for row in range(ROWS)], "b": [f"s{row}" for row in range(ROWS)]}
    ),
    "truth values": pd.DataFrame(RNG.random((ROWS, 3)) < 0.5, columns=list("abc")),
}


@pytest.mark.parametrize("table", NAMED.values(), ids=NAMED)
def test_names_that_are_numbers_or_words_of_the_table_are_no_row(table):
    table.to_csv("t.csv", index=False)
    assert [] == of_read("t.csv")


def test_lines_of_names_between_the_rows_are_no_reason():
    text = autos().to_csv(index=False)
    Path("t.csv").write_text(text * 3)
    assert [] == of_read("t.csv")


def test_init_asks_also_where_the_target_is_no_column_of_it(monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    autos().to_csv("autos.csv", index=False, header=False)
    with pytest.raises(UserError) as caught:
        start.initialize("autos.csv", "price", None, Path.cwd())
    assert_names(str(caught.value), "--target", "'price'", "autos.csv", "first line", "100.1")
    target = str(autos()["price"][0])
    (line,) = [line for line in start.initialize("autos.csv", target, None, Path.cwd()) if "first line" in line]
    assert line.startswith("found     autos.csv: ")
