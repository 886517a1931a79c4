"""`make serve`: a server, a worker and a deployment that validates, all gone after Ctrl-C."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from mlflow import MlflowClient

ADDRESS = "http://127.0.0.1:4200/api"
START_SECONDS, STOP_SECONDS = 180, 60


def processes_in(folder: Path) -> list[psutil.Process]:
    """The processes whose current folder is `folder` or below."""
    return [
        process for process in psutil.process_iter(["cwd"]) if Path(process.info["cwd"] or "/").is_relative_to(folder)
    ]


def wait_for_line(path: Path, line: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + START_SECONDS
    while line not in path.read_text().splitlines():
        assert process.poll() is None, path.read_text()
        assert time.monotonic() < deadline, path.read_text()
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_deployment_validates_and_ctrl_c_leaves_no_process(clone, write_params, tmp_path):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 4200)) == 0:
            pytest.skip("port 4200 is taken")
    checkout, said = clone(), tmp_path / "said.txt"
    write_params(checkout.path / "params.yaml")
    with said.open("w") as file:
        process = checkout.start("python", "-m", "flows.serve", stdout=file, stderr=file)
        try:
            wait_for_line(said, f"PREFECT_API_URL={ADDRESS}", process)
            other = type(checkout)(checkout.path, {"PREFECT_API_URL": ADDRESS})
            run = other.run("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
            assert "Completed" in run.stdout
            os.kill(process.pid, signal.SIGINT)
            assert 0 == process.wait(STOP_SECONDS)
            assert [] == processes_in(checkout.path)
        finally:
            for left in [process, *processes_in(checkout.path)]:
                left.kill()
    assert "Traceback" not in said.read_text()
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    parents = [run for run in client.search_runs([experiment]) if "mlflow.parentRunId" not in run.data.tags]
    assert ["FINISHED"] == [run.info.status for run in parents]
    assert (checkout.path / "reports/selection.json").exists()
