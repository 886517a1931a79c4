"""No other page in the user's browser reads from the servers of a checkout, or has them do something."""

import base64
import json
import signal
import socket
import stat
import subprocess

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.end_to_end.foreign_page import ask, assert_shut, command_run, senders, with_secret

pytestmark = [pytest.mark.slow, pytest.mark.fault("servers")]

REQUESTS = [
    ("POST", "/api/flows/", {"name": "planted"}),
    ("POST", "/api/flows/filter", {}),
    ("GET", "/api/health", None),
]
MLFLOW = "http://127.0.0.1:5000"
RUNS_COMMANDS = [  # of MLflow's own, for whoever reaches the port
    ("POST", "mlflow/assistant/message", {"message": "run true"}),
    ("PUT", "mlflow/assistant/config", {"providers": {}}),
    ("GET", "mlflow/assistant/providers", None),
    ("POST", "jobs", {"job_name": "x", "params": {}}),
]


def root(server) -> str:
    return server.url.removesuffix("/api")


def test_the_server_of_a_run_refuses_other_pages(server):
    assert_shut(root(server), REQUESTS, own_words="true")
    for headers in senders(root(server)).values():
        assert [403] == [answer.status for answer in command_run(root(server), headers, "true")]


def test_the_server_of_a_run_asks_programs_for_the_secret_and_for_a_token_against_forgery(server):
    for method, path, body in [*REQUESTS[:2], ("GET", "/api/csrf-token?client=x", None), ("GET", "/api/flows/", None)]:
        assert ask(root(server), method, path, body).status in (401, 403)
    known = with_secret(root(server), server.secret)
    assert 201 == ask(root(server), "POST", "/api/flows/", {"name": "own"}, known).status
    forged = {name: value for name, value in known.items() if "Token" not in name}
    guessed = {**known, "Authorization": known["Authorization"][:-8] + "AAAAAAA="}
    for status, headers in ((403, forged), (403, {**known, "Prefect-Csrf-Token": "0" * 64}), (401, guessed)):
        assert status == ask(root(server), "POST", "/api/flows/", {"name": "own"}, headers).status


@pytest.mark.parametrize("path", ["events/in", "events/out", "logs/out"])
def test_the_sockets_of_the_server_are_shut_as_well(server, path):
    address = f"{server.url.replace('http', 'ws')}/{path}"
    for origin in ("https://evil.example", "http://127.0.0.1:8888", "null"):
        with pytest.raises(InvalidStatus, match="403"), connect(address, origin=origin, subprotocols=["prefect"]):
            pass
    with connect(address, subprotocols=["prefect"]) as own:
        own.send(json.dumps({"type": "auth", "token": "guessed"}))
        with pytest.raises(ConnectionClosed):
            own.recv(timeout=10)


def test_only_this_user_can_learn_the_secret(server):
    path = server.folder / ".cache/secret"
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    word = server.secret.partition(":")[2]
    assert [] == [line for line in lines if word in line]
    files = [path for path in server.folder.rglob("*") if path.is_file()]
    assert [] == [path for path in files if word.encode() in path.read_bytes()]


def test_the_pages_of_mlflow_refuse_other_pages(clone):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 5000)) == 0:
            pytest.skip("port 5000 is taken")
    checkout = clone()
    process = checkout.start("python", "-m", "flows.ui", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    api = "/ajax-api/2.0/mlflow/experiments"
    try:
        checkout.wait_until(lambda: answers(MLFLOW), process)
        writing = [("POST", f"{api}/create", {"name": "planted"}), ("POST", "/graphql", {"query": "{ __typename }"})]
        reading = [("GET", f"{api}/search?max_results=5", None), ("GET", "/version", None), ("GET", "/", None)]
        assert_shut(MLFLOW, [*writing, *reading], own_words="mlflow")
        assert 404 == ask(MLFLOW, "GET", f"{api}/get-by-name?experiment_name=planted").status
        own = {"Origin": MLFLOW, "Sec-Fetch-Site": "same-origin"}
        assert "Default" in ask(MLFLOW, "GET", f"{api}/search?max_results=5", headers=own).text
        tag = {"experiment_id": "0", "key": "of", "value": "the owner"}
        login = (checkout.path / ".cache/login").read_text().strip()
        known = {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
        for headers in senders(MLFLOW).values():  # a browser adds the login by itself, to what another page sends too
            assert ask(MLFLOW, "POST", f"{api}/set-experiment-tag", tag, {**known, **headers}).status in (400, 403)
        assert "the owner" not in ask(MLFLOW, "GET", f"{api}/search?max_results=5", headers=own).text
        assert 401 == ask(MLFLOW, "POST", f"{api}/set-experiment-tag", tag, own).status
        assert 200 == ask(MLFLOW, "POST", f"{api}/set-experiment-tag", tag, {**own, **known}).status
        assert "the owner" in ask(MLFLOW, "GET", f"{api}/search?max_results=5", headers=own).text
        for method, path, body in RUNS_COMMANDS:
            assert 404 == ask(MLFLOW, method, f"/ajax-api/3.0/{path}", body, own).status, path
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert [] == checkout.processes()


def answers(address: str) -> bool:
    try:
        return ask(address, "GET", "/version").status == 200
    except OSError:
        return False
