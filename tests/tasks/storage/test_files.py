"""The files of the contract: whole or not at all, read as they were written, ten significant digits."""

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldout.metrics.measure import TestMetrics
from heldout.records import Difference, Estimate, Measured, MoreRows
from heldout.schemes.halvings import Halvings
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError
from tasks.storage import files, metrics_files, report_tables
from tasks.storage.atomic import replacing
from tests.tasks.records import write_records

LAWS = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)


def tree(folder=".") -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


@pytest.fixture
def tables(rows, settings_of_rows):
    """What `prepare` makes of rows.csv, with a test set and three shards."""
    return prepare(settings_of_rows("split.test_fraction=0.2", "data.labeled_rows=30", "data.shards=3"))


def test_a_folder_that_is_replaced_holds_the_new_files_alone():
    for name in ("old", "new"):
        with replacing(Path("data/made")) as folder:
            (folder / name).write_text(name)
    assert {"data/made/new": b"new"} == tree()
    assert [Path("data/made")] == list(Path("data").iterdir())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [True, False])
def test_an_error_while_writing_leaves_the_old_folder_and_nothing_else(error, old):
    if old:
        with replacing(Path("data/made")) as folder:
            (folder / "deep").mkdir()
            (folder / "deep/old").write_text("old")
    before = tree()

    def write():
        with replacing(Path("data/made")) as folder:
            (folder / "new").write_text("half")
            raise error

    with pytest.raises(error):
        write()
    assert before == tree()
    assert ([Path("data/made")] if old else []) == list(Path("data").iterdir())


def test_what_a_killed_run_left_behind_is_no_part_of_the_next():
    Path("data/.made.new").mkdir(parents=True)
    Path("data/.made.new/half").write_text("half")
    with replacing(Path("data/made")) as folder:
        (folder / "new").write_text("new")
    assert {"data/made/new": b"new"} == tree()


def test_prepared_tables_are_read_as_they_were_written(tables):
    write_prepared(tables)
    for path, expected in ((files.LABELED, tables.labeled), (files.TEST, tables.test)):
        X, y = files.read_table(path)
        pd.testing.assert_frame_equal(expected.drop(columns="target"), X, check_exact=True)
        assert expected["target"].tolist() == y.tolist()
    for name, expected in vars(tables.partition).items():
        found = getattr(files.read_partition(), name)
        assert (expected.dtype, expected.tolist()) == (found.dtype, found.tolist())
    halves = files.read_halves()
    assert tables.halves.dtype == halves.dtype
    assert np.array_equal(tables.halves, halves)
    assert tables.data_hash == files.read_data_hash()
    assert ["shard-00000.parquet", "shard-00001.parquet", "shard-00002.parquet"] == [p.name for p in files.shards()]
    for expected, path in zip(tables.shards, files.shards(), strict=True):
        pd.testing.assert_frame_equal(expected, files.read_shard(path), check_exact=True)


def test_the_columns_are_those_of_the_contract(tables):
    write_prepared(tables)
    assert ["id", "x", "target"] == list(pd.read_parquet("data/prepared/labeled.parquet").columns)
    partition = pd.read_parquet("data/prepared/partition.parquet")
    assert ["row", "validation", "fold", "step"] == list(partition.columns)
    assert list(range(30)) == partition["row"].tolist()
    halves = pd.read_parquet("data/prepared/halves.parquet")
    assert ["repeat", "row", "half"] == list(halves.columns)
    assert [(repeat, row) for repeat in range(3) for row in range(30)] == list(
        zip(halves["repeat"], halves["row"], strict=True)
    )


def test_the_lines_of_a_file_may_stand_in_any_order(tables):
    write_prepared(tables)
    for path in (files.PARTITION, files.HALVES):
        pd.read_parquet(path).sample(frac=1, random_state=0).to_parquet(path)
    assert tables.partition.step.tolist() == files.read_partition().step.tolist()
    assert np.array_equal(tables.halves, files.read_halves())


def test_the_same_tables_have_the_same_bytes_and_old_shards_are_gone(tables, settings_of_rows):
    write_prepared(prepare(settings_of_rows("data.labeled_rows=20", "data.shards=9")))
    write_prepared(tables)
    first = tree("data")
    write_prepared(tables)
    assert first == tree("data")
    assert 3 == len(files.shards())


def test_a_table_that_changed_is_read_anew(tables):
    write_prepared(tables)
    before = files.read_table(files.LABELED)[1].tolist()
    tables.labeled["target"] = tables.labeled["target"].map({"won": "lost", "lost": "won"})
    write_prepared(tables)
    after = files.read_table(files.LABELED)[1].tolist()
    assert tables.labeled["target"].tolist() == after != before


def test_the_halvings_are_those_of_the_present_partitions(tables):
    write_prepared(tables)
    made = Halvings(8, 30, 0.25)
    table = pd.DataFrame({"candidate": ["a"], "row": [3], "disagreement": [1 / 3]})
    with files.writing_fits({"largest_disagreement": table}, made) as folder:
        folder.mkdir()
    pd.testing.assert_frame_equal(table, files.read_result("largest_disagreement"), check_exact=True)
    assert made == files.read_halvings(files.partitions_hash())
    assert files.read_halvings("of other rows") is None


@pytest.mark.parametrize(
    "read", [files.read_partition, report_tables.read_estimates, files.shards, files.read_data_hash]
)
def test_a_file_that_is_missing_is_told_with_the_remedy(read):
    with pytest.raises(UserError, match=r"^\S+ is missing; run the flow that writes it first, or `dvc repro`$"):
        read()


numbers = st.floats(-1e300, 1e300)


@LAWS
@given(st.lists(numbers, min_size=1, max_size=5))
def test_numbers_are_written_with_ten_significant_digits(values):
    files.write_json(Path("some/a.json"), {"deep": [{"values": values}]})
    files.write_csv(Path("other/a.csv"), pd.DataFrame({"value": values}))
    found = files.read_json(Path("some/a.json"))["deep"][0]["values"]
    in_csv = [float(line) for line in Path("other/a.csv").read_text().split("\n")[1:-1]]
    expected = [float(f"{value:.9e}") for value in values]  # one digit before the point, nine after
    assert expected == found == in_csv
    before = tree()
    files.write_json(Path("some/a.json"), {"deep": [{"values": found}]})
    files.write_csv(Path("other/a.csv"), pd.DataFrame({"value": in_csv}))
    assert before == tree()  # and what was written once is written so again


def test_a_json_keeps_order_kinds_and_letters():
    value = {"z": 1, "a": [True, None, "“é”", 0.1 + 0.2], "big": 12345678901234567}
    files.write_json(Path("a.json"), value)
    assert ["z", "a", "big"] == list(files.read_json(Path("a.json")))
    assert {**value, "a": [True, None, "“é”", 0.3]} == json.loads(Path("a.json").read_text())
    assert Path("a.json").read_bytes().endswith(b"}\n")


def test_an_estimate_without_an_interval_has_empty_cells():
    shared = {"candidate": "a, b", "target": "g", "n_train": 8, "n_tested": 2}
    with_interval = {"low": 0.0, "high": 2 / 3, "level": 0.95, "interval": "Wilson"}
    write_records(
        "estimates",
        [
            Estimate(estimate="E_in", value=1 / 3, **shared),
            Estimate(estimate="E_val", value=0.5, **shared, **with_interval),
        ],
    )
    expected = [
        "candidate,estimate,value,low,high,level,target,interval,n_train,n_tested",
        '"a, b",E_in,0.3333333333,,,,g,,8,2',
        '"a, b",E_val,0.5,0,0.6666666667,0.95,g,Wilson,8,2',
    ]
    assert "\n".join([*expected, ""]) == files.ESTIMATES.read_text()
    assert [None, 2 / 3] == pytest.approx(
        report_tables.read_estimates()["high"].replace({np.nan: None}).tolist(), abs=1e-9
    )


@pytest.mark.parametrize("name", ["NA", "1", "null", "1.50", "nan", "=1+1, (b)"])
def test_a_candidate_is_read_under_its_name_from_every_table(name):
    write_records("estimates", [Estimate(name, "E_in", 0.5, "g", 8, 8)])
    write_records("differences", [Difference("other", name, 0.25)])
    write_records("more_rows", [MoreRows(name, 8, "gain", 0.25)])
    metrics_files.write(TestMetrics((Measured(name, "auc", name, 0.5, n_tested=8),)))
    differences, metrics = report_tables.read_differences(), metrics_files.read()
    names = [table["candidate"][0] for table in (report_tables.read_estimates(), report_tables.read_more_rows())]
    assert [name] * 5 == [*names, differences["against"][0], metrics["candidate"][0], metrics["slice"][0]]
    assert np.isnan(differences["low"][0])


def test_no_two_files_have_one_name():
    named = [
        target.id
        for node in ast.parse(Path(files.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    assert sorted(named) == sorted({*named})  # the second of two would take the place of the first everywhere
