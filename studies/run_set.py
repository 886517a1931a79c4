"""One public data set, from the file to the decision, next to gradient boosting with its defaults."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from studies import public_sets

JUDGES = ("E_cv", "E_val")


@dataclass(frozen=True)
class Outcome:
    """One set: the lines that `init` printed, and the winner's results; `estimates` are value, low, high, rows tested.

    `peer_error` is the test error of gradient boosting with its defaults, trained on all rows outside the test part;
    `baseline` and `beats_baseline` are those of selection.json; `rows` are all rows of the table, `budget` is in
    seconds.
    """

    name: str
    messages: list[str]
    selected: str
    estimates: dict[str, list[float]]
    test_error: float
    test_rows: int
    rows: int
    rows_estimated: int
    rows_delivered: int
    baseline: float
    beats_baseline: bool | None
    peer_error: float
    seconds: float
    budget: float
    seed: int = 0

    @property
    def inside(self) -> list[str]:
        """The estimates whose interval contains the error on the test part."""
        return [name for name in JUDGES if self.estimates[name][1] <= self.test_error <= self.estimates[name][2]]


def run(name: str, data: Path, seed: int) -> Outcome:
    """Take one set from its file to the decision, in a clone below a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone = Path(folder) / "checkout"
        call(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], Path(folder))
        return run_in(clone, name, data, seed)


def run_in(clone: Path, name: str, data: Path, seed: int = 0) -> Outcome:
    """The same, in an existing clone. Raises SystemExit with the output of a command that failed."""
    public = public_sets.find(name, data, clone.parent)
    started = time.monotonic()
    printed = call([sys.executable, "-m", "flows", "init", str(public.path), "--target", public.target], clone)
    params = clone / "params.yaml"
    params.write_text(re.sub(r"^seed: 0$", f"seed: {seed}", params.read_text(), flags=re.MULTILINE))
    call([sys.executable, "-m", "dvc", "repro"], clone)
    seconds = time.monotonic() - started
    selection: dict[str, Any] = json.loads((clone / "reports/selection.json").read_text())
    estimates = pd.read_csv(clone / "reports/estimates.csv")
    of_winner = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    columns = ["value", "low", "high", "n_tested"]
    peer = json.loads(call([sys.executable, "-m", "studies.peer_boosting"], clone))
    return Outcome(
        name=name,
        messages=printed.splitlines(),
        selected=selection["selected"],
        estimates={name: of_winner.loc[name, columns].astype(float).tolist() for name in JUDGES},
        test_error=selection["E_test"],
        test_rows=int(of_winner.loc["E_test", "n_tested"]),
        rows=peer["rows"] + peer["test_rows"],
        rows_estimated=int(np.max(estimates.loc[estimates["estimate"] == "E_cv", "n_tested"])),
        rows_delivered=selection["rows_delivered"],
        baseline=selection["baseline"],
        beats_baseline=selection["beats_baseline"],
        peer_error=peer["error"],
        seconds=round(seconds, 1),
        budget=60 * yaml.safe_load(params.read_text())["execution"]["budget"],
        seed=seed,
    )


def call(command: list[str], folder: Path) -> str:
    """What a command prints in `folder`. Raises SystemExit with its output if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DVC_NO_ANALYTICS": "1"}
    environment.pop("PYTHONPATH", None)
    finished = subprocess.run(  # noqa: S603
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {finished.returncode}:\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout
