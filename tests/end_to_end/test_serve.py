"""`make serve`: a server and a deployment that validates, shut for everyone else, and gone after Ctrl-C."""

import json
import os
import signal
import socket
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tasks.params import load
from tasks.runtime.errors import UserError
from tasks.track.promote import PROMOTED
from tests.end_to_end.browser import CHROMIUM, page, tried_from_elsewhere
from tests.end_to_end.foreign_page import ask, assert_shut, command_run, senders, with_secret

PAGES = "http://127.0.0.1:4200"
RUNS = "http://127.0.0.1:5000"
FOREIGN = {"Origin": "https://evil.example"}
ADDRESS = f"{PAGES}/api"
START_SECONDS, STOP_SECONDS = 500, 60
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.fault("mlflow")
def test_the_deployment_validates_runs_no_command_and_ctrl_c_leaves_no_process(clone, write_params, tmp_path):
    for port in (4200, 5000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                pytest.skip(f"port {port} is taken")
    checkout, said, planted = clone(), tmp_path / "said.txt", tmp_path / "planted"
    write_params(checkout.path / "params.yaml")
    with said.open("w") as file:
        process = checkout.start("python", "-m", "flows.serve", stdout=file, stderr=file)
        try:
            checkout.wait_until(
                lambda: f"PREFECT_API_URL={ADDRESS}" in said.read_text().splitlines(), process, START_SECONDS
            )
            plant(f"touch {planted}")
            if CHROMIUM:
                look(tmp_path)
            profile = checkout.path / ".prefect/profiles.toml"
            secret = tomllib.loads(profile.read_text())["profiles"]["heldout"]["PREFECT_API_AUTH_STRING"]
            assert 0o600 == stat.S_IMODE(profile.stat().st_mode)
            plant_with_secret(f"touch {planted}", with_secret(PAGES, secret))
            assert [200, 403] == [ask(RUNS, "GET", "/health", headers=sent).status for sent in ({}, FOREIGN)]
            lines = said.read_text().splitlines()
            assert all(any(line.endswith(address) for line in lines) for address in (PAGES, RUNS))
            assert "Completed" in run_while_the_store_is_away(checkout, said)
            os.kill(process.pid, signal.SIGINT)
            assert 0 == process.wait(STOP_SECONDS)
            assert [] == checkout.processes()
        finally:
            for left in [process, *checkout.processes()]:
                left.kill()
    assert not planted.exists()
    assert not profile.exists()
    assert "Traceback" not in said.read_text()
    assert secret.partition(":")[2] not in said.read_text()
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    parents = [run for run in client.search_runs([experiment]) if "mlflow.parentRunId" not in run.data.tags]
    assert [("FINISHED", "first")] == [(run.info.status, run.data.tags[PROMOTED].partition(":")[0]) for run in parents]
    assert (checkout.path / "reports/selection.json").exists()


def run_while_the_store_is_away(checkout, said: Path) -> str:
    """What `prefect deployment run` prints, typed in the checkout, if MLflow's store cannot be opened at first."""
    store, aside = checkout.path / "mlruns/mlflow.db", checkout.path.parent / "aside.db"
    store.rename(aside)
    store.mkdir()
    command = ("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
    run = checkout.start(*command, stdout=subprocess.PIPE)
    checkout.wait_until(lambda: "Retry 1/3" in said.read_text(), run, START_SECONDS)
    store.rmdir()
    aside.rename(store)
    return run.communicate()[0]


def look(folder: Path) -> None:
    """In a browser the pages ask for the password, and a page from elsewhere gets nothing at all."""
    for name in (PAGES, PAGES.replace("127.0.0.1", "localhost")):
        assert 'type="password"' in page(name, folder / "profile")
    calls = [("POST", "/api/flows/filter"), ("GET", "/api/health"), ("GET", "/ui-settings")]
    refused = ["cors failed", "no-cors "] * len(calls)  # the second kind of request is sent, but nobody may read it
    assert refused == tried_from_elsewhere(PAGES, calls)


def plant(command: str) -> None:
    """Other pages and programs without the secret create nothing and read nothing, not even the settings."""
    requests = [("POST", "/api/deployments/filter", {}), ("GET", "/api/health", None), ("GET", "/ui-settings", None)]
    assert_shut(PAGES, requests, own_words="api_url")
    for headers in [*senders(PAGES).values(), {}, {"Content-Type": "text/plain"}]:
        assert [403] == [answer.status for answer in command_run(PAGES, headers, command)]
    assert 401 == ask(PAGES, "GET", "/api/csrf-token?client=guessed").status


def plant_with_secret(command: str, headers: dict[str, str]) -> None:
    """A deployment that names a command, and the deployment of this checkout changed to name one: neither runs it."""
    assert [201, 201, 201] == [answer.status for answer in command_run(PAGES, headers, command)]
    found = ask(PAGES, "GET", "/api/deployments/name/validate/nightly-validation", headers=headers)
    changed = {
        "entrypoint": "planted.py:planted",
        "pull_steps": [{"prefect.deployments.steps.run_shell_script": {"script": command}}],
    }
    assert 204 == ask(PAGES, "PATCH", f"/api/deployments/{json.loads(found.text)['id']}", changed, headers).status


@pytest.mark.slow
def test_a_deployment_that_asks_for_a_work_pool_is_refused(tmp_path, monkeypatch):
    from flows import deployments

    monkeypatch.chdir(tmp_path)
    limits = {"concurrency_limit": {"limit": 1}, "timeout_seconds": 0}
    mine = {"name": "mine", "work_pool": {"name": "pool"}, "schedules": [{}, {"a": 1}], **limits}
    Path("prefect.yaml").write_text(json.dumps({"name": "heldout", "deployments": [mine]}))
    with pytest.raises(UserError) as refused:
        deployments.load()
    places = {line.split()[1].removeprefix("deployments[0].") for line in str(refused.value).splitlines()}
    assert {"entrypoint", "work_pool", "schedules[1].a", "timeout_seconds"} == places


@pytest.mark.slow
@pytest.mark.parametrize("entrypoint", ["flows.none.none", "flows.serve.PORT", "flows.validate.none", "none"])
def test_a_deployment_of_a_flow_that_is_not_there_is_refused(entrypoint):
    from flows.deployments import Deployment

    deployment = Deployment(name="mine", entrypoint=entrypoint, concurrency_limit={"limit": 1}, timeout_seconds=1)
    with pytest.raises(UserError) as refused:
        deployment.flow()
    assert all(word in str(refused.value) for word in ("entrypoint of mine", entrypoint, "flows.validate.validate"))


@pytest.mark.fault("secrets")
@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("sqlite:///mlruns/mlflow.db", RUNS),
        ("https://me:planted@runs.example:8443/team?token=planted#planted", "https://runs.example:8443/team"),
    ],
)
def test_the_address_of_the_runs_has_no_login(uri, address):
    from flows.ui import address as printed

    assert address == printed(load(ROOT / "params.yaml", [f"tracking.uri={uri}"]))
