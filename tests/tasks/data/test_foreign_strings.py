"""Strings of a kind that a package of others adds: named in data.columns, they are numbers, and the rest is missing."""

import importlib.util
import json
import textwrap

import numpy as np
import pandas as pd
import pytest

from heldout.rows import foreign_kinds
from heldout.rows.column_kind import ColumnKind
from tasks.data.column_types import KINDS, conform, typed, unread
from tasks.data.dates import ColumnError
from tasks.init import profile
from tests.extensions import EXAMPLE, MODULE, ROOT, install, python
from tests.tasks.mistakes import assert_names, assert_refused

CLOCK = ["1:23", "01:02:03", "90:00", "0:05"]
SECONDS = [83.0, 3723.0, 5400.0, 5.0]


@pytest.fixture(autouse=True)
def seconds(monkeypatch) -> ColumnKind:
    """The kind of the documentation's example, as if it were allowed."""
    path = EXAMPLE / MODULE / "column_kind.py"
    spec = importlib.util.spec_from_file_location("column_kind_of_the_example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(foreign_kinds.KINDS, "seconds", module.KIND)
    return module.KIND


@pytest.mark.parametrize("dtype", ["str", "object", "category"])
def test_a_named_kind_makes_numbers_of_strings_and_what_is_none_is_missing_and_counted(dtype):
    table = pd.DataFrame({"wait": pd.Series([*CLOCK, "n/a", "59", None], dtype=dtype)})
    made, columns = typed(table, {"wait": "seconds"})
    np.testing.assert_array_equal([*SECONDS, np.nan, np.nan, np.nan], made["wait"])
    assert ("numeric", "strings", "float64") == (columns["wait"].kind, columns["wait"].source, made["wait"].dtype)
    tally = unread(table, columns)["wait"]
    assert (6, 2, 0, "59") == (tally.present, tally.others, tally.ranges, tally.example)
    assert_names(tally.sentence("wait"), "2 of 6", "seconds", "'59'", "missing")
    pd.testing.assert_series_equal(made["wait"], conform(table["wait"], columns["wait"]))


def test_without_its_name_no_column_is_of_a_foreign_kind():
    assert {"wait": "category"} == {
        name: str(of) for name, of in typed(pd.DataFrame({"wait": CLOCK}))[0].dtypes.items()
    }
    assert "seconds" not in KINDS


def test_a_shard_is_read_by_the_kind_of_the_labelled_rows():
    _, columns = typed(pd.DataFrame({"wait": CLOCK}), {"wait": "seconds"})
    shard = pd.Series(["2:00", "late", None], name="wait")
    np.testing.assert_array_equal([120, np.nan, np.nan], conform(shard, columns["wait"]))
    assert 1 == unread(shard.to_frame(), columns)["wait"].others
    for strings, words in ((["late", "never", "1:00"], ("2 of 3", "'late'", "'1:23'")), (["x"], ("1 of 1", "'x'"))):
        with pytest.raises(ColumnError) as caught:
            conform(pd.Series(strings), columns["wait"])
        assert_names(str(caught.value), "seconds", *words)


def test_what_is_not_of_the_named_kind_is_refused():
    for values, words in (([1.5, 2.5], ("numbers", "strings")), (["a", "b", "1:00"], ("2 of 3", "'a'"))):
        table = pd.DataFrame({"wait": values})
        assert_refused(lambda table=table: typed(table, {"wait": "seconds"}), "data.source", "'wait'", *words)


def test_a_kind_that_breaks_its_contract_is_named(monkeypatch):
    for convert in (
        lambda strings: np.zeros(1),
        lambda strings: np.full(len(strings), np.inf),
        lambda strings: strings,
    ):
        monkeypatch.setitem(foreign_kinds.KINDS, "seconds", ColumnKind("seconds", "1:23", bool, convert))
        table = pd.DataFrame({"wait": CLOCK})
        words = ("the kind seconds gives", "heldout.testing.check_column_kind")
        assert_refused(lambda table=table: typed(table, {"wait": "seconds"}), "data.source", "'wait'", *words)


def test_a_kind_that_is_not_allowed_any_more_is_named(monkeypatch):
    _, columns = typed(pd.DataFrame({"wait": CLOCK}), {"wait": "seconds"})
    monkeypatch.delitem(foreign_kinds.KINDS, "seconds")
    with pytest.raises(ColumnError, match="kind seconds; .*execution.allowed_modules"):
        conform(pd.Series(CLOCK), columns["wait"])


def test_init_names_the_kind_that_recognises_strings_else_categories_texts_or_refused():
    rng = np.random.default_rng(0)
    waits = rng.integers(60, 4000, 300)
    strings = ["late", *(f"{each // 60}:{each % 60:02d}" for each in waits[1:])]
    some = np.resize(["1:00", "2:30", "59", *(f"{minutes}:07" for minutes in range(40))], 300)  # else refused
    table = pd.DataFrame(
        {"wait": strings, "some": some, "age": rng.normal(size=300), "price": waits + rng.normal(0, 900, 300)}
    )
    found = profile.look(table, "price")
    assert {"wait": "seconds", "some": "seconds"} == found.read_as
    assert {"wait": "numeric", "some": "numeric", "age": "numeric"} == found.kinds
    (line,) = (one.line for one in found.findings if one.topic == "parsed" and one.columns == ("wait",))
    assert_names(line, "seconds", "1 of 300", "'late'", "missing", "data.columns")


PREPARED = """
    import heldout, json, os
    heldout.allow("own")
    from pathlib import Path
    os.chdir({folder!r})
    import pandas as pd
    from tasks.data import new_shards
    from tasks.data.prepare_tables import prepare
    from tasks.data.write_prepared import write_prepared
    from tasks.params import load
    from tasks.runtime.errors import UserError
    from tasks.storage import files, stage_settings
    rows = range(1, 61)
    table = {{"wait": ["late", *(f"{{row}}:00" for row in rows[1:])], "kind": [row % 2 for row in rows]}}
    pd.DataFrame(table).to_csv("t.csv", index=False)
    settings = load({params!r}, [
        "execution.allowed_modules=[sklearn, own]", "data.columns={{wait: seconds}}", "data.source=t.csv",
        "data.target=kind", "data.positive=null", "data.labeled_rows=null", "split.test_fraction=0", "split.folds=5",
    ])
    made = prepare(settings)
    write_prepared(made)
    stage_settings.write("prepare", settings)
    pd.DataFrame({{"wait": ["1:00", "late"]}}).to_csv("new.csv", index=False)
    ((frame, report),) = new_shards.checked(settings, [Path("new.csv")], named=True)
    stored = files.read_json(stage_settings.place("prepare"))
    stage_settings.place("prepare").write_text(json.dumps({{**stored, "extensions": ["own 0.9 ab"]}}))
    try:
        list(new_shards.checked(settings, [Path("new.csv")], named=True))
    except UserError as error:
        refused = str(error)
    wait = made.labeled["wait"]
    print(json.dumps([wait.dropna().tolist(), list(made.warnings), frame["wait"].iloc[0], report.notes, refused]))
"""


def test_prepare_and_new_rows_are_read_by_the_kind_that_params_yaml_names(tmp_path):
    (tmp_path / "run").mkdir()
    code = textwrap.dedent(PREPARED).format(folder=str(tmp_path / "run"), params=str(ROOT / "params.yaml"))
    text = (EXAMPLE / MODULE / "column_kind.py").read_text(encoding="utf-8")
    done = python(code, install(tmp_path, "own", {"heldout.column_kinds": {"x": "own.m:KIND"}}, m=text))
    assert 0 == done.returncode, done.stderr
    numbers, warnings, first, notes, refused = json.loads(done.stdout.splitlines()[-1])
    assert [60.0 * row for row in range(2, 61)] == numbers
    assert "data.columns: wait: 1 of 60 values are no numbers in seconds, such as 'late'; it is missing" in warnings
    assert 60 == first
    assert any("1 of 2" in note and "'late'" in note for note in notes)
    assert_names(refused, "'wait'", "another version", "validate again")
