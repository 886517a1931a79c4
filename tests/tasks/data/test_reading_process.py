"""A file is read in a process with limits: one that needs more, or is cut short, is named, and nothing else ends."""

import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from heldout.running import exit_code
from tasks.data import file_formats, reading_process, unlabeled
from tasks.data.column_types import typed
from tasks.data.text_form import USUAL
from tasks.data.unlabeled import Schema
from tasks.runtime.errors import UserError
from tests.variants import some

WRITERS = {
    "t.csv": lambda table: table.to_csv("t.csv", index=False),
    "t.json": lambda table: table.to_json("t.json", orient="records"),
    "t.parquet": lambda table: table.to_parquet("t.parquet"),
    "t.feather": lambda table: table.to_feather("t.feather"),
}


def table(rows: int = 6000) -> pd.DataFrame:
    """An ordinary table, whose text is more than what is read without a process."""
    z = np.random.default_rng(0).normal(size=(rows, 3))
    return pd.DataFrame({"a": z[:, 0], "b": z[:, 1], "c": z[:, 2], "d": np.where(z[:, 0] > 0, "yes", None)})


def read(name: str) -> pd.DataFrame:
    return reading_process.read(Path(name), "data.source", (), (), USUAL).frame


def reader() -> psutil.Process:
    return psutil.Process(reading_process._Reader.current()._process.pid)


@pytest.mark.parametrize("name", WRITERS)
def test_what_comes_back_is_what_was_read(checkout, name):
    WRITERS[name](table())
    here = file_formats.read(Path(name), "data.source", (), (), USUAL).frame
    pd.testing.assert_frame_equal(here, read(name))


@pytest.mark.parametrize("name", some(["t.parquet", "t.feather"], "t.parquet"))
def test_a_file_that_needs_more_memory_than_it_may_take_is_refused_and_the_next_is_read(checkout, monkeypatch, name):
    WRITERS[name](table(100_000))
    with monkeypatch.context() as patched:
        patched.setattr(reading_process, "allowed", lambda: 1 << 20)
        with pytest.raises(
            UserError, match=f"^data.source: {name} cannot be read: reading it .* memory.* half of what is free"
        ):
            read(name)
    assert 100_000 == len(read(name))


def test_a_file_that_takes_longer_than_it_may_is_refused_and_the_process_is_gone(checkout, monkeypatch):
    WRITERS["t.parquet"](table())
    process = reader()
    process.suspend()
    monkeypatch.setattr(reading_process, "_LEAST_SECONDS", 0.2)
    with pytest.raises(
        UserError, match="^data.source: t.parquet cannot be read: .*longer than the [0-9.]* s that it may take"
    ):
        read("t.parquet")
    assert not process.is_running()


def test_a_process_that_ends_is_said_and_ends_nothing_else(checkout, monkeypatch):
    WRITERS["t.parquet"](table())
    process = reader()
    process.suspend()
    with monkeypatch.context() as patched:
        patched.setattr(exit_code, "in_words", lambda code: f"by {code}")
        threading.Timer(0.1, process.kill).start()
        with pytest.raises(UserError, match="cannot be read: reading it ended its process .by -9"):
            read("t.parquet")
    assert 6000 == len(read("t.parquet"))


def test_a_process_that_nobody_asks_is_not_kept(checkout, monkeypatch):
    WRITERS["t.parquet"](table())
    read("t.parquet")
    before = reader()
    monkeypatch.setattr(reading_process, "_IDLE_SECONDS", 0.0)
    time.sleep(0.01)
    read("t.parquet")
    assert not before.is_running()


@pytest.mark.parametrize("name", some(["t.parquet", "t.feather"], "t.parquet"))
def test_a_shard_that_is_cut_short_or_passes_a_limit_is_a_bad_shard(checkout, monkeypatch, name):
    features, columns = typed(table().drop(columns="d"), None, USUAL)
    schema = Schema.of(features, columns, [], ())
    whole, cut = Path(name), Path(f"cut-{name}")
    WRITERS[name](table(100_000).drop(columns="d"))
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    shards = [*unlabeled.from_files([cut, whole], schema, (), "skip", USUAL).checked()]
    assert [False, True] == [frame is not None for frame, _ in shards]
    assert [True, False] == [report.bad is not None for _, report in shards]
    monkeypatch.setattr(reading_process, "allowed", lambda: 1 << 20)
    with pytest.raises(UserError, match="data.unlabeled: the shard .* cannot be read"):
        list(unlabeled.from_files([whole], schema, (), "skip", USUAL).checked())
