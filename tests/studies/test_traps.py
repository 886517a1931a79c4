"""The tables with traps can be read, are the same every time, and what is expected of each is well-formed."""

import re
from collections import Counter

import pytest

from studies import trap_finds
from studies.company_table import CompanyTable, expect
from studies.company_tables import company_tables
from studies.trap_finds import Printed
from studies.traps import traps
from tasks.data import read_source
from tasks.data.text_form import TextForm
from tasks.init import find_form
from tasks.storage.findings import RecordedFinding

TABLES = company_tables()
WORDS = {"found", "parsed", "leak", "time", "groups", "dropped", "error", "600"}
WITHOUT_THEIR_TARGET = {"cars, without a line of names", "cars, behind a cover sheet"}


def test_there_are_enough_tables_and_no_two_have_one_name():
    assert 15 <= len(TABLES)
    assert 30 == len(traps())
    for tables in (TABLES, traps()):
        assert {1} == {*Counter(table.name for table in tables).values()}
    assert 2 <= sum("honest" in table.name for table in TABLES)


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_each_table_is_read_and_has_its_target(table, tmp_path):
    path, shards = table.write(tmp_path / "t")
    found = find_form.read(str(path), TextForm())
    assert len(found.table) > (100 if "cover" not in table.name else 1)
    assert (table.target in found.table.columns) == (table.name not in WITHOUT_THEIR_TARGET)
    assert (shards is None) == (not table.shards)
    for shard in read_source.unlabeled_files(str(shards)) if shards else []:
        assert len(read_source.read_shard(shard, text=found.text).frame)


def test_each_table_is_the_same_every_time():
    assert TABLES == company_tables()


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_what_is_expected_is_named_once_and_starts_with_words_that_init_prints(table):
    assert {1} >= {*Counter(one.trap for one in table.expected).values()}
    for one in table.expected:
        assert one.words
        assert {*one.words} <= WORDS
        assert one.says
        assert not re.search(r"\s", "".join(one.words))


def test_an_expected_finding_is_met_by_its_word_and_every_part():
    one = expect("who repeats", "groups found", "customer", "rows")
    assert one.is_met_by("groups    customer: 9 rows")
    assert not one.is_met_by("leak      customer: 9 rows")
    assert not one.is_met_by("groups    customer")


def test_what_is_missed_and_what_is_further_is_on_the_page():
    table = CompanyTable("t", "t.csv", b"", "y", (expect("a", "leak", "cost"), expect("b", "time", "day")))
    printed = Printed(
        ["leak      cost: tells", "dropped   id: an identifier", "found     gaps"],
        (
            RecordedFinding("leak", "cost: tells"),
            RecordedFinding("found", "a | b", severity="care"),
            RecordedFinding("found", "gaps"),
        ),
    )
    seen = trap_finds.seen(table, printed)
    assert {"a": "leak      cost: tells", "b": None} == seen.lines
    assert ["found     a | b", "dropped   id: an identifier"] == seen.further
    page = trap_finds.page({"x": None}, {"t": seen}, {"iris": []}, {"adult": ["found     z"]})
    assert "| t | 2 | 1 | b | `found a ¦ b`<br>`dropped id: an identifier` |" in page
    assert "| x | missed |" in page
    assert "Found are 0 of 1 traps planted one by one, and 1 of\n2 in 1 tables" in page
    assert "- adult: `found z`" in page


def test_an_alarm_is_false_unless_it_is_listed_as_true():
    care = RecordedFinding("found", "quality: whole numbers 3 to 9, taken as 7 classes", severity="care")
    printed = Printed([], (care, RecordedFinding("time", "date"), RecordedFinding("found", "a note")))
    assert ["time      date"] == trap_finds.false_alarms("wine_quality", printed)
    assert [f"found     {care.text}"] == trap_finds.false_alarms("occupancy", printed)
    assert ["error no"] == trap_finds.false_alarms("occupancy", Printed(["error no", "dropped   id: constant"]))
