"""What nights leave in MLflow's store, with and without `tracking.keep`.

    python -m benchmarks.nights --nights 60 --keep 20    # minutes

Two real validations of a clone of HEAD make a champion and a challenger. Each further night is a copy of the second,
with its candidates' runs, its artifacts and a registered version; then all is dated back by a day, and what
`tracking.keep` says is removed.
"""

import argparse
import subprocess
import sys

import yaml

from benchmarks.checkout import checkout, script

_CANDIDATES = [
    {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
    {"name": "neighbours", "estimator": "sklearn.neighbors.KNeighborsClassifier"},
]
_CHANGES = {
    "data": {"labeled_rows": 60, "shards": 2},
    "split": {"folds": 3},
    "progressive": {"block": 15},
    "covalidation": {"repeats": 2},
}
_NIGHTS = """
import sqlite3
from datetime import timedelta
from pathlib import Path
from tasks.runtime import environment
environment.enter()
from mlflow.artifacts import download_artifacts
from tasks.fits.model_process import opened
from tasks.outcome.items import Parameter, Tag, TrackedMetric
from tasks.params import load
from tasks.storage import files
from tasks.track import lifecycle, old_runs, store
from tasks.track.registry import log_model, register, sample
settings = load()
client = store.connect(settings)
path = store.database(settings)
last = max(store.runs(client, "tags.promoted = 'no'"), key=lambda run: run.info.start_time)
below = list(store.runs(client, f"tags.`mlflow.parentRunId` = '{last.info.run_id}'"))
artifacts = download_artifacts(run_id=last.info.run_id, dst_path=".cache/last")
versions = client.search_model_versions("name = 'digits'")
tags = next(version.tags for version in versions if version.run_id == last.info.run_id)
def items(run):
    own = ("mlflow.user", "mlflow.source", "mlflow.parentRunId", "host", "process", "validation")
    kept = [Tag(name, text) for name, text in run.data.tags.items() if not name.startswith(own)]
    return [*kept, *(TrackedMetric(name, value) for name, value in run.data.metrics.items())]
def night(model):
    with lifecycle.run(settings):
        active = lifecycle.active()
        active.send(items(last))
        client.log_artifacts(active.run_id, artifacts)
        for child in below:
            parameters = [Parameter(name, text) for name, text in child.data.params.items()]
            active.send_candidate(child.info.run_name, [*items(child), *parameters], failed=False)
        version = register(client, "digits", log_model(client, model, sample(), active.run_id), tags)
        client.set_registered_model_alias("digits", "challenger", version)
def megabytes(folder):
    return sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file()) / 1e6
with opened(files.MODEL, settings) as model:
    model.load()
    for number in range(NUMBER):
        night(model)
        with sqlite3.connect(path) as database:
            day = 24 * 3600 * 1000
            database.execute("UPDATE runs SET start_time = start_time - ?, end_time = end_time - ?", (day, day))
        if KEEP:
            list(old_runs.prune(settings, timedelta(days=KEEP), compact=False))
        found = len(client.search_model_versions("name = 'digits'", max_results=1000))
        print(f"{number + 1},{path.stat().st_size / 1e6:.2f},{megabytes('mlruns/artifacts'):.2f},{found}", flush=True)
"""


def main() -> int:
    """Print the sizes of each night, as CSV."""
    parser = argparse.ArgumentParser(description="What nights leave in MLflow's store.")
    parser.add_argument("--nights", type=int, default=60, metavar="N")
    parser.add_argument("--keep", type=int, default=0, metavar="DAYS", help="0: nothing is removed")
    options = parser.parse_args()
    with checkout() as here:
        path = here / "params.yaml"
        params = yaml.safe_load(path.read_text(encoding="utf-8"))
        for section, values in _CHANGES.items():
            params[section] |= values
        path.write_text(yaml.safe_dump({**params, "candidates": _CANDIDATES}, sort_keys=False), encoding="utf-8")
        for _ in range(2):
            subprocess.run([sys.executable, "-m", "flows", "validate", "--promote"], check=True, capture_output=True)
        text = script(_NIGHTS.replace("NUMBER", str(options.nights)).replace("KEEP", str(options.keep)))
    print("night,database MB,artifacts MB,versions")
    print(text.rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
