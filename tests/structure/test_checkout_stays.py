"""The tests write nothing into the checkout: into its ledger, its stores, or a folder that git ignores."""

import os
import subprocess
import sys

import pytest

from tests.checkout_stays import ROOT, paths

# into a store of MLflow and a folder of joblib: these wrote into the checkout
WRITERS = ("tests/end_to_end/test_watch.py", "tests/tasks/storage/test_trusted_types.py")


@pytest.mark.parametrize(
    ("event", "arguments", "found"),
    [
        ("open", (str(ROOT / "params.yaml"), "r", os.O_CLOEXEC), []),
        ("open", (str(ROOT / "params.yaml"), "w", 0), ["params.yaml"]),
        ("open", (ROOT / "a/../data/results", None, os.O_WRONLY | os.O_CREAT), ["data/results"]),
        ("open", (7, "wb", 0), []),
        ("open", (str(ROOT / "tests/__pycache__/a.pyc"), "wb", 0), []),
        ("open", ("/elsewhere/params.yaml", "w", 0), []),
        ("os.rename", (b"/elsewhere/a", os.fsencode(ROOT / "reports"), -1, -1), ["reports"]),
        ("os.mkdir", (str(ROOT / "folder"), 0o777, -1), ["folder"]),
        ("sqlite3.connect", (str(ROOT / "mlruns/mlflow.db"),), ["mlruns/mlflow.db"]),
        ("sqlite3.connect", (":memory:",), []),
        ("sqlite3.connect", (f"file:{ROOT / 'mlruns/mlflow.db'}?mode=rwc",), ["mlruns/mlflow.db"]),
        ("sqlite3.connect", (f"file:{ROOT / 'mlruns/mlflow.db'}?mode=ro",), []),
        ("sqlite3.connect", ("file:/elsewhere/prefect.db?mode=rw",), []),
        ("os.remove", ("a", 5), []),  # in a folder that is not the current one
        ("import", ("os", None), []),
    ],
)
def test_what_changes_the_checkout_is_noted(event, arguments, found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert found == [str(path) for path in paths(event, arguments)]


def test_a_path_is_seen_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [] == [*paths("os.mkdir", ("mlruns", 0o777, -1))]
    monkeypatch.chdir(ROOT)
    assert ["mlruns"] == [str(path) for path in paths("os.mkdir", ("mlruns", 0o777, -1))]


def state(folder):
    """The size and the time of every file, but for the caches of tools."""
    caches = {".git", ".pytest_cache", ".hypothesis", "__pycache__"}
    files = [path for path in folder.rglob("*") if path.is_file() and not caches & {*path.parts}]
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


@pytest.mark.slow
def test_the_tests_that_write_leave_a_checkout_as_it_was(tmp_path):
    checkout = tmp_path / "heldout"
    subprocess.run(["git", "clone", "--quiet", ROOT, checkout], check=True)
    for name in subprocess.check_output(
        ["git", "-C", ROOT, "ls-files", "-mo", "--exclude-standard"], text=True
    ).split():
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_bytes((ROOT / name).read_bytes())
    for store in ("mlruns/mlflow.db", "reports/watch.json", ".prefect/prefect.db"):  # as a run leaves them
        (checkout / store).parent.mkdir(exist_ok=True)
        (checkout / store).touch()
    before = state(checkout)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *WRITERS]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)
    assert before == state(checkout)
