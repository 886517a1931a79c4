"""A large table of numbers that stays in its file gives the rows that the data frame gives."""

import numpy as np
import pandas as pd
import pytest

from heldout.rows.frames import take
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
