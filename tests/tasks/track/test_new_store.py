"""Two checkouts that begin on one store at the same moment: one of them makes it, and nothing of either is lost."""

import os
import subprocess
import sys
from pathlib import Path

import mlflow
import pytest

ROOT = Path(__file__).parents[3]
BEGINS = """
import sys, mlflow
from tasks.params import load
from tasks.track.store import connect
settings = load(sys.argv[1], [f"tracking.uri={sys.argv[2]}"])
from mlflow.store.tracking import sqlalchemy_store
print("ready", flush=True)
input()
connect(settings).create_experiment(sys.argv[3])
"""


@pytest.mark.long
@pytest.mark.fault("two checkouts")
@pytest.mark.parametrize("there", [False, True], ids=["no file", "an empty file"])
def test_a_store_that_several_begin_with_at_once_has_the_runs_of_all(checkout, shipped, there):
    if there:
        Path("mlflow.db").touch()
    address, names = f"sqlite:///{checkout}/mlflow.db", ["one", "two", "three"]
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": known}
    started = [subprocess.Popen([sys.executable, "-c", BEGINS, shipped, address, name], **pipes) for name in names]
    for process in started:
        assert "ready\n" == process.stdout.readline()
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [0, 0, 0] == [process.wait(120) for process in started]
    found = {one.name for one in mlflow.MlflowClient(address).search_experiments()}
    assert {*names} <= found
    assert [] == [*checkout.glob(".mlflow.db.new-*")]
