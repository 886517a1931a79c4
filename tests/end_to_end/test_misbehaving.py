"""Candidates that misbehave, workers that are killed and finished fits that are damaged: the real command goes on."""

import shutil
import signal

import pandas as pd
import psutil
import pytest
from mlflow import MlflowClient

from tests.end_to_end.conftest import LEARNERS, Ran

pytestmark = pytest.mark.long  # half a dozen validations
BAD = [
    "Exits",
    "SystemExits",
    "Interrupts",
    "ExitsInPredict",
    "Killed",
    "Endless",
    "Unpicklable",
    "Unreadable",
    "Memory",
    "Gaps",
    "Speaks",
    "Mute",
]
GOOD = [
    {"name": "changes", "estimator": "misbehaving.ChangesInput"},
    {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
]
SAID = r"[/luck]\x1b[2J\x07<b>long long"


@pytest.fixture(scope="module")
def write(write_params):
    """A function that writes parameters with some of the learners next to them."""

    def write(folder, bad):
        shutil.copy(LEARNERS / "misbehaving.py", folder)
        candidates = [*({"name": name, "estimator": f"misbehaving.{name}"} for name in bad), *GOOD]
        execution = {"allowed_modules": ["sklearn", "misbehaving"], "fit_timeout": 20}
        return write_params(folder / "params.yaml", candidates=candidates, execution=execution)

    return write


@pytest.fixture(scope="module")
def ran(clone, server, write, tmp_path_factory):
    """A run with all of them, and a run without any."""
    found = []
    for bad in (BAD, []):
        checkout, params = clone(server), write(tmp_path_factory.mktemp("user"), bad)
        done = checkout.flow("validate", "--params", params)
        found.append(Ran(checkout, params, done.stdout + done.stderr))
    return found


@pytest.mark.fault("learner")
def test_each_is_said_to_have_failed_and_why(ran):
    checkout, printed = ran[0].checkout, ran[0].said
    assert len(printed) < 200_000
    assert "\x1b" not in printed
    assert "Traceback" not in printed
    for name in BAD:
        assert f"{name} failed" in printed
    for word in ("exit code 3", "exit code 4", "memory runs out", "20 s of execution.fit_timeout", SAID):
        assert word in " ".join(printed.split())
    page = (checkout.path / "reports/report.html").read_text()
    assert SAID.replace("<b>", "&lt;b&gt;") in page
    assert [] == checkout.processes()


@pytest.mark.fault("learner")
def test_their_runs_in_mlflow_are_failed_with_the_reason(ran):
    client = MlflowClient(f"sqlite:///{ran[0].path}/mlruns/mlflow.db")
    runs = client.search_runs([one.experiment_id for one in client.search_experiments()])
    failed = {run.info.run_name: run.data.tags["failure"] for run in runs if run.info.status == "FAILED"}
    assert {*BAD} == {*failed}
    assert SAID in failed["Speaks"]
    assert "SystemExit: enough" in failed["SystemExits"]


@pytest.mark.fault("learner")
@pytest.mark.parametrize("file", ["reports/estimates.csv", "data/results/losses.parquet"])
def test_the_numbers_of_the_others_are_those_of_a_run_without_them(ran, file):
    tables = []
    for one in ran:
        read = pd.read_csv if file.endswith("csv") else pd.read_parquet
        table = read(one.path / file)
        # the estimates of the winner alone know how many it won against
        kept = table["candidate"].isin([candidate["name"] for candidate in GOOD])
        if "estimate" in table:
            kept &= ~table["estimate"].isin(["E_bbc", "E_nested"])
        tables.append(table[kept].reset_index(drop=True))
        assert [] == [*{*table["candidate"]} & {*BAD}]
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    assert len(tables[0])


@pytest.mark.fault("fit store")
def test_a_damaged_store_is_made_again_with_one_line_a_fan_out_and_the_same_bytes(ran):
    checkout, params = ran[1].checkout, ran[1].params
    before = checkout.hashes()
    stored = sorted(path for path in (checkout.path / ".cache/tasks").rglob("*") if path.is_file())
    for number, path in enumerate(stored):
        content = bytearray(path.read_bytes())
        content[number % len(content)] ^= 1
        path.write_bytes([content, content[: number % 40], b"", b"of another kind"][number % 4])
    done = checkout.flow("validate", "--params", params)
    assert 1 <= done.stdout.count("finished fits are damaged") <= 6
    assert "Traceback" not in done.stdout + done.stderr
    assert before == checkout.hashes()


@pytest.mark.fault("worker death")
def test_a_worker_that_is_killed_costs_its_task_alone(clone, server, write_slow, tmp_path_factory):
    command = ("python", "-m", "flows", "validate", "--params", str(write_slow(tmp_path_factory.mktemp("user"))))
    checkout, undisturbed = clone(server), clone(server)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        process = checkout.start(*command, stdout=file, stderr=file)
    checkout.wait_until(lambda: "fits: " in said.read_text(), process)
    worker = next(one for one in psutil.Process(process.pid).children() if "LokyProcess" in " ".join(one.cmdline()))
    worker.send_signal(signal.SIGKILL)
    assert 0 == process.wait(300), said.read_text()
    assert 1 == said.read_text().count("runs once more, alone")
    undisturbed.run(*command)
    assert undisturbed.hashes() == checkout.hashes()
