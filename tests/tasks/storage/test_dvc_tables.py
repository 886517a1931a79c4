"""A run that DVC did not start leaves DVC the tables that it read, as `dvc repro` does."""

import subprocess
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo

from tasks.params import load
from tasks.storage import dvc_commands

RAW = Path("data/raw")


@pytest.fixture
def tracked(checkout, shipped, monkeypatch):
    """Two tables below data/raw, one.csv and two.csv, in a repository of git and DVC."""
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(checkout / "site"))
    subprocess.run(["git", "init", "--quiet"], check=True)
    Repo.init().close()
    Path("params.yaml").write_bytes(Path(shipped).read_bytes())
    Path("dvc.yaml").write_text("stages: {}\n")
    RAW.mkdir(parents=True)
    tables = [RAW / "one.csv", RAW / "two.csv"]
    for path in tables:
        path.write_text("a\n1\n")
    dvc_commands.track(tables)
    return tables


def test_the_rows_of_the_last_night_are_in_the_cache_and_named_for_git(tracked):
    tracked[0].write_text("a\n2\n")
    assert dvc_commands.commit(load("params.yaml"))
    for out in yaml.safe_load(dvc_commands.TABLES.read_text())["outs"]:
        cached = Path(".dvc/cache/files/md5", out["md5"][:2], out["md5"][2:])
        assert (RAW.parent / out["path"]).read_text() == cached.read_text()


def test_the_changed_source_of_an_imported_table_is_left_to_the_user(tracked):
    Path("source.csv").write_text("a\n1\n")
    imported = RAW / "three.csv.dvc"
    imported.write_text("deps: [{path: ../../source.csv}]\nouts: [{path: three.csv}]\n")
    (RAW / "three.csv").write_text("a\n1\n")
    with Repo() as repo:
        repo.commit(str(imported), force=True)
    before = imported.read_text()
    Path("source.csv").write_text("a\n2\n")
    assert dvc_commands.commit(load("params.yaml"))
    assert before == imported.read_text()


def test_where_a_table_is_missing_the_list_stays(tracked, caplog):
    before = dvc_commands.TABLES.read_text()
    tracked[0].unlink()
    tracked[1].write_text("a\n2\n")
    assert dvc_commands.commit(load("params.yaml"))
    assert [str(tracked[0])] == [record.args[0] for record in caplog.records]
    assert before == dvc_commands.TABLES.read_text()
