"""data.key: a row is known by it, whatever becomes of its other values."""

import pandas as pd
import pytest

from tasks.data.prepare_tables import prepare, seen_in
from tasks.storage.quarantine import about
from tasks.storage.seen_rows import SeenRows
from tasks.track.data_source import source_of
from tests.tasks.mistakes import assert_refused

KEYED = ["data.key=id", "split.test_fraction=0.3"]


def test_a_row_whose_values_change_stays_in_its_part_and_the_key_is_no_feature(rows, settings_of_rows):
    settings = settings_of_rows(*KEYED)
    before = prepare(settings)
    assert ["x", "target"] == [*before.labeled.columns]
    changed = rows.assign(x=100 * rows["x"], kind=rows["kind"].map({"won": "lost", "lost": "won"}))
    changed.sample(frac=1, random_state=0).to_csv("rows.csv", index=False)
    after = prepare(settings)
    known, now = (set(made.row_ids[made.row_ids["part"] == "test"]["content"]) for made in (before, after))
    assert known == now
    assert 0 < len(known) < len(rows)
    assert before.seen.labeled.overlaps(after.seen.labeled)
    pd.testing.assert_series_equal(
        (100 * before.test["x"]).sort_values(ignore_index=True), after.test["x"].sort_values(ignore_index=True)
    )


def test_a_row_is_found_again_in_runs_with_and_without_a_key(rows, settings_of_rows):
    keyed, free = settings_of_rows(*KEYED), settings_of_rows("split.test_fraction=0.3")
    seen, by_content = prepare(keyed).seen, prepare(free).seen
    assert seen.columns.startswith("key ")
    assert seen.has_fewer_columns_than(by_content)
    assert by_content.has_fewer_columns_than(seen)
    assert not seen.labeled.overlaps(by_content.labeled)
    assert seen.labeled.overlaps(seen_in(free, seen.columns).labeled)
    assert by_content.labeled.overlaps(seen_in(keyed, by_content.columns).labeled)
    assert not SeenRows().has_fewer_columns_than(seen)


def test_runs_on_another_table_are_not_of_these_rows_with_a_key_or_without(rows, settings_of_rows):
    of_another = prepare(settings_of_rows("data.drop=[id]")).seen
    rows.rename(columns={"x": "of", "id": "here"}).to_csv("rows.csv", index=False)
    for change in ("data.key=here", "data.drop=[]"):
        settings = settings_of_rows(change, "split.test_fraction=0.3")
        seen = prepare(settings).seen
        found = seen_in(settings, of_another.columns)
        assert seen.labeled == found.labeled
        assert not found.labeled.overlaps(of_another.labeled)


def test_a_key_makes_another_data_source_and_none_leaves_it_as_it_was(rows, settings_of_rows):
    free, keyed = settings_of_rows(), settings_of_rows("data.key=id")
    assert "key" not in free.model_dump()["data"]
    for text in (about, source_of):
        assert f"{text(free)}, key id" == text(keyed)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("data.key=name", ["data.key", "'name'", "rows.csv", "id"]),
        ("data.key=copied", ["data.key", "'copied'", "share", "tell"]),
        ("data.key=gap", ["data.key", "'gap'", "missing in 1 of 60"]),
        ("data.key=kind", ["data.key", "'kind'", "data.target"]),
        ("data.key=[]", ["data.key", "no column"]),
        ("data.key=[id, id]", ["data.key", "twice"]),
    ],
)
def test_what_cannot_name_a_row_is_refused(rows, settings_of_rows, change, words):
    gap = rows["id"].astype("str").mask(rows["id"] == 3)
    rows.assign(copied=rows["id"] // 2, gap=gap).to_csv("rows.csv", index=False)
    assert_refused(lambda: prepare(settings_of_rows(change)), *words)


def test_several_columns_name_a_row_together_and_texts_are_not_numbers(rows, settings_of_rows):
    rows.assign(shop=rows["id"] // 10, receipt=[f"0{one}" for one in rows["id"] % 10]).to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("data.key=[shop, receipt]", "split.test_fraction=0.3"))
    assert ["id", "x", "target"] == [*made.labeled.columns]
    assert 60 == made.row_ids["content"].nunique()
    rows.assign(a=["7", "07"] * 30, b=rows["id"] // 2).to_csv("rows.csv", index=False)
    assert 60 == prepare(settings_of_rows("data.key=[a, b]")).row_ids["content"].nunique()
