"""`make serve`: a server, a worker and a deployment that validates, all gone after Ctrl-C."""

import os
import signal
import socket

import pytest
from mlflow import MlflowClient

ADDRESS = "http://127.0.0.1:4200/api"
STOP_SECONDS = 60


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
            checkout.wait_until(lambda: f"PREFECT_API_URL={ADDRESS}" in said.read_text().splitlines(), process)
            other = type(checkout)(checkout.path, {"PREFECT_API_URL": ADDRESS})
            run = other.run("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
            assert "Completed" in run.stdout
            os.kill(process.pid, signal.SIGINT)
            assert 0 == process.wait(STOP_SECONDS)
            assert [] == checkout.processes()
        finally:
            for left in [process, *checkout.processes()]:
                left.kill()
    assert "Traceback" not in said.read_text()
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    parents = [run for run in client.search_runs([experiment]) if "mlflow.parentRunId" not in run.data.tags]
    assert ["FINISHED"] == [run.info.status for run in parents]
    assert (checkout.path / "reports/selection.json").exists()
