"""Servers of others: MLflow with its login and Prefect with its password, as docs/how-to/stores.md has them."""

import dataclasses
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import Checkout, environment
from tests.end_to_end.foreign_page import ask

pytestmark = [pytest.mark.long, pytest.mark.fault("servers")]
PASSWORD = "a long password 1"
RECORDS = """
import sys
from tasks.runtime import environment
environment.enter()
import mlflow
from tasks.params import load
from tasks.track import lifecycle
settings = load(sys.argv[1])
with lifecycle.run(settings):
    pass
print(mlflow.search_runs(experiment_names=[settings.tracking.experiment])["status"].tolist())
"""
STATUS = """
import sys, mlflow
mlflow.set_tracking_uri(sys.argv[1])
print(*mlflow.search_runs(search_all_experiments=True, filter_string="tags.selected_model != ''")["status"])
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def mlflow_server(tmp_path_factory) -> Iterator[str]:
    """MLflow's server with its login; its address."""
    folder, port = tmp_path_factory.mktemp("mlflow"), free_port()
    command = ["-m", "mlflow", "server", "--app-name", "basic-auth", "--workers", "1", "--port", str(port)]
    command += ["--backend-store-uri", "sqlite:///mlflow.db", "--artifacts-destination", "./artifacts"]
    own = environment(MLFLOW_AUTH_ADMIN_PASSWORD=PASSWORD, MLFLOW_FLASK_SERVER_SECRET_KEY="of this server")
    own["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # spares ten processes
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, *command], cwd=folder, env=own, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return ask(address, "GET", "/health").status == 200
        except OSError:
            return False

    try:
        Checkout(folder).wait_until(answers, process, seconds=300)
        yield address
    finally:
        started = [*psutil.Process(process.pid).children(recursive=True), process]
        for one in started:
            one.kill()
        process.wait()


def test_a_run_logs_to_an_mlflow_with_a_login_and_only_with_it(mlflow_server, clone, server, write_params, tmp_path):
    checkout = clone(server)
    params = write_params(tmp_path / "params.yaml", tracking={"uri": mlflow_server})
    for login in ({}, {"MLFLOW_TRACKING_USERNAME": "admin", "MLFLOW_TRACKING_PASSWORD": "guessed"}):
        refused = with_more(checkout, login).flow("validate", "--params", params, check=False)
        assert 2 == refused.returncode
        assert f"error: tracking.uri is {mlflow_server}" in refused.stderr
        assert "Traceback" not in refused.stderr
    login["MLFLOW_TRACKING_PASSWORD"] = PASSWORD
    done = with_more(checkout, login).run("python", "-c", RECORDS, str(params))
    assert "FINISHED" in done.stdout
    assert not (checkout.path / "mlruns").exists()
    assert PASSWORD not in done.stdout + done.stderr


@pytest.mark.fault("stopped process")
def test_a_run_goes_on_after_the_mlflow_server_was_stopped_for_a_minute(mlflow_server, clone, server, write_params):
    checkout = with_more(clone(server), {"MLFLOW_TRACKING_USERNAME": "admin", "MLFLOW_TRACKING_PASSWORD": PASSWORD})
    write_params(checkout.path / "params.yaml", tracking={"uri": mlflow_server})
    said = checkout.path.parent / "said.txt"
    port = mlflow_server.rpartition(":")[2]
    with said.open("w") as file:
        run = checkout.start("python", "-m", "flows", "validate", stdout=file, stderr=file)
        checkout.wait_until(lambda: "holdout and final: " in said.read_text(), run, seconds=300)
        (first,) = [one for one in psutil.Process().children() if port in one.cmdline()]
        stopped = [first, *first.children(recursive=True)]
        for process in stopped:
            process.suspend()
        time.sleep(60)
        for process in stopped:
            process.resume()
        assert 0 == run.wait(600), said.read_text()
    assert ["FINISHED"] == checkout.run("python", "-c", STATUS, mlflow_server).stdout.split()


def test_prefect_without_its_password_ends_a_run_with_a_message(clone, server):
    for secret in ("", "heldout:guessed"):
        checkout = with_more(clone(server), {"PREFECT_API_AUTH_STRING": secret})
        refused = checkout.flow("prepare", check=False)
        assert 2 == refused.returncode, refused.stdout + refused.stderr
        assert "PREFECT_API_AUTH_STRING" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_server_of_another_machine_without_a_password_is_said_once(clone, server):
    refused = clone(server).flow("validate", "--set", "tracking.uri=http://nowhere.invalid:5000", check=False)
    assert 2 == refused.returncode
    assert 1 == refused.stdout.count("without a password")


def with_more(checkout: Checkout, more: dict[str, str]) -> Checkout:
    return dataclasses.replace(checkout, own={**checkout.own, **more})


def test_the_commands_are_those_of_the_page():
    page = (Path(__file__).parents[2] / "docs/how-to/stores.md").read_text(encoding="utf-8")
    for word in (
        "--app-name basic-auth",
        "MLFLOW_AUTH_ADMIN_PASSWORD",
        "MLFLOW_FLASK_SERVER_SECRET_KEY",
        "MLFLOW_TRACKING_PASSWORD",
        "PREFECT_SERVER_API_AUTH_STRING",
        "PREFECT_API_AUTH_STRING",
    ):
        assert word in page
