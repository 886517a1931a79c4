"""`python -m flows compare FILE`: the same as `heldout.from_predictions`, of a file from anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)
ROWS = 12345678901234567 + np.arange(80)  # ids of 17 digits
LABELS = RNG.integers(0, 2, 80)
TABLE = pd.concat(
    [
        pd.DataFrame({"row": ROWS, "candidate": name, "answer": np.where(RNG.random(80) < error, 1 - LABELS, LABELS)})
        for name, error in (("small", 0.3), ("größer", 0.05))
    ]
).assign(label=np.tile(LABELS, 2), text=np.tile(np.arange(80) // 4, 2))


def compare(folder, *arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "flows", "compare", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_has_the_comparison_of_its_table(ending, tmp_path):
    path = tmp_path / f"answers.{ending}"
    TABLE.to_csv(path, index=False) if ending == "csv" else TABLE.to_parquet(path)
    said = compare(ROOT, str(path), "--group", "text", "--compared", "9")
    assert f"{heldout.from_predictions(TABLE, group='text', compared=9)}\n" == said.stdout, said.stderr


def test_what_cannot_be_compared_is_said_without_a_traceback(tmp_path):
    TABLE.iloc[1:].to_csv(tmp_path / "answers.csv", index=False)
    said = compare(ROOT, str(tmp_path / "answers.csv"))
    assert (2, "") == (said.returncode, said.stdout)
    assert f"no line for row {ROWS[0]} of small" in said.stderr
    assert "no such file" in compare(ROOT, "nothing.csv").stderr
