"""A file that a run reads and that changes meanwhile: found by its hash."""

import os
from pathlib import Path

import pytest

from tasks.data.source_files import check_unchanged, hash_sources
from tasks.runtime.errors import UserError

pytestmark = pytest.mark.fault("changed data")


@pytest.fixture
def sources(settings_with):
    Path("rows").mkdir()
    Path("rows/a.parquet").write_bytes(b"a")
    Path("new").mkdir()
    Path("new/1.csv").write_text("x\n1\n")
    return hash_sources(settings_with("data.source=rows", "data.unlabeled=new"))


def test_what_stays_and_what_is_new_is_fine(sources):
    assert {Path("rows/a.parquet"), Path("new/1.csv")} == {*sources}
    Path("new/2.csv").write_text("x\n2\n")
    check_unchanged(sources)


@pytest.mark.parametrize("path", ["rows/a.parquet", "new/1.csv"])
def test_a_file_that_changed_is_named_also_with_its_old_size_and_time(sources, path):
    before = Path(path).stat()
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:-1] + b"?")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserError, match=f"^{path} changed during the run"):
        check_unchanged(sources)
    Path(path).unlink()
    with pytest.raises(UserError, match=f"^{path} was removed during the run"):
        check_unchanged(sources)


def test_only_what_a_run_reads_has_a_hash_and_a_file_that_may_not_be_read_has_none(settings_with, sources, monkeypatch):
    Path("rows/b.parquet").write_bytes(b"b")
    Path("rows/notes").mkdir()
    Path("rows/notes/c.parquet").write_bytes(b"c")
    Path("rows/d.txt").write_bytes(b"d")

    def opened(path, *given, **named):
        if path.name == "b.parquet":
            raise PermissionError(path)
        return original(path, *given, **named)

    original = Path.open
    monkeypatch.setattr(Path, "open", opened)
    assert sources == hash_sources(settings_with("data.source=rows", "data.unlabeled=new"))


@pytest.mark.parametrize("source", ["sklearn:digits", "none.csv"])
def test_what_is_no_file_has_no_hash(settings_with, source):
    assert {} == hash_sources(settings_with(f"data.source={source}"))
