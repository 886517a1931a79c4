"""One public data set, from the file to the decision, next to gradient boosting with its defaults."""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from studies import public_sets
from studies.outcome import Outcome, numbers_of
from tasks.init import propose_params
from tasks.runtime.errors import UserError

_FOREIGN = ("PREFECT_", "MLFLOW_", "PYTHONPATH")  # of the process that runs the study
# what the commands read of a checkout, besides data
_CODE = ("heldout", "tasks", "flows", "studies/peer_boosting.py", "dvc.yaml", "params.yaml", "requirements.lock")


@dataclass(frozen=True, kw_only=True)
class Run(Outcome):
    """The outcome of the commands, and how they went: the lines that `init` printed, all rows, seconds and budget."""

    messages: list[str]
    rows: int
    rows_estimated: int
    rows_delivered: int
    seconds: float
    budget: float


def code() -> str:
    """What the last commit has of the code that a run depends on: a line with a hash for each folder or file."""
    return call(["git", "ls-tree", "HEAD", "--", *_CODE], Path.cwd())


def run(name: str, data: Path) -> Run:
    """Take one set from its file to the decision, in a clone of the last commit below a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone = Path(folder) / "checkout"
        call(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], Path(folder))
        return run_in(clone, name, data)


def run_in(clone: Path, name: str, data: Path) -> Run:
    """The same, in an existing clone. Raises UserError with the output of a command that failed."""
    public = public_sets.find(name, data, clone.parent)
    started = time.monotonic()
    printed = call([sys.executable, "-m", "flows", "init", str(public.path), "--target", public.target], clone)
    params = clone / "params.yaml"
    params.write_text(params.read_text().replace("open_test: false", "open_test: true"))
    call([sys.executable, "-m", "dvc", "repro"], clone)
    seconds = time.monotonic() - started
    selection: dict[str, Any] = json.loads((clone / "reports/selection.json").read_text())
    estimates = pd.read_csv(clone / "reports/estimates.csv")
    of_winner = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    peer = json.loads(call([sys.executable, "-m", "studies.peer_boosting"], clone))
    return Run(
        name=name,
        of_classes=peer["of_classes"],
        messages=printed.splitlines(),
        selected=selection["selected"],
        estimates=numbers_of(of_winner),
        test_error=selection["E_test"],
        test_rows=int(of_winner.loc["E_test", "n_tested"]),
        rows=peer["rows"] + peer["test_rows"],
        rows_estimated=int(np.max(estimates.loc[estimates["estimate"] == "E_cv", "n_tested"])),
        rows_delivered=selection["rows_delivered"],
        baseline=selection["baseline"],
        beats_baseline=selection["beats_baseline"],
        peer_error=peer["error"],
        seconds=round(seconds, 1),
        budget=60 * propose_params.BUDGET_MINUTES,
    )


def call(command: list[str], folder: Path) -> str:
    """What a command prints in `folder`. Raises UserError with its output if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    finished = subprocess.run(  # noqa: S603
        command,
        cwd=folder,
        env={**inherited, "PATH": path, "DVC_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if finished.returncode:
        raise UserError(f"{' '.join(command)} ended with {finished.returncode}:\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout
