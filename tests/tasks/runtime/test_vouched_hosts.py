"""A server that a file of the project names gets nothing unless the user names it too, or runs it on this machine."""

import socket

import pytest

from tasks.runtime import vouched_hosts
from tasks.runtime.errors import UserError
from tasks.runtime.vouched_hosts import Server


def refused(address: str, *own: str | None) -> bool:
    """Whether nobody vouches for an address."""
    try:
        vouched_hosts.check("a key", address, own, remedy="name it", gets="it would get a login")
    except UserError as error:
        return str(error).startswith("a key is ") and str(error).endswith("name it")
    return False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://mlflow.example/a", "http://me@MLflow.example:80/b"),
        ("https://mlflow.example", "https://mlflow.example:443/"),
        ("postgres://db.example/a", "postgresql+psycopg://me@db.example:5432/b?sslmode=require"),
    ],
)
def test_addresses_of_one_server_are_equal_and_vouch_for_each_other(one, other):
    assert Server.of(one) == Server.of(other)
    assert not refused(one, other)
    assert not refused(other, None, "", one)


@pytest.mark.parametrize(
    "address",
    [
        "http://other.example",
        "http://mlflow.example:81",
        "https://mlflow.example",
        "postgresql://mlflow.example/a",
        "http://mlflow.example.other.example",
        "http://mlflow.example@other.example",
        "nonsense://mlflow.example",
        "mlflow.example",
    ],
)
def test_another_host_port_or_scheme_is_another_server(address):
    assert refused(address, "http://mlflow.example")
    assert refused(address)
    assert not refused(address, address)


@pytest.mark.parametrize(
    "query", ["host=other.example", "hostaddr=10.0.0.1", "service=mine", "passfile=pass", "sslmode=require&host=b"]
)
def test_a_query_that_may_lead_elsewhere_is_named_as_a_whole(query):
    address = f"postgresql://db.example/a?{query}"
    assert refused(address, "postgresql://db.example/a")
    assert not refused(address, address)


def test_a_database_without_a_host_is_that_of_the_environment():
    assert not refused("postgresql:///runs")
    assert refused("postgresql:///runs?host=other.example")
    assert refused("mysql:///runs")


def test_a_server_of_this_machine_is_one_that_a_process_of_the_user_is():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert not refused(address)
    assert refused(address)
    assert not refused(address, address)


def test_the_server_of_prefect_is_named_by_the_environment_or_is_here(monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    vouched_hosts.check_prefect("http://127.0.0.1:4200/api")
    with pytest.raises(UserError, match="PREFECT_API_URL of this folder is http://prefect.example/api, which "):
        vouched_hosts.check_prefect("http://prefect.example/api")
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    vouched_hosts.check_prefect("http://prefect.example/api")
