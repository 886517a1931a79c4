"""What a file says is kept, or refused by name: nested values, double keys, cut files, infinities, ordered kinds."""

import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.data import column_types
from tasks.data.prepare_tables import prepare
from tasks.data.read_source import read_table
from tasks.data.write_prepared import write_prepared
from tasks.init import profile, start
from tasks.params import load
from tasks.storage import dvc_commands, files
from tests.tasks.mistakes import assert_refused
from tests.variants import some

LAWS = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def begin(monkeypatch):
    """init on a file, in a folder without DVC; returns its lines."""
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    return lambda name: start.initialize(name, "kind", None, Path.cwd())


@pytest.fixture
def table(rows):
    return rows.assign(z=np.random.default_rng(1).normal(size=60)).drop(columns="id")


# --- nested values


@pytest.mark.parametrize("value", some([[1, 2], [1.0], [], {"a": 1}, [[1], [2]], ["a", "b"]], [1, 2], []))
@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_nested_column_is_left_out_by_init_and_refused_by_name_in_a_run(table, begin, settings_of_rows, value, form):
    nested = table.assign(
        tags=pd.Series([value] * 59 + [value[:1] if isinstance(value, list) else value], dtype=object)
    )
    if form == "parquet":
        nested.to_parquet("t.parquet")
    else:
        Path("t.jsonl").write_text("\n".join(map(json.dumps, nested.to_dict("records"))))
    said = begin(f"t.{form}")
    (line,) = [line for line in said if line.startswith("dropped   tags: ")]
    assert "nested values" in line
    settings = load("params.yaml")
    assert ["tags"] == settings.data.drop
    assert not settings.data.missing
    assert "tags" not in prepare(settings).labeled.columns
    assert_refused(
        lambda: prepare(settings_of_rows(f"data.source=t.{form}")), "data.source", "'tags'", "nested", "data.drop"
    )


# --- JSON


@LAWS
@given(st.integers(0, 19), st.sampled_from(["x", "z", "kind"]), st.booleans())
def test_a_key_that_a_record_has_twice_is_refused_with_its_line(table, number, key, in_array):
    lines = list(map(json.dumps, table.iloc[:20].to_dict("records")))
    lines[number] = f'{lines[number][:-1]}, "{key}": 1}}'
    name = "t.json" if in_array else "t.jsonl"
    Path(name).write_text(f"[{','.join(f'{chr(10)}{line}' for line in lines)}]" if in_array else "\n".join(lines))
    assert_refused(lambda: read_table(name), "data.source", f"line {number + 1 + in_array}", repr(key), "2 times")


@pytest.mark.parametrize("text", ['{"x": 1}\n[1, 2]\n', '{"x": 1}\n7\n', '[{"x": 1}, 7]', '{"x": 1}\n{"x": }\n'])
def test_a_line_that_is_no_record_is_named(text):
    Path("t.json").write_text(text)
    assert_refused(lambda: read_table("t.json"), "data.source", f"line {2 if chr(10) in text else 1}")


def test_records_are_read_as_they_stand_over_lines_and_with_other_keys():
    Path("t.json").write_text('[\n {"x": 1,\n  "s": "a\u2028b"}, {"s": "c", "w": 1e3}\n]\n')
    found = read_table("t.json")
    assert ["x", "s", "w"] == [*found.columns]
    assert ["a\u2028b", "c"] == found["s"].tolist()
    assert [1.0, None] == [None if gap != gap else gap for gap in found["x"].tolist()]
    Path("t.jsonl").write_text('{"date": 5, "s": "a\u2028b"}\n\n{"date": 6, "s": null}')
    assert [5, 6] == read_table("t.jsonl")["date"].tolist()


# --- cut files


@LAWS
@given(st.integers(1, 60), st.sampled_from(["csv", "jsonl", "json"]))
def test_a_file_that_is_cut_inside_a_record_is_refused(table, cut, form):
    if form == "csv":
        text = table.assign(kind="won", note='a, "b"').to_csv(index=False)
        last = text.rstrip("\n").rfind("\n")
        text = text[: max(last + 2, len(text) - cut)]
        whole = text.count(",", last) >= 4 and text.count('"', last) % 2 == 0
    else:
        lines = list(map(json.dumps, table.to_dict("records")))
        text = f"[{','.join(lines)}]" if form == "json" else "\n".join(lines)
        text, whole = text[: -min(cut, len(lines[-1]) - 1)], False
    Path(f"t.{form}").write_text(text)
    if not whole:
        assert_refused(
            lambda: read_table(f"t.{form}"), "data.source", f"t.{form}", "cut short", *(["61"] * (form == "csv"))
        )


@pytest.mark.parametrize(
    "text", ["x,y\n1,2\n3,4", "x,y\n1\n3", "x,y\n1,2\n3\n", 'x,y\n1,2\n3,"a\nb"', "x,y\r\n1,2\r\n3,\r\n", "x\n1\n2"]
)
def test_a_file_that_may_be_whole_is_read(text):
    Path("t.csv").write_text(text)
    assert 2 == len(read_table("t.csv"))


# --- infinities


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("values", [[np.inf], [-np.inf], [np.inf, -np.inf, np.inf]])
def test_an_infinite_number_is_missing_and_its_column_stays(table, begin, form, values):
    places = [7, 20, 33][: len(values)]
    table.loc[places, "x"] = values
    if form == "jsonl":
        Path("t.jsonl").write_text("\n".join(map(json.dumps, table.to_dict("records"))))
    else:
        table.to_csv("t.csv", index=False) if form == "csv" else table.to_parquet("t.parquet")
    said = begin(f"t.{form}")
    settings = load("params.yaml")
    assert {str(value) for value in values} == {*settings.data.missing}
    assert not settings.data.drop
    for value in {*settings.data.missing}:
        assert any(f"'{value}' among numbers means missing: data.missing" in line for line in said)
    made = prepare(settings)
    x = pd.concat([made.labeled, made.test])["x"]
    assert len(values) == x.isna().sum()
    assert np.isfinite(x.dropna()).all()


def test_without_a_word_in_data_missing_a_run_refuses_an_infinite_number_with_its_row_and_the_remedy(
    table, settings_of_rows
):
    table.loc[7, "x"] = -np.inf
    table.to_csv("rows.csv", index=False)
    assert_refused(lambda: prepare(settings_of_rows()), "data.source", "'x'", "row 7", "-inf", "data.missing")
    assert 60 == len(prepare(settings_of_rows('data.missing=["-inf"]')).labeled)


# --- ordered categories


@LAWS
@pytest.mark.slow
@given(st.permutations(["low", "middle", "high", "none"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_stated_order_of_categories_is_kept_also_in_shards_and_files(settings_of_rows, order, gaps, seed):
    rng = np.random.default_rng(seed)
    values = pd.Categorical(rng.choice(order[:3], 60), categories=order, ordered=True)
    rows = pd.DataFrame({"x": rng.normal(size=60), "size": values, "kind": rng.choice(["won", "lost"], 60)})
    if gaps:
        rows.loc[3, "size"] = None
    rows.to_parquet("t.parquet")
    made = prepare(settings_of_rows("data.source=t.parquet"))
    expected = pd.CategoricalDtype(pd.Index(order[:3], dtype="str"), ordered=True)
    assert expected == made.labeled["size"].dtype
    write_prepared(made)
    assert expected == files.read_table(files.LABELED)[0]["size"].dtype
    shard = pd.Series(pd.Categorical([order[1], order[0], "new"]))
    conformed = column_types.conform(shard, made.columns["size"])
    assert [*order[:3], "new"] == conformed.cat.categories.tolist()
    assert conformed.cat.ordered


def test_categories_without_an_order_are_sorted_as_before():
    values = pd.Series(pd.Categorical(["b", "a", "b"], categories=["b", "c", "a"]))
    (dtype,) = column_types.typed(pd.DataFrame({"x": values}))[0].dtypes
    assert (["a", "b"], False) == (dtype.categories.tolist(), dtype.ordered)


def test_the_profile_of_a_column_with_one_string_among_numbers_is_as_before(table):
    table["x"] = table["x"].astype(str).mask(np.arange(60) == 7, "?")
    found = profile.look(table, "kind")
    assert ("?",) == found.missing
    assert "numeric" == found.kinds["x"]


# --- many columns


@pytest.mark.long
def test_the_time_to_read_and_profile_and_prepare_a_table_grows_with_its_columns_and_not_faster(settings_of_rows):
    def seconds(columns: int) -> float:
        rng = np.random.default_rng(0)
        wide = pd.DataFrame(rng.normal(size=(60, columns)), columns=[f"column {place}" for place in range(columns)])
        wide.assign(kind=rng.choice(["won", "lost"], 60)).to_csv("t.csv", index=False)
        begun = time.process_time()
        profile.look(read_table("t.csv"), "kind")
        prepare(settings_of_rows("data.source=t.csv"))
        return time.process_time() - begun

    seconds(20)  # imports
    assert min(seconds(4000), seconds(4000)) < 8 * max(seconds(1000), 0.2)
