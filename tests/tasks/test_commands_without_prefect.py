"""`--help`, `init` and `plan` answer without the seconds that Prefect and MLflow take to import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import contextlib, sys
from flows.__main__ import main
with contextlib.suppress(SystemExit):
    assert 0 == main()
print([name for name in ("prefect", "mlflow") if name in sys.modules])
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


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["init", "--help"],
        ["init", "rows.csv", "--target", "kind"],
        ["plan", "--params", "shipped.yaml", *(part for change in OF_ROWS for part in ("--set", change))],
    ],
    ids=["help", "help of init", "init", "plan"],
)
def test_a_command_that_stores_no_fit_imports_no_prefect_and_no_mlflow(prepared, shipped, checkout, arguments):
    (checkout / "dvc.yaml").touch()
    (checkout / "shipped.yaml").write_text(shipped.read_text())
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(shipped).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == ran.returncode, ran.stderr
    assert "[]" == ran.stdout.splitlines()[-1]
