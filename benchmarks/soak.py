"""Scheduled runs in fast succession: memory of the server and the worker, growth of the stores; docs/reliability.md.

    python -m benchmarks.soak --runs 200 --stored 500 --page    # hours; without --page nothing is written

The runs are those of `make serve` in a clone of HEAD, of a tiny table and one cheap candidate, one after the other.
Then copies of the last run are stored, and the start of a run is timed.
"""

import argparse
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import yaml

from benchmarks.checkout import checkout, script

PAGE = Path(__file__).parents[1] / "docs/reliability.md"
_START, _END = "<!-- made by `python -m benchmarks.soak` -->\n", "<!-- end -->\n"
_FOLDERS = ("mlruns", ".prefect", ".cache")
_PATIENCE_SECONDS = 900
_ROWS = 120
_CANDIDATES = [{"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}]
_CHANGES: dict[str, dict[str, Any]] = {
    "data": {"source": "data/raw/tiny.csv", "target": None, "positive": None, "labeled_rows": 60, "shards": 1},
    "split": {"folds": 3},
    "progressive": {"block": 15},
    "covalidation": {"repeats": 2},
    "execution": {"workers": 1},
}
_SERVE = """
import socket, sys
from flows.__main__ import main
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
sys.exit(main(["serve", "--port", str(port)]))
"""
# the start of a run, three times: the store is opened, and the ledger of all earlier validations read
_START_OF_A_RUN = """
import time
from tasks.runtime import environment
environment.enter()
from tasks.params import load
from tasks.track import lifecycle, store
settings = load()
store.connect(settings)
for _ in range(3):
    started = time.monotonic()
    with lifecycle.run(settings):
        print(time.monotonic() - started)
"""
_COPIES = """
from tasks.runtime import environment
environment.enter()
from tasks.outcome.items import Parameter, Tag, TrackedMetric
from tasks.params import load
from tasks.track import lifecycle, store
settings = load()
client = store.connect(settings)
last = max(store.runs(client, "tags.`mlflow.heldout.promoted` IS NOT NULL"), key=lambda run: run.info.start_time)
below = list(store.runs(client, f"tags.`mlflow.parentRunId` = '{last.info.run_id}'"))
def items(run):
    def ours(name):
        return not name.startswith("mlflow.") or name.startswith("mlflow.heldout.")
    tags = [Tag(name, text) for name, text in run.data.tags.items() if ours(name)]
    return [*tags, *(TrackedMetric(name, value) for name, value in run.data.metrics.items())]
for _ in range(COUNT):
    with lifecycle.run(settings):
        lifecycle.send_to_run(items(last))
        for child in below:
            parameters = [Parameter(name, text) for name, text in child.data.params.items()]
            lifecycle.active().send_candidate(child.info.run_name, [*items(child), *parameters], failed=False)
"""


def main() -> int:
    """Run, print what was measured, and write the page if it is asked for."""
    parser = argparse.ArgumentParser(description="Scheduled runs in fast succession.")
    parser.add_argument("--runs", type=int, default=200, metavar="N", help="scheduled runs")
    parser.add_argument("--stored", type=int, default=500, metavar="N", help="validations in the store at the end")
    parser.add_argument("--page", action="store_true", help="write docs/reliability.md")
    options = parser.parse_args()
    with checkout() as here:
        _prepare(here)
        seconds, looks = _serve(here, options.runs)
        starts = {options.runs: _start_of_a_run()}
        if (more := options.stored - options.runs) > 0:
            script(_COPIES.replace("COUNT", str(more)))
            starts[options.stored] = _start_of_a_run()
    lines = _page(seconds, pd.DataFrame(looks), starts)
    print("\n".join(lines))
    if options.page:
        head, rest = PAGE.read_text(encoding="utf-8").split(_START)
        text = "\n".join(lines)
        PAGE.write_text(f"{head}{_START}\n{text}\n\n{_END}{rest.split(_END)[1]}", encoding="utf-8")
    return 0


def _prepare(here: Path) -> None:
    x = np.random.default_rng(0).normal(size=(_ROWS, 2))
    table = pd.DataFrame(x, columns=["a", "b"]).assign(target=(x.sum(1) > 0).astype(int))
    table.to_csv(here / "data/raw/tiny.csv", index=False)
    path = here / "params.yaml"
    params = yaml.safe_load(path.read_text(encoding="utf-8"))
    for section, values in _CHANGES.items():
        params[section] = {**params.get(section, {}), **values}
    path.write_text(yaml.safe_dump({**params, "candidates": _CANDIDATES}, sort_keys=False), encoding="utf-8")


def _serve(here: Path, runs: int) -> tuple[list[float], list[dict[str, float]]]:
    """The seconds of each run, and the megabytes of processes and folders after it."""
    own = {name: text for name, text in os.environ.items() if not name.startswith(("PREFECT_", "MLFLOW_"))}
    own["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{own['PATH']}"
    with (here / "serve.log").open("w") as log:
        server = subprocess.Popen([sys.executable, "-c", _SERVE], env=own, stdout=log, stderr=log)  # noqa: S603
    try:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while "Ctrl-C stops" not in (here / "serve.log").read_text():
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((here / "serve.log").read_text())
            time.sleep(0.5)
        profile = tomllib.loads((here / ".prefect/profiles.toml").read_text())
        os.environ.update(profile["profiles"]["heldout"])
        from prefect.deployments import run_deployment  # it reads the address when it is imported

        seconds, looks = [], []
        for number in range(runs):
            started = time.monotonic()
            run: Any = run_deployment("validate/nightly-validation", timeout=_PATIENCE_SECONDS, poll_interval=1)
            if run.state is None or not run.state.is_completed():
                raise RuntimeError(f"run {number + 1}: {run.state}")
            seconds.append(time.monotonic() - started)
            looks.append(_look(server.pid, here))
            print(f"run {number + 1}: {seconds[-1]:.1f} s, {looks[-1]}", file=sys.stderr)
        return seconds, looks
    finally:
        server.terminate()
        server.wait(60)


def _look(serve: int, here: Path) -> dict[str, float]:
    """Megabytes: the resident memory of each process of `make serve`, and the size of each folder."""
    found = {"serve": psutil.Process(serve).memory_info().rss}
    for child in psutil.Process(serve).children():
        name = next((part for part in child.cmdline()[1:] if not part.startswith("-")), "?")
        found[name.removeprefix("flows.").rpartition("/")[2]] = child.memory_info().rss
    for folder in _FOLDERS:
        found[f"{folder}/"] = sum(path.stat().st_size for path in (here / folder).rglob("*") if path.is_file())
    return {name: size / 1e6 for name, size in found.items()}


def _start_of_a_run() -> float:
    return float(np.median([float(line) for line in script(_START_OF_A_RUN).split()]))


def _page(seconds: list[float], looks: pd.DataFrame, starts: dict[int, float]) -> list[str]:
    """The tables; the slope is that of a straight line through the second half of the runs."""
    half = looks.iloc[len(looks) // 2 :]
    slopes = {str(name): np.polyfit(half.index, half[name], 1)[0] if len(half) > 1 else np.nan for name in looks}
    lines = [f"{len(looks)} scheduled runs, {np.median(seconds):.1f} s each (median).", ""]
    lines += ["| MB | after the first run | after the last | a run, in the second half |", "| --- | --- | --- | --- |"]
    for name in map(str, looks):
        kind = "" if name.endswith("/") else ", memory"
        first, last = looks[name].iloc[0], looks[name].iloc[-1]
        lines.append(f"| `{name}`{kind} | {first:.1f} | {last:.1f} | {slopes[name]:+.2f} |")
    lines += ["", "| validations in the store | start of a run, s |", "| --- | --- |"]
    return [*lines, *(f"| {runs} | {start:.2f} |" for runs, start in starts.items())]


if __name__ == "__main__":
    sys.exit(main())
