"""compose.yaml, as far as it can be checked without containers."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from flows import serve
from tasks.runtime import server
from tests.end_to_end.serving import END_SECONDS

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
EXACT = re.compile(r"[\w./-]+:v?\d+\.\d+[\w.-]*")
VARIABLE = re.compile(r"\$\{\w+:\?[^}]*\}")  # compose refuses to start without it


@pytest.fixture(params=SERVICES)
def service(request):
    return SERVICES[request.param]


def test_every_port_is_of_this_machine_alone(service):
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_every_image_and_driver_is_of_one_version(service):
    assert EXACT.fullmatch(service["image"])
    lines = (ROOT / "compose/Dockerfile").read_text().splitlines()
    assert [True] == [bool(EXACT.fullmatch(line.split()[1])) for line in lines if line.startswith("FROM")]
    locked = (ROOT / "requirements.lock").read_text()
    assert all(re.search(f"^{driver}==", locked, re.MULTILINE) for driver in ("psycopg", "asyncpg", "boto3"))
    assert "postgresql+psycopg://" in SERVICES["mlflow"]["environment"]["MLFLOW_BACKEND_STORE_URI"]
    uv = re.search(r"uv==[\d.]+", (ROOT / "Makefile").read_text())
    assert any(uv[0] in line for line in lines)


def test_every_secret_is_a_variable_that_has_no_default(service):
    for name, value in service.get("environment", {}).items():
        if re.search(r"PASSWORD|SECRET|AUTH|KEY", name) or "@" in str(value):
            assert VARIABLE.search(value), name
    assert not any("$" in part for part in map(str, service.get("command", [])))  # a command line is public
    assert "/.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_every_service_is_asked_whether_it_works_and_waits_for_those_that_it_needs(service):
    assert service["healthcheck"].keys() & {"test", "disable"}
    for name, needed in service.get("depends_on", {}).items():
        ended = needed["condition"] == "service_completed_successfully"
        assert ended == ("disable" in SERVICES[name]["healthcheck"])


def test_what_a_service_runs_and_mounts_is_there(service):
    for part in service.get("command", []):
        if part.startswith("compose/"):
            assert (ROOT / part).is_file()
        if part.startswith("flows."):
            assert (ROOT / part.replace(".", "/")).with_suffix(".py").is_file()
    for volume in service["volumes"]:
        source = volume.partition(":")[0]
        assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]


def test_no_log_and_no_history_grows_without_end(service):
    assert {"max-size", "max-file"} == {*service["logging"]["options"]}
    name = "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED"
    assert serve.SETTINGS[name] == SERVICES["prefect"]["environment"][name]


def test_the_unit_for_systemd_is_one_and_waits_longer_than_serve_takes_to_end(tmp_path):
    unit = ROOT / "compose/heldout.service"
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str
    parsed.read_string(unit.read_text())
    service = parsed["Service"]
    assert float(service["TimeoutStopSec"]) > END_SECONDS
    assert ("mixed", "on-failure") == (service["KillMode"], service["Restart"])
    if analyze := shutil.which("systemd-analyze"):
        there = service["ExecStart"].split()[0]
        copy = tmp_path / unit.name
        copy.write_text(unit.read_text().replace(there, sys.executable))
        said = subprocess.run([analyze, "verify", str(copy)], capture_output=True, text=True, check=False)
        assert [] == [line for line in said.stderr.splitlines() if unit.name in line]


def test_what_writes_runs_logs_in_and_uploads_reach_no_checkout():
    """Who may upload chooses what lies in the folder: in a checkout it would be read as code, or as a stage."""
    of_server, of_runs = SERVICES["mlflow"], SERVICES["deployments"]["environment"]
    assert "--app-name=basic-auth" in of_server["command"]
    assert of_server["environment"]["MLFLOW_AUTH_ADMIN_PASSWORD"] == of_runs["MLFLOW_TRACKING_PASSWORD"]
    assert "admin" == of_runs["MLFLOW_TRACKING_USERNAME"]
    assert all(volume.endswith(":ro") for volume in of_server["volumes"])
    assert not of_server["working_dir"].startswith("/checkout")
    assert not any(part.startswith("/checkout") for part in of_server["command"])


def test_prefects_server_records_task_runs_as_our_own_servers_do():
    assert server.RECORDER.items() <= SERVICES["prefect"]["environment"].items()
