"""Which servers are open to everybody in the network."""

import pytest

from tasks.runtime.open_servers import warnings

pytestmark = pytest.mark.fault("servers")
OPEN = "http://10.1.2.3:5000"


@pytest.fixture(autouse=True)
def no_password(monkeypatch):
    for name in ("MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_TOKEN", "PREFECT_API_AUTH_STRING", "PREFECT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)


@pytest.mark.parametrize("uri", [OPEN, "http://mlflow.example", "http://[fe80::1]:5000", "http://0.0.0.0:5000"])
def test_a_server_of_another_machine_without_a_password_is_named_once(uri, monkeypatch):
    (line,) = warnings(uri)
    assert line.startswith("tracking.uri ")
    assert "MLFLOW_TRACKING_USERNAME" in line
    monkeypatch.setenv("PREFECT_API_URL", f"{uri}/api")
    assert ["tracking.uri", "PREFECT_API_URL"] == [line.split()[0] for line in warnings(uri)]


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:///mlruns/mlflow.db",
        "http://127.0.0.1:5000",
        "http://127.5.5.5",
        "http://localhost:5000/x",
        "http://[::1]:5000",
        "https://mlflow.example",
        "http://user:word@mlflow.example",
    ],
)
def test_nothing_is_said_of_this_machine_of_https_and_of_a_password(uri):
    assert [] == [*warnings(uri)]


@pytest.mark.parametrize(
    ("name", "password"), [("MLFLOW_TRACKING_TOKEN", "a:b:c"), ("PREFECT_API_AUTH_STRING", "a:b:c")]
)
def test_a_password_in_the_environment_counts_for_its_own_server(name, password, monkeypatch):
    monkeypatch.setenv(name, password)
    monkeypatch.setenv("PREFECT_API_URL", f"{OPEN}/api")
    (line,) = warnings(OPEN)
    assert ("tracking.uri" in line) == name.startswith("PREFECT")
    assert password not in line
