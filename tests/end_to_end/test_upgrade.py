"""From version 0.1, run by a user on their own parameters: each door refuses, migrate asks, then each door runs."""

import os
import subprocess

import mlflow
import pandas as pd
import pytest

from tests.end_to_end.conftest import ROOT, Checkout
from tests.end_to_end.serving import Serving
from tests.end_to_end.test_same_bytes import UP_TO_DATE

pytestmark = [pytest.mark.long, pytest.mark.fault("older params.yaml")]
OLD = "08f3b13f88d3c7b2d45fd130d4f2e524771a675f"
PARAMS = (ROOT / "tests/older/params-0.1.yaml").read_text(encoding="utf-8")
REFUSED = "`python -m flows migrate` shows what this version changes"


@pytest.fixture(scope="module")
def upgraded(snapshot, tmp_path_factory) -> Checkout:
    """A checkout in which version 0.1 ran, by the packages of this one, and whose code is now the present one."""
    if subprocess.run(["git", "cat-file", "-e", OLD], cwd=ROOT, check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("the clone is too shallow: it lacks version 0.1")
    path = tmp_path_factory.mktemp("upgraded") / "heldout"
    Checkout(path.parent).git("clone", "--quiet", str(ROOT), str(path))
    checkout = Checkout(path, {"DVC_SITE_CACHE_DIR": str(path / ".cache/dvc")})
    checkout.git("checkout", "--quiet", OLD)
    (path / "params.yaml").write_text(PARAMS)
    checkout.run("dvc", "repro")
    checkout.git("fetch", "--quiet", str(snapshot), "main")
    checkout.git("checkout", "--quiet", "--force", "FETCH_HEAD")
    (path / "params.yaml").write_text(PARAMS)
    return checkout


def aliases(checkout: Checkout) -> dict[str, dict[str, str]]:
    client = mlflow.MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    return {
        one.name: {name: str(number) for name, number in one.aliases.items()}
        for one in client.search_registered_models()
    }


def test_every_door_refuses_the_old_file_and_leaves_all_as_it_was(upgraded):
    before = upgraded.hashes(*("data", "models", "reports", "mlruns"))
    assert before
    for command, code in (
        (("dvc", "repro"), 255),
        (("python", "-m", "flows", "validate", "--promote"), 2),
        (("python", "-m", "flows", "watch"), 2),
        (("python", "-m", "flows", "serve"), 2),
    ):
        ran = upgraded.run(*command, check=False)
        assert code == ran.returncode, ran.stderr
        assert REFUSED in ran.stderr
        assert "Traceback" not in ran.stderr
    assert before == upgraded.hashes(*("data", "models", "reports", "mlruns"))
    assert [] == upgraded.processes()


def test_migrate_asks_and_then_every_door_runs(upgraded, tmp_path):
    checkout = upgraded.copy(tmp_path / "migrated")
    checkout = Checkout(checkout.path, {"DVC_SITE_CACHE_DIR": str(checkout.path / ".cache/dvc")})
    answered = answers(checkout, "n\n")
    assert "nothing was written" in answered
    assert PARAMS == (checkout.path / "params.yaml").read_text()
    said = answers(checkout, "y\ny\n")
    assert "earlier validations: 1 (opened a test part, which stays spent: 1)" in said
    assert "models:/heldout@champion is version 1 of an older heldout" in said
    assert "models:/heldout@champion is version 1 of heldout, until the next winner replaces it" in said
    assert {"heldout": {"champion": "1"}} == aliases(checkout)

    assert "Running stage 'report'" in checkout.run("dvc", "repro").stdout
    assert UP_TO_DATE == checkout.run("dvc", "status").stdout.strip()
    selection = pd.read_json(checkout.path / "reports/selection.json", typ="series")
    assert 8 == selection["contamination"]  # four learners on the partition of 0.1, and on that of today
    assert "opened for 1 other winner" in selection["test_refused"]
    promoted = checkout.flow("validate", "--promote").stdout
    assert "no winner can be compared with version 1, which a person let the next one replace" in promoted
    assert {"heldout": {"champion": "2"}} == aliases(checkout)
    assert "verified" in checkout.flow("verify").stdout
    assert "nothing to migrate" in checkout.flow("migrate").stdout
    serving = Serving(checkout)
    serving.start()
    try:
        ran = checkout.run("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
        assert "Completed" in ran.stdout
    finally:
        serving.end()
    assert {"heldout": {"champion": "2", "challenger": "3"}} == aliases(checkout)


def answers(checkout: Checkout, typed: str) -> str:
    """What migrate says in a terminal, in which somebody types."""
    ours, theirs = os.openpty()
    process = checkout.start("python", "-m", "flows", "migrate", stdin=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    os.write(ours, typed.encode())
    said, _ = process.communicate(timeout=120)
    os.close(ours)
    assert 0 == process.returncode
    return said
