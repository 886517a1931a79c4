"""The commands of docs/operations.md, section Old runs: what nobody needs goes, and what is asked for later stays."""

import re

import pytest
from mlflow import MlflowClient

from tests.end_to_end.conftest import COMMIT, ROOT

PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
LOAD = """
import mlflow
import pandas as pd
mlflow.set_tracking_uri("sqlite:///mlruns/mlflow.db")
rows = pd.read_parquet("data/prepared/labeled.parquet").drop(columns="target")
print(len(mlflow.sklearn.load_model("models:/digits@champion").predict(rows)))
"""


def documented() -> list[list[str]]:
    """The lines of the page, as a shell takes them, without git's, and without its question to a person."""
    (block,) = re.findall(r"test_retention.py runs these lines -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.partition("#")[0].split() for line in block.splitlines() if not line.startswith("git ")]
    assert ["prune", "gc", "gc"] == [next(word for word in line if word in ("prune", "gc")) for line in lines]
    return [[*("0d" if word == "90d" else word for word in line), *["--force"] * (line[0] == "dvc")] for line in lines]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_old_models_and_outputs_go_and_champion_ledger_and_older_commits_stay(clone, server, write_params):
    checkout = clone(server)
    path = checkout.path
    client = MlflowClient(f"sqlite:///{path}/mlruns/mlflow.db")

    def size(folder: str) -> int:
        return sum(file.stat().st_size for file in (path / folder).rglob("*") if file.is_file())

    def night(seed: int, tag: str = "") -> dict[str, str]:
        write_params(path / "params.yaml", seed=seed)
        checkout.flow("validate", "--promote")
        if tag:
            checkout.git(*COMMIT, "-qam", tag)
            checkout.git("tag", tag)
        return checkout.hashes("reports")

    def ledger() -> list[dict]:
        found = client.search_runs([one.experiment_id for one in client.search_experiments()])
        return sorted([run.data.to_dictionary() for run in found], key=str)

    first = night(0, "first")  # the champion
    night(1)  # which is committed nowhere, and is never the champion
    last = night(2, "last")  # the challenger
    checkout.flow("verify")
    before, bytes_before = ledger(), (size("mlruns/artifacts"), size(".dvc/cache"))
    assert ["1", "2", "3"] == versions(client)

    for line in documented():
        checkout.run(*line)

    assert before == ledger()
    assert ["1", "3"] == versions(client)
    assert all(
        now < then for now, then in zip((size("mlruns/artifacts"), size(".dvc/cache")), bytes_before, strict=True)
    )
    models = client.search_logged_models([client.get_experiment_by_name("heldout").experiment_id])
    assert 2 == len(models)
    checkout.flow("verify")
    checkout.run("python", "-c", LOAD)
    assert "up to date" in checkout.run("dvc", "status").stdout
    for tag, expected in (("first", first), ("last", last)):
        checkout.git("checkout", "--quiet", tag)
        checkout.run("dvc", "checkout", "--force")
        assert expected == checkout.hashes("reports")


def versions(client) -> list[str]:
    return sorted(str(found.version) for found in client.search_model_versions("name = 'digits'"))
