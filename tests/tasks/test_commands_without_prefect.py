"""`--help`, `init` and `plan` answer without the seconds that Prefect and MLflow take to import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import contextlib, json, sys
from flows.__main__ import main
for sys.argv[1:] in json.loads(sys.argv[1]):
    with contextlib.suppress(SystemExit):
        assert 0 == main(), sys.argv
    print([name for name in ("prefect", "mlflow") if name in sys.modules], *sys.argv[1:3])
"""
TREE = "candidates=[{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}]"
OF_ROWS = [
    "data.source=rows.csv",
    "data.target=kind",
    "data.positive=null",
    "data.labeled_rows=null",
    "execution.workers=1",
    TREE,
]


COMMANDS = [
    ["--help"],
    ["init", "--help"],
    ["init", "rows.csv", "--target", "kind"],
    ["plan", "--params", "shipped.yaml", *(part for change in OF_ROWS for part in ("--set", change))],
]


@pytest.mark.slow
def test_a_command_that_stores_no_fit_imports_no_prefect_and_no_mlflow(prepared, shipped, checkout):
    (checkout / "dvc.yaml").touch()
    (checkout / "shipped.yaml").write_text(shipped.read_text())
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(COMMANDS)],
        env={**os.environ, "PYTHONPATH": str(Path(shipped).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == ran.returncode, ran.stderr
    loaded = [line for line in ran.stdout.splitlines() if line.startswith("[")]
    assert ["[] --help", "[] init --help", "[] init rows.csv", "[] plan --params"] == loaded
