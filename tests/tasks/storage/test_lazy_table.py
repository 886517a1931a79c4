"""A large table of numbers that stays in its file gives the rows that the data frame gives."""

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from heldout.rows.frames import take
from tasks.storage import files, parquet
from tasks.storage.lazy_table import StoredTable, stays_in_its_file

ROWS, A_GROUP = 37, 10


@pytest.fixture
def table(tmp_path):
    """Floats with gaps, whole numbers and truth values, in four groups of rows; as a frame, and in its file."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(ROWS) < 0.2, np.nan, rng.normal(size=ROWS)),
            "n": rng.integers(-9, 9, ROWS),
            "b": rng.random(ROWS) < 0.5,
            "c": rng.normal(size=ROWS),
            "small": rng.normal(size=ROWS).astype(np.float32),
            "target": np.arange(ROWS),
        }
    )
    path = tmp_path / "table.parquet"
    frame.to_parquet(path, row_group_size=A_GROUP)
    features = frame.drop(columns="target")
    return features, StoredTable(path, list(features.columns)), path


@pytest.mark.parametrize("seed", range(20))
def test_the_rows_that_are_taken_are_those_of_the_frame(table, seed):
    frame, stored, _ = table
    rng = np.random.default_rng(seed)
    rows = rng.permutation(ROWS)[: rng.integers(0, ROWS + 1)]
    for wanted in (rows, np.sort(rows), slice(int(rows[:1].sum()), ROWS + 5)):
        pd.testing.assert_frame_equal(take(frame, wanted), take(stored, wanted), check_exact=True)


def test_the_rows_of_floats_lie_in_memory_as_those_of_the_frame(table):
    frame, _, path = table
    rows = np.array([3, 11, 36])
    expected = take(frame[["a", "c"]].copy(), rows).to_numpy()
    found = take(StoredTable(path, ["a", "c"]), rows).to_numpy()
    assert expected.flags.f_contiguous == found.flags.f_contiguous  # sums of rows may depend on it


def test_a_table_stays_in_its_file_if_it_is_large_and_of_numbers(table, tmp_path):
    frame, stored, path = table
    assert frame.shape == stored.shape
    assert stays_in_its_file(path, list(frame.columns))
    single = tmp_path / "single.parquet"
    frame.to_parquet(single)
    assert not stays_in_its_file(single, list(frame.columns))
    frame.assign(text="a").to_parquet(path, row_group_size=A_GROUP)
    assert not stays_in_its_file(path, [*frame.columns, "text"])


@pytest.fixture
def asked(monkeypatch):
    """Counts how often the schema of a file is asked for, which takes as long as it has columns."""
    found = []
    schema = pyarrow.parquet.ParquetFile.schema_arrow.fget
    monkeypatch.setattr(
        pyarrow.parquet.ParquetFile, "schema_arrow", property(lambda file: (found.append(file), schema(file))[1])
    )
    return found


@pytest.mark.parametrize("columns", [3, 60])
def test_a_file_is_asked_for_its_schema_once_however_many_columns_it_has(columns, tmp_path, asked):
    path, names = tmp_path / "table.parquet", [f"x{place}" for place in range(columns)]
    pd.DataFrame(np.zeros((ROWS, columns)), columns=names).to_parquet(path, row_group_size=A_GROUP)
    for read in (lambda: stays_in_its_file(path, names), lambda: StoredTable(path, names), lambda: parquet.whole(path)):
        asked.clear()
        read()
        assert 1 == len(asked)


def test_a_prepared_file_is_opened_once_for_each_version(table, monkeypatch):
    _, _, path = table
    asked = []
    dtypes = parquet.dtypes
    monkeypatch.setattr(parquet, "dtypes", lambda path: (asked.append(path), dtypes(path))[1])
    first, same, other = (files.open_features(path, version) for version in ("1", "1", "2"))
    assert first is same
    assert first is not other
    assert 2 == len(asked)


@pytest.mark.parametrize("rows", [0, 7, 150_000])
def test_a_table_is_read_whole_as_pandas_reads_it(rows, tmp_path):
    rng = np.random.default_rng(rows)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "n": rng.integers(0, 9, rows), "b": rng.normal(size=rows)})
    frame = frame.assign(t=[str(place % 3) for place in range(rows)], c=frame["a"] ** 2)
    frame.to_parquet(tmp_path / "table.parquet")
    expected = pd.read_parquet(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(expected, parquet.whole(tmp_path / "table.parquet"), check_exact=True)
