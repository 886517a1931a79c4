"""Each data source has an experiment; the first one that of the plain name."""

import shutil

import pytest

from tasks.track import lifecycle
from tasks.track.experiments import experiment_id, find, watch_experiment
from tasks.track.ledger_tags import PROCESS, RUNS_ON
from tasks.track.store import connect


@pytest.fixture
def settings_of(checkout, empty_store, settings_with):
    shutil.copy(empty_store, checkout / "mlflow.db")
    return lambda *changes: settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db", *changes)


def names(client) -> set[str]:
    """The names of all experiments, but for MLflow's own."""
    return {one.name for one in client.search_experiments()} - {"Default"}


DIGITS, WINE = "data.source=sklearn:digits", "data.source=sklearn:wine"


def test_the_first_source_has_the_plain_name_and_others_their_own(settings_of):
    client = connect(settings_of())
    first, second = settings_of(DIGITS), settings_of(WINE, "data.positive=null")
    assert find(client, first) is None
    of_first, of_second = experiment_id(client, first), experiment_id(client, second)
    assert {"heldout", "heldout · wine"} == names(client)
    assert "heldout" == client.get_experiment(of_first).name
    assert (of_first, of_second) == (find(client, first), find(client, second))
    assert (of_first, of_second) == (experiment_id(client, first), experiment_id(client, second))


def test_two_tables_of_one_name_are_two_sources(settings_of):
    client = connect(settings_of())
    sources = [settings_of(DIGITS), *(settings_of(f"data.source={place}/churn.csv") for place in "ab")]
    assert 3 == len({experiment_id(client, one) for one in sources})
    other, plain, churn = sorted(names(client), key=len, reverse=True)
    assert ("heldout · churn", "heldout") == (plain, churn)
    assert other.startswith("heldout · churn ")


def test_another_target_of_a_table_is_another_source(settings_of):
    client = connect(settings_of())
    assert experiment_id(client, settings_of()) != experiment_id(client, settings_of("data.positive=2"))


def test_watch_keeps_sources_apart_too(settings_of):
    client = connect(settings_of())
    ids = [watch_experiment(client, settings_of(source)) for source in (DIGITS, WINE)]
    assert ["heldout watch", "heldout watch · wine"] == [client.get_experiment(one).name for one in ids]


def test_a_run_is_in_the_experiment_of_its_source_and_finds_what_died_in_others(settings_of, caplog, monkeypatch):
    monkeypatch.setattr(lifecycle.log, "propagate", True)
    client = connect(settings_of())
    tags = {RUNS_ON: lifecycle.HOST, PROCESS: "1:0.00"}
    dead = client.create_run(experiment_id(client, settings_of()), tags=tags, run_name="dead").info.run_id
    with lifecycle.run(settings_of(WINE)):
        assert "heldout · wine" == client.get_experiment(lifecycle.active().experiment).name
    assert "KILLED" == client.get_run(dead).info.status
    assert "the run dead died before its end" in caplog.text
