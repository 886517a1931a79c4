"""Which store a run has, what is said about it, and databases and buckets that this Python cannot reach."""

import logging
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from mlflow.exceptions import MlflowException
from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

from tasks.runtime.errors import UserError
from tasks.track import address
from tasks.track.artifacts import check_location, keep_in
from tasks.track.store import connect

VARIABLE, DEFAULT = "MLFLOW_TRACKING_URI", "sqlite:///mlruns/mlflow.db"
POSTGRES = "postgresql://me:planted@127.0.0.1:1/runs"


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    address.say_which.cache_clear()


@pytest.mark.parametrize(
    ("written", "inherited", "expected"),
    [
        ("null", None, (DEFAULT, "tracking.uri")),
        ("null", "", (DEFAULT, "tracking.uri")),
        ("null", "http://a.example", ("http://a.example", VARIABLE)),
        ("sqlite:///x.db", "http://a.example", ("sqlite:///x.db", "tracking.uri")),
        # what the extra `postgres` installs
        ("postgresql://me@a/b", None, ("postgresql+psycopg://me@a/b", "tracking.uri")),
        ("null", "postgres:///b?host=/run", ("postgresql+psycopg:///b?host=/run", VARIABLE)),
        ("postgresql+psycopg2://a/b", None, ("postgresql+psycopg2://a/b", "tracking.uri")),
    ],
)
def test_the_store_is_that_of_the_parameters_or_else_of_the_environment(
    settings_with, monkeypatch, written, inherited, expected
):
    if inherited is not None:
        monkeypatch.setenv(VARIABLE, inherited)
    tracking = settings_with(f"tracking.uri={written}").tracking
    monkeypatch.setenv(VARIABLE, "http://later.example")  # as MLflow does
    assert expected == (tracking.store, tracking.named_by)


@pytest.mark.parametrize("uri", ["sqlite:////srv/mlflow.db", "/srv/mlruns", "mlruns", "databricks"])
def test_a_store_of_the_environment_is_below_the_checkout_too(settings_with, monkeypatch, uri):
    monkeypatch.setenv(VARIABLE, uri)
    with pytest.raises(UserError, match=f"tracking.uri is null.*{VARIABLE} is '{uri}'.*below the checkout"):
        settings_with("tracking.uri=null")
    assert settings_with(f"tracking.uri={DEFAULT}").tracking.store == DEFAULT


@pytest.mark.parametrize(
    ("written", "inherited", "words"),
    [
        (None, None, ["INFO", DEFAULT, f"{VARIABLE} is not set"]),
        (None, POSTGRES, ["INFO", "postgresql://***@127.0.0.1:1/runs", VARIABLE]),
        (DEFAULT, POSTGRES, ["WARNING", DEFAULT, "postgresql://***@", "not used", "tracking.uri: null"]),
        (DEFAULT, DEFAULT, []),
        (DEFAULT, None, []),
    ],
)
def test_what_is_not_used_is_named_once_and_without_its_password(monkeypatch, caplog, written, inherited, words):
    if inherited:
        monkeypatch.setenv(VARIABLE, inherited)
    with caplog.at_level(logging.INFO, "heldout"):
        for _ in range(2):
            address.say_which(written)
    lines = [f"{record.levelname} {record.getMessage()}" for record in caplog.records]
    assert bool(words) == len(lines)
    assert all(word in lines[0] for word in words)
    assert "planted" not in caplog.text


@pytest.mark.slow
def test_mlflow_does_not_write_the_store_into_the_environment(settings_with, empty_store, checkout, monkeypatch):
    shutil.copy(empty_store, "mlflow.db")
    monkeypatch.setenv(VARIABLE, "http://127.0.0.1:1")
    connect(settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db"))
    assert ("http://127.0.0.1:1", None) == (os.environ[VARIABLE], os.environ.get("MLFLOW_REGISTRY_URI"))


@pytest.mark.parametrize(
    ("changes", "blocked", "words"),
    [
        (
            ["tracking.uri=postgresql://me:planted@a/b"],
            "psycopg",
            ["postgresql://***@a/b", "pip install '.[postgres]'"],
        ),
        (["tracking.uri=postgresql+psycopg2://a/b"], "psycopg2", ["package psycopg2", "postgresql://"]),
        (["tracking.uri=mysql+pymysql://a/b"], "pymysql", ["package pymysql", "postgresql://"]),
        (["tracking.artifacts=s3://mine/b"], "boto3", ["tracking.artifacts is s3://mine/b", "pip install '.[s3]'"]),
    ],
)
def test_a_driver_that_is_missing_is_one_line_with_its_remedy(
    settings_with, monkeypatch, capfd, changes, blocked, words
):
    monkeypatch.setitem(sys.modules, blocked, None)  # an import fails, as where it is not installed
    with pytest.raises(UserError) as error:
        connect(settings_with(*changes))
    assert 1 == len(str(error.value).splitlines())
    assert all(word in str(error.value) for word in words)
    assert "planted" not in str(error.value)
    assert "" == "".join(capfd.readouterr())


def test_a_database_that_is_not_there_is_one_line_at_once(settings_with, monkeypatch, capfd):
    monkeypatch.setenv(VARIABLE, POSTGRES)
    began = time.monotonic()
    with pytest.raises(UserError, match=f"^{VARIABLE} is postgresql://.*refused.*fix {VARIABLE}$") as error:
        connect(settings_with("tracking.uri=null"))
    assert time.monotonic() - began < 60  # MLflow would try for 100 seconds
    assert "planted" not in str(error.value)
    assert "" == "".join(capfd.readouterr())


@pytest.mark.parametrize("uri", ["postgresql://heldout@db.example/runs", "https://mlflow.example"])
def test_a_server_that_nobody_but_the_parameters_names_is_not_connected_to(settings_with, monkeypatch, uri):
    def connected(*_, **__):
        pytest.fail("it was connected to")

    monkeypatch.setattr("socket.getaddrinfo", connected)
    monkeypatch.setenv("PGPASSWORD", "planted")
    settings = settings_with(f"tracking.uri={uri}")
    with pytest.raises(UserError, match=f"^tracking.uri is .*, which is not this machine.*{VARIABLE}") as error:
        connect(settings)
    assert "planted" not in str(error.value)
    monkeypatch.setenv("PGHOST", "db.example")
    monkeypatch.setenv(VARIABLE, "https://mlflow.example/runs")
    assert settings_with(f"tracking.uri={uri}").tracking.own_stores == [
        "https://mlflow.example/runs",
        "postgresql://db.example",
    ]
    address._check_vouched(settings_with(f"tracking.uri={uri}").tracking)


@pytest.mark.parametrize("location", ["mlflow-artifacts:/1", "inside/1"])
def test_a_bucket_is_not_ignored_where_the_artifacts_are_elsewhere(checkout, location):
    keep_in(checkout, bucket=None)
    check_location(location)
    keep_in(checkout, bucket="s3://mine/runs")
    with pytest.raises(UserError, match="tracking.artifacts is s3://mine/runs, but .*new tracking.experiment"):
        check_location(location)


@pytest.mark.parametrize(
    "location",
    ["s3://mine/runs-of-others", "s3://mine", "s3://others/runs", "ftp://a/b", "/srv/runs", "http://other.example/a"],
)
def test_a_store_chooses_no_other_place_for_artifacts(checkout, location):
    keep_in(checkout, bucket="s3://mine/runs")
    with pytest.raises(UserError, match=f"{location}, .*tracking.experiment"):
        check_location(location)
    Path("a.csv").write_text("a\n")
    with pytest.raises(MlflowException, match="neither the folder of"):
        get_artifact_repository(location).log_artifact("a.csv")


@pytest.mark.parametrize(
    "location", ["http://other.example/a", "https://mlflow.example/a", "mlflow-artifacts://other.example/a"]
)
def test_no_server_but_the_store_is_asked_for_artifacts_with_the_login_of_the_store(checkout, location):
    keep_in(checkout, None, "http://mlflow.example")
    with pytest.raises(MlflowException, match="neither the folder of"):
        get_artifact_repository(location)
    assert get_artifact_repository("http://mlflow.example/a").artifact_uri == "http://mlflow.example/a"
    check_location("mlflow-artifacts:/1")
    with pytest.raises(UserError, match="other.example"):
        check_location("mlflow-artifacts://other.example/1")
