"""The table of estimates in a terminal of any width: nothing is cut, and a log shows the winner too."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.display import cells
from heldout.display.text_table import MARK, MOST, Row, few, lines, output_width
from heldout.losses import ABSOLUTE, ZERO_ONE, amounts

NAMES = st.text("abé-_木|*", min_size=1, max_size=40)
CELL = st.tuples(st.from_regex(r"[0-9]{1,6}", fullmatch=True), st.sampled_from(["", "0.5–0.75", "12.34–123456"]))
COLUMNS = ["E_in", "E_val", "E_cv", "disagreement", "E_maxdt"]


def drawn(rows, width) -> list[str]:
    return [line for line, _ in lines(COLUMNS, rows, width)]


@st.composite
def tables(draw) -> list[Row]:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    cells = st.lists(CELL, min_size=len(COLUMNS), max_size=len(COLUMNS))
    return [Row(name, draw(cells), selected=not place) for place, name in enumerate(names)]


@settings(max_examples=40)
@given(tables(), st.integers(10, 200))
def test_at_every_width_each_block_has_every_name_and_each_number_is_there_whole(rows, width):
    blocks = "\n".join(drawn(rows, width)).split("\n\n")
    heads = [re.findall(r"E_\w+|disagreement", block.split("─")[0].replace("candidate", "")) for block in blocks]
    assert COLUMNS == [name for head in heads for name in head]
    places = iter(range(len(COLUMNS)))
    for block, head in zip(blocks, heads, strict=True):
        columns = [next(places) for _ in head]
        body = block.rpartition("─")[2].splitlines()[1:]
        assert [] == [row.name for row in rows if not any(row.name in line for line in body)]
        words = [word for line in body for word in line.split()]
        for row in rows:
            assert {word for place in columns for word in row.cells[place] if word} <= {*words}


@settings(max_examples=40)
@given(tables(), st.integers(40, 200))
def test_no_line_is_wider_than_the_terminal_for_names_that_fit(rows, width):
    assert all(len(line) <= width for line in drawn([Row(row.name[:18], row.cells) for row in rows], width))


def test_columns_that_fit_stay_in_one_block():
    rows = [Row("tree", [("1.0", "0.5–2.0")] * len(COLUMNS))]
    whole = drawn(rows, 200)
    width = max(map(len, whole))
    assert whole == drawn(rows, width)
    assert "" not in whole
    assert 1 == drawn(rows, width - 1).count("")


def test_the_selected_candidate_alone_is_marked_and_a_failed_candidate_says_so_in_each_block():
    cells = [("1.0", "")] * len(COLUMNS)
    rows = [Row("tree", cells, selected=True), Row("* bayes", cells), Row("broken", (), note="failed")]
    shown = drawn(rows, 30)
    blocks = 1 + shown.count("")
    assert blocks > 1
    assert blocks == sum(line.startswith(f"{MARK} tree ") for line in shown)
    assert blocks == sum(line.split() == ["broken", "failed"] for line in shown)
    assert all(line[:1] in ("", " ", "─", MARK) for line in shown)


def test_wide_letters_take_two_places():
    cells = [("1.0", "")] * len(COLUMNS)
    by_name = {row.name: line for line, row in lines(COLUMNS, [Row("木", cells), Row("ab", cells)], 100) if row}
    assert len(by_name["木"]) + 1 == len(by_name["ab"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.021_87, "0.0219"),
        (0.1, "0.100"),
        (1.234_56, "1.23"),
        (57.031, "57.0"),
        (3253.4, "3253"),
        (33_140.2, "33,140"),
        (1.23456e-7, "1.23e-07"),
        (1.23456e12, "1.23e+12"),
    ],
)
def test_a_number_of_a_table_has_three_significant_digits_and_every_whole_one(value, shown):
    assert shown == amounts.rounded(value, ABSOLUTE)
    assert float(shown.replace(",", "")) == pytest.approx(value, rel=5e-3)


def test_errors_stay_in_percent():
    assert ("2.2", "0.0–100.0") == cells.cell(0.021_87, 0, 1, ZERO_ONE)
    assert ("2.2", "") == cells.cell(0.021_87, None, None, ZERO_ONE)


def test_a_log_has_a_width_of_its_own_and_no_terminal_is_asked(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    assert 120 == output_width()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert 40 == output_width()


def test_a_note_is_wrapped_between_its_words_and_whole():
    note = "failed: ValueError: " + "too few rows of a class " * 9
    rows = [Row("tree", [("1.0", "0.5–2.0")] * len(COLUMNS)), Row("broken", (), note=note)]
    for width in (40, 80, 120):
        table = drawn(rows, width)
        assert all(len(line) <= width for line in table)
        assert " ".join(note.split()) in " ".join(" ".join(table).split())


@settings(max_examples=40)
@given(st.integers(0, 30), st.integers(0, 29), st.booleans())
def test_of_many_rows_the_first_the_selected_and_those_with_a_note_have_a_line(count, place, failed):
    rows = [Row(f"c{number}", [("1", "")], selected=number == place) for number in range(count)]
    rows += [Row("broken", (), note="failed: no")] * failed + [Row("baseline", [("9", "")])]
    shown = few(rows, "report.html", ("baseline",))
    kept = {f"c{number}" for number in range(count) if number < MOST or number == place}
    assert [row.name for row in rows if row in shown] == [row.name for row in shown if row in rows]
    assert kept == {row.name for row in shown if row.name.startswith("c")}
    left = count - len(kept)
    assert ([f"{left} others"] if left else []) == [row.name for row in shown if row not in rows]
    assert ["baseline"] == [row.name for row in shown][-1:]
