"""What git or the folder names stays in DVC's cache, whatever its age; the rest goes when it is old."""

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from dvc.repo import Repo

from tasks.storage import unnamed_outputs


def git(*arguments: str) -> None:
    told = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments)
    subprocess.run(told, check=True, capture_output=True)


def added(text: str, *, commit: bool = False, name: str = "table.csv") -> str:
    """The content of a file that DVC has been given, and git perhaps."""
    Path(name).write_text(text)
    with Repo() as repo:
        repo.add(name)
    git("add", "--all", ".")
    if commit:
        git("commit", "--quiet", "--message", text)
    return text


def contents() -> set[str]:
    """What the cache has, without the lists of folders."""
    files = Path(".dvc/cache/files/md5").glob("??/*")
    return {path.read_text() for path in files if not path.name.endswith(".dir")}


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    """DVC's own place is not that of the checkout, which the Makefile sets."""
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "dvc"))


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    Repo.init().close()


def test_only_what_is_old_and_named_nowhere_goes(repository):
    kept = {added("committed", commit=True)}
    unnamed = added("given, and never committed")
    kept |= {added("set aside")}
    git("stash", "--quiet")
    git("checkout", "--quiet", "-b", "branch")
    kept |= {added("of a branch that was deleted", commit=True)}
    git("checkout", "--quiet", "-")
    git("branch", "--quiet", "-D", "branch")
    Path("folder").mkdir()
    Path("folder/part.csv").write_text("in a folder")
    with Repo() as repo:
        repo.add("folder")
    kept |= {"in a folder", added("here alone")}
    assert (0, 0) == unnamed_outputs.remove(timedelta(days=1))
    assert kept | {unnamed} == contents()
    assert (1, len(unnamed)) == unnamed_outputs.remove(timedelta(0))
    assert kept == contents()


def test_without_git_nothing_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Repo.init(no_scm=True).close()
    for text in ("before", "now"):
        Path("table.csv").write_text(text)
        with Repo() as repo:
            repo.add("table.csv")
    assert (0, 0) == unnamed_outputs.remove(timedelta(0))
    assert {"before", "now"} == contents()
