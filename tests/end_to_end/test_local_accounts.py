"""Another account of the same machine, while `make ui` runs: it reads the pages, and leaves nothing behind."""

import base64
import http.client
import json
import multiprocessing
import os
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil
import pytest
from mlflow import MlflowClient

from tests.end_to_end.foreign_page import ask
from tests.end_to_end.mlflow_pages import ADDRESS, PORT, pages_of_mlflow

pytestmark = [pytest.mark.long, pytest.mark.fault("servers")]

NOBODY = 65_534
STAGE = b"stages:\n  planted:\n    cmd: touch planted\n    always_changed: true\n"
TEST = b"open('planted', 'w').close()\n\ndef test_planted():\n    pass\n"
PREFIXES = (
    "/api",
    "/ajax-api",
    "/API",
    "//api",
    "/./api",
    "/api/../api",
    "/%61pi",
    "/static-files/../api",
    "/x/../api",
)
GIANT = 400_000_000  # bytes
API = "/ajax-api/2.0/mlflow"


@dataclass(frozen=True)
class Request:
    """What the other account sends: as it stands, without what a client would put right in a path."""

    method: str
    path: str
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def of_json(path: str, /, **body: object) -> list[Request]:
    """A call of MLflow's API at each address that a route could have."""
    content = json.dumps(body).encode()
    return [Request("POST", f"{prefix}/2.0/mlflow/{path}", content) for prefix in PREFIXES]


def attacks(run: str, experiment: str) -> list[Request]:
    found = []
    for prefix in PREFIXES:
        for name, content in (("dvc.yaml", STAGE), ("test_strange.py", TEST), ("conftest.py", TEST)):
            place = f"{prefix}/2.0/mlflow-artifacts"
            for path in (f"x/{name}", name, f"../{name}", f"..%2f{name}", f"%2e%2e/heldout/{name}", f"/etc/../{name}"):
                found.append(Request("PUT", f"{place}/artifacts/{path}", content, {}))
            found.append(Request("DELETE", f"{place}/artifacts/{run}", b""))
            found.append(Request("POST", f"{place}/mpu/create/x/{name}", b'{"path": "dvc.yaml", "num_parts": 1}'))
            upload = f"{prefix}/2.0/mlflow/upload-artifact?run_uuid={run}&path={name}"
            found.append(Request("POST", upload, content, {"Content-Type": "text/plain"}))
    for place in ("heldout", "tasks", ".", "tests", "file:///etc", "mlflow-artifacts:/x", "/var/tmp"):
        found += of_json("experiments/create", name=f"planted {place}", artifact_location=place)
    found += of_json("runs/create", experiment_id=experiment, run_name="planted")
    found += of_json("runs/log-parameter", run_id=run, key="planted", value="x")
    found += of_json("runs/log-metric", run_id=run, key="planted", value=1, timestamp=1)
    found += of_json("runs/log-batch", run_id=run, tags=[{"key": "planted", "value": "x"}])
    found += of_json("runs/set-tag", run_id=run, key="planted", value="x")
    found += of_json("runs/update", run_id=run, run_name="planted", status="FAILED")
    found += of_json("runs/delete", run_id=run)
    found += of_json("experiments/delete", experiment_id=experiment)
    found += of_json("experiments/update", experiment_id=experiment, new_name="planted")
    found += of_json("registered-models/create", name="planted")
    found += of_json("model-versions/create", name="digits", source="file:///etc", run_id=run)
    found += of_json("registered-models/alias", name="digits", alias="champion", version="1")
    found += of_json("logged-models", experiment_id=experiment, name="planted")
    found += of_json("webhooks", name="planted", url="https://evil.example", events=[])
    found += of_json("gateway-proxy", gateway_path="http://127.0.0.1:1/")
    found += of_json("artifacts/presigned-upload-url", run_id=run, path="dvc.yaml")
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Forwarded-Prefix", "X-Script-Name"):
        told = {"Content-Type": "application/json", name: "PUT"}
        found.append(Request("POST", "/api/2.0/mlflow-artifacts/artifacts/x/dvc.yaml?_method=PUT", STAGE, told))
        found.append(Request("POST", f"{API}/runs/search?_method=DELETE", b"{}", told))
    return found


def send(request: Request) -> int:
    """The status of the answer; 0 if the server hung up."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    try:
        connection.putrequest(request.method, request.path)
        for name, value in {**request.headers, "Content-Length": str(len(request.body))}.items():
            connection.putheader(name, value)
        connection.endheaders(request.body)
        return connection.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def send_much(path: str, method: str, chunked: bool) -> int:
    """The bytes that the server took of a giant request before it hung up."""
    size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {GIANT}"
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nContent-Type: application/json\r\n{size}\r\n\r\n"
    part, sent = bytes(1_000_000), 0
    with socket.create_connection(("127.0.0.1", PORT), timeout=20) as connection:
        connection.sendall(head.encode())
        try:
            while sent < GIANT:
                connection.sendall(b"f4240\r\n" + part + b"\r\n" if chunked else part)
                sent += len(part)
        except OSError:
            pass
    return sent


def as_another_account(what: Callable[..., object], *arguments: object) -> object:
    """What a function returns in a process of another account, which has none of our rights."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to become another account")

    def work() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        assert os.geteuid() == NOBODY
        found.put(what(*arguments))

    fork = multiprocessing.get_context("fork")
    found = fork.SimpleQueue()
    process = fork.Process(target=work)
    process.start()
    process.join(300)
    assert process.exitcode == 0
    return found.get()


@dataclass(frozen=True)
class Shown:
    """A checkout, the process of its pages, and a run that they show."""

    checkout: object
    process: psutil.Process
    run: str
    experiment: str

    def state(self) -> tuple[dict[str, str], list[object]]:
        """All files of the checkout but those of git and of running databases, and what the store has."""
        names = [path.name for path in self.checkout.path.iterdir() if path.name not in (".git", "mlruns")]
        files = {str(path.relative_to(self.checkout.path)) for path in self.checkout.path.rglob("*") if path.is_file()}
        client = MlflowClient(f"sqlite:///{self.checkout.path}/mlruns/mlflow.db")
        kept = [client.search_experiments(view_type=3), client.search_registered_models()]
        kept += [client.search_model_versions(), client.search_runs([self.experiment, "0"], run_view_type=3)]
        hashes = self.checkout.hashes(*(name for name in names if (self.checkout.path / name).is_dir()))
        paths = {path for path in files if ".git/" not in path and "mlflow.db-" not in path}
        return {**dict.fromkeys(paths, ""), **hashes}, [str(one) for part in kept for one in part]


@pytest.fixture(scope="module")
def shown(clone, server, write_params, tmp_path_factory):
    checkout = clone(server)
    params = write_params(tmp_path_factory.mktemp("small") / "params.yaml")
    checkout.flow("validate", "--promote", "--params", params)
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    run = client.search_runs([experiment])[0].info.run_id
    with pages_of_mlflow(checkout) as process:
        yield Shown(checkout, psutil.Process(process.pid), run, experiment)


@pytest.mark.timeout(900)
def test_another_account_writes_nothing_through_the_pages(shown):
    before = shown.state()
    requests = attacks(shown.run, shown.experiment)
    statuses = as_another_account(lambda: [send(request) for request in requests])
    opened = [(request, status) for request, status in zip(requests, statuses, strict=True) if 0 < status < 400]
    assert {request.path.partition("?")[0] for request, _ in opened} <= {f"{API}/runs/search"}
    assert before == shown.state()


def test_another_account_cannot_fill_the_memory_or_the_disk(shown):
    before, memory = shown.state(), shown.process.memory_info().rss
    for method, path in (
        ("PUT", "/api/2.0/mlflow-artifacts/artifacts/x/giant"),
        ("POST", f"{API}/upload-artifact?run_uuid={shown.run}&path=giant"),
        ("POST", f"{API}/runs/search"),
        ("POST", f"{API}/runs/set-tag"),
        ("GET", "/"),
    ):
        for chunked in (False, True):
            assert as_another_account(send_much, path, method, chunked) < 20_000_000
    assert shown.process.memory_info().rss - memory < 50_000_000
    assert before == shown.state()


def test_another_account_cannot_read_the_login(shown):
    path = shown.checkout.path / ".cache/login"
    assert (0o600, os.getuid()) == (stat.S_IMODE(path.stat().st_mode), path.stat().st_uid)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    for other in (path.parents[1], *path.parents[1].parents):  # so that the modes of the file and its folder decide
        if other.stat().st_uid == os.getuid() and len(other.parts) > 2:
            other.chmod(other.stat().st_mode | 0o055)

    def read() -> str:
        try:
            return path.read_text()
        except PermissionError:
            return "refused"

    assert "refused" == as_another_account(read)


def test_the_owner_changes_a_note_with_the_login_and_nothing_else(shown):
    login = (shown.checkout.path / ".cache/login").read_text().strip()
    known = {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
    note = {"run_id": shown.run, "key": "mlflow.note.content", "value": "looked at"}
    assert 401 == ask(ADDRESS, "POST", f"{API}/runs/set-tag", note).status
    assert 200 == ask(ADDRESS, "POST", f"{API}/runs/set-tag", note, known).status
    assert "looked at" in ask(ADDRESS, "GET", f"{API}/runs/get?run_id={shown.run}").text
    for method, path in (("PUT", "/api/2.0/mlflow-artifacts/artifacts/x/dvc.yaml"), ("POST", f"{API}/runs/create")):
        assert 404 == ask(ADDRESS, method, path, {"experiment_id": shown.experiment}, known).status


def test_a_run_that_is_told_to_log_to_the_pages_says_so_at_once(shown, write_params, tmp_path):
    params = write_params(tmp_path / "params.yaml", tracking={"uri": ADDRESS, "experiment": "planted"})
    refused = shown.checkout.flow("validate", "--params", params, check=False)
    assert 2 == refused.returncode, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "error: the store that tracking.uri names takes no run (PERMISSION_DENIED: these pages" in refused.stderr


def test_what_lands_in_a_folder_of_a_server_is_no_stage_and_no_test(shown):
    """As it did, through the pages of earlier versions."""
    copied = shown.checkout.copy(shown.checkout.path.parent / "copied")
    stages, tests = ("dvc", "stage", "list", "--all", "--name-only"), ("python", "-m", "pytest", "--collect-only", "-q")
    slow_to_import = [f"--ignore=tests/{name}" for name in ("end_to_end", "heldout", "tasks")]
    known = copied.run(*stages).stdout
    for folder in ("mlartifacts", "mlruns/artifacts", ".prefect", ".cache", "site"):
        place = copied.path / folder / "x"
        place.mkdir(parents=True, exist_ok=True)
        for name, content in (("dvc.yaml", STAGE), ("test_strange.py", TEST), ("conftest.py", TEST)):
            (place / name).write_bytes(content)
            (place.parent / name).write_bytes(content)
    assert known == copied.run(*stages).stdout
    assert "planted" not in copied.run("dvc", "status", "--json").stdout
    for more in ((), (".",)):
        collected = copied.run(*tests, *slow_to_import, *more).stdout
        assert "tests/structure/test_" in collected
        assert "test_strange" not in collected
    assert not (copied.path / "planted").exists()
