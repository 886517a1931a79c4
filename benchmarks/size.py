"""Seconds and peak memory of the whole pipeline on large data, printed as tables; docs/size.md.

    python -m benchmarks.size FOLDER            # a million labelled rows, ten million unlabelled rows
    python -m benchmarks.size FOLDER --shards   # few labelled rows, with 2, 20 and 200 shards

The data are made in FOLDER, and each run is in a clone of this checkout there. Memory is the sum of the
resident sizes of the command and all its child processes; shared pages count once for each process.
"""

import argparse
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet
import yaml

ROOT = Path(__file__).parents[1]
COLUMNS = 50
_ROWS_AT_ONCE = 100_000
_BETWEEN_LOOKS = 0.1  # seconds
_CANDIDATES: list[dict[str, Any]] = [
    {"name": "naive-bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
    {
        "name": "logistic",
        "estimator": "sklearn.linear_model.LogisticRegression",
        "preprocess": "sklearn.preprocessing.StandardScaler",
    },
    {
        "name": "boosting",
        "estimator": "sklearn.ensemble.HistGradientBoostingClassifier",
        "params": {"early_stopping": False, "max_iter": 50},
    },
]
_FLOWS = tuple(yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"])


@dataclass(frozen=True)
class Run:
    """Seconds and memory of one command."""

    seconds: float
    gigabytes: float  # at its peak, over all processes


def write_rows(path: Path, rows: int, *, seed: int, labeled: bool) -> None:
    """Write `rows` rows of 50 normal columns, with a noisy label of two classes that is partly linear.

    An existing file is kept.
    """
    if path.exists():
        return
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [f"x{column:02d}" for column in range(COLUMNS)]
    part, writer = path.with_suffix(".new"), None
    for first in range(0, rows, _ROWS_AT_ONCE):
        X = rng.standard_normal((min(_ROWS_AT_ONCE, rows - first), COLUMNS))
        columns = {name: X[:, place] for place, name in enumerate(names)}
        if labeled:
            signal = X[:, :10].sum(axis=1) / 3 + 2 * (X[:, 10] * X[:, 11] > 0) - 1
            columns["target"] = (signal + rng.logistic(size=len(X)) > 0).astype(np.int64)
        table = pa.table(columns)
        writer = writer or pyarrow.parquet.ParquetWriter(part, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
        part.rename(path)


def write_params(path: Path, labeled: Path, unlabeled: str, rows: int, **changes: Any) -> Path:
    """The shipped parameters with five folds, five halvings and one progressive block."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    params["data"] |= {
        "source": str(labeled),
        "unlabeled": unlabeled,
        "positive": None,
        "labeled_rows": None,
        "target": "target",
    }
    params["split"] |= {"folds": 5, "test_fraction": 0}
    params["progressive"] |= {"block": rows}
    params["covalidation"] |= {"repeats": 5}
    params["candidates"] = _CANDIDATES
    params["intervals"] = {"E_cv": "Bayle within folds"}  # no fits beyond the folds
    for section, values in changes.items():
        params[section] = values
    path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    return path


def clone(folder: Path) -> Path:
    """A fresh clone of this checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)  # noqa: S603, S607
    return folder


def measured(command: Sequence[str], checkout: Path) -> Run:
    """Run a command to its end, and watch its memory. Raises CalledProcessError if it fails."""
    started, peak, done = time.monotonic(), 0.0, threading.Event()
    process = subprocess.Popen(command, cwd=checkout, env={**os.environ, "PYTHONPATH": ""})  # noqa: S603

    def look() -> None:
        nonlocal peak
        while not done.wait(_BETWEEN_LOOKS):
            peak = max(peak, _resident(process.pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        code = process.wait()
    finally:
        done.set()
        watcher.join()
    if code:
        raise subprocess.CalledProcessError(code, command)
    return Run(time.monotonic() - started, peak)


def _resident(pid: int) -> float:
    """Gigabytes (10^9 bytes) that a process and its descendants have in memory."""
    total = 0
    try:
        parent = psutil.Process(pid)
        for process in [parent, *parent.children(recursive=True)]:
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
    except psutil.NoSuchProcess:
        return 0.0
    return total / 1e9


def flow(name: str, params: Path) -> list[str]:
    """The command of one flow."""
    return [sys.executable, "-m", "flows", name, "--params", str(params)]


def whole(folder: Path, labeled: int, unlabeled: int, shards: int) -> None:
    """Every flow, one after the other, with its seconds and its peak memory."""
    source, others = folder / f"labeled-{labeled}.parquet", folder / f"unlabeled-{unlabeled}"
    write_rows(source, labeled, seed=0, labeled=True)
    for number in range(shards):
        write_rows(others / f"{number:03d}.parquet", unlabeled // shards, seed=1 + number, labeled=False)
    params = write_params(folder / "params.yaml", source, str(others / "*.parquet"), labeled)
    checkout = clone(folder / "checkout")
    print(f"\n{labeled:,} labelled rows, {unlabeled:,} unlabelled in {shards} shards, {COLUMNS} columns\n")
    print("| flow | seconds | peak memory, GB |\n|---|---|---|", flush=True)
    runs = []
    for name in _FLOWS:
        run = measured(flow(name, params), checkout)
        runs.append(run)
        print(f"| {name} | {run.seconds:.0f} | {run.gigabytes:.2f} |", flush=True)
    most = max(run.gigabytes for run in runs)
    print(f"| all | {sum(run.seconds for run in runs):.0f} | {most:.2f} |")


def by_shards(folder: Path, rows_per_shard: int) -> None:
    """The fits of few rows with more and more shards of the same size: their memory must not grow."""
    source = folder / "few.parquet"
    write_rows(source, 5000, seed=0, labeled=True)
    checkout = clone(folder / "checkout")
    print(f"\nfit of 5,000 labelled rows, shards of {rows_per_shard:,} rows, {COLUMNS} columns\n")
    print("| shards | unlabelled rows | seconds | peak memory, GB |\n|---|---|---|---|", flush=True)
    for count in (2, 20, 200):
        for number in range(count):
            path = folder / f"of-{count}/{number:03d}.parquet"
            write_rows(path, rows_per_shard, seed=1 + number, labeled=False)
        params = write_params(folder / "few.yaml", source, str(folder / f"of-{count}/*.parquet"), 5000)
        for name in ("prepare", "fit"):
            run = measured(flow(name, params), checkout)
        print(f"| {count} | {count * rows_per_shard:,} | {run.seconds:.0f} | {run.gigabytes:.2f} |", flush=True)
        shutil.rmtree(folder / f"of-{count}")


def main() -> None:
    """Make the data, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the data and the clones go: needs 10 GB")
    parser.add_argument("--labeled", type=int, default=1_000_000)
    parser.add_argument("--unlabeled", type=int, default=10_000_000)
    parser.add_argument("--shards", action="store_true", help="few labelled rows, with 2, 20 and 200 shards")
    parser.add_argument("--rows-per-shard", type=int, default=50_000)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.shards:
        by_shards(folder, arguments.rows_per_shard)
    else:
        whole(folder, arguments.labeled, arguments.unlabeled, shards=20)


if __name__ == "__main__":
    main()
