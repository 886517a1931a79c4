"""The life of a user's table in DVC: experiments before any commit, aside and queued, a second clone, checkout, gc."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from mlflow import MlflowClient

CANDIDATES = [
    {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
    {"name": "neighbours", "estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 5}},
]
TABLE, MORE = "data/raw/parts", "data/raw/more.rows.v2.csv"
AS_COMMITTER = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A folder of Parquet files, parts, and a CSV of rows without a label with dots in its name, more.rows.v2.csv."""
    folder, rng = tmp_path_factory.mktemp("elsewhere"), np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(160, 3)), columns=["a", "b", "c"])
    (folder / "parts").mkdir()
    noisy = frame["a"] + rng.normal(size=160)  # else `init` asks whether the column gives the answer away
    labeled = frame.iloc[:110].assign(bought=np.where(noisy.iloc[:110] > 0, "yes", "no"))
    labeled.iloc[:60].to_parquet(folder / "parts/0.parquet")
    labeled.iloc[60:].to_parquet(folder / "parts/1.parquet")
    frame.iloc[110:].to_csv(folder / "more.rows.v2.csv", index=False)
    return folder


def set_in(path, section, **values):
    params = yaml.safe_load(path.read_text())
    params[section] = {**params[section], **values} if values else CANDIDATES
    path.write_text(yaml.safe_dump(params, sort_keys=False))


def folds(checkout):
    return pd.read_parquet(checkout.path / "data/prepared/partition.parquet")["fold"].nunique()


def changed(checkout):
    """The files that git reports, in the index or not."""
    return {line[3:] for line in checkout.git("status", "--porcelain").splitlines()}


def is_up_to_date(checkout):
    return "up to date" in checkout.run("dvc", "status").stdout


@pytest.mark.long
def test_a_table_is_in_every_experiment_clone_and_checkout(clone, server, sources, tmp_path):
    checkout = clone(server)
    checkout.flow("init", sources / "parts", "--target", "bought", "--unlabeled", sources / "more.rows.v2.csv")
    params = checkout.path / "params.yaml"
    set_in(params, "candidates")
    set_in(params, "covalidation", repeats=2)
    set_in(params, "tracking", promote="always")
    table = checkout.hashes("data/raw")
    assert {f"{TABLE}/0.parquet", f"{TABLE}/1.parquet", MORE} < {*table}
    assert {"params.yaml", "data/raw.dvc", "table_checks.yaml"} == changed(checkout)

    first = checkout.run("dvc", "repro")
    assert "git" not in (first.stdout + first.stderr).lower()  # no advice after the result
    assert "is empty" not in first.stdout + first.stderr
    by_user = {"params.yaml", "data/raw.dvc", "table_checks.yaml", "dvc.lock"}
    assert by_user == changed(checkout)
    ten = checkout.hashes()

    # aside, in the workspace and queued, before any commit
    other = ("-S", "candidates.1.params.n_neighbors=3")
    aside = checkout.run("dvc", "exp", "run", "--temp", "--name", "four", "-S", "split.folds=4", *other).stdout
    assert re.search(r"holdout and final: [1-9]\d* tasks reused", aside)  # from the checkout's own store of fits
    assert ten == checkout.hashes()
    assert by_user == changed(checkout)
    checkout.run("dvc", "exp", "run", "--name", "five", "-S", "split.folds=5")
    assert 5 == folds(checkout)
    assert by_user == changed(checkout)
    checkout.run("dvc", "exp", "run", "--queue", "--name", "six", "-S", "split.folds=6")
    checkout.run("dvc", "exp", "run", "--run-all")
    assert 5 == folds(checkout)
    checkout.wait_until(lambda: not [*(checkout.path / ".cache").glob("*tmp*")])  # a copy leaves nothing behind
    named = checkout.run("dvc", "exp", "list", "--name-only").stdout.split()
    assert {"four", "five", "six"} <= {*named}
    checkout.run("dvc", "exp", "apply", "six")
    assert 6 == folds(checkout) == yaml.safe_load(params.read_text())["split"]["folds"]
    assert table == checkout.hashes("data/raw")
    assert is_up_to_date(checkout)
    # also the learner that was compared aside
    assert 3 == json.loads((checkout.path / "reports/selection.json").read_text())["contamination"]

    # and no experiment promotes
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    assert ["1"] == [str(version.version) for version in client.search_model_versions("name = 'parts'")]

    # a second clone
    checkout.git("add", "--all")
    checkout.git(*AS_COMMITTER, "commit", "--quiet", "-m", "my table")
    checkout.run("dvc", "remote", "add", "--default", "--local", "store", str(tmp_path / "store"))
    checkout.run("dvc", "push")
    second = type(checkout)(tmp_path / "second", checkout.own)
    checkout.git("clone", "--quiet", str(checkout.path), str(second.path))
    second.run("dvc", "remote", "add", "--default", "--local", "store", str(tmp_path / "store"))
    second.run("dvc", "pull")
    assert table == second.hashes("data/raw")
    assert checkout.hashes() == second.hashes()
    assert is_up_to_date(second)
    second.run("dvc", "exp", "run", "--name", "seven", "-S", "split.folds=7")  # of a commit
    assert 7 == folds(second)
    assert {"params.yaml", "dvc.lock"} == changed(second)
    assert table == second.hashes("data/raw")

    # what was removed comes back, also after the cache was cleared of all that the workspace does not need
    checkout.run("dvc", "gc", "--workspace", "--force")
    shutil.rmtree(checkout.path / TABLE)
    (checkout.path / MORE).unlink()
    checkout.run("dvc", "checkout")
    assert table == checkout.hashes("data/raw")
    assert is_up_to_date(checkout)

    # a night replaces the table by one with more rows: another clone gets these and the results
    rows = pd.read_parquet(checkout.path / TABLE / "1.parquet")
    pd.concat([rows, rows[:6].assign(a=rows["a"] + 0.001)]).to_parquet(checkout.path / TABLE / "1.parquet")
    checkout.flow("validate")
    assert is_up_to_date(checkout)
    checkout.git(*AS_COMMITTER, "commit", "--quiet", "--all", "-m", "the last night")
    checkout.run("dvc", "push")
    second.git("checkout", "--quiet", ".")
    second.git("pull", "--quiet", "--ff-only")
    second.run("dvc", "pull")
    assert checkout.hashes("data/raw") == second.hashes("data/raw") != table
    assert checkout.hashes() == second.hashes()
