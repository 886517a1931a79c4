"""The views of lists of runs: tags of the experiments, which the address that `make ui` prints opens."""

import json
import shutil

import pytest

from heldout.estimates import PLANNED_BY
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE
from tasks.track import experiments, shared_view
from tasks.track.pages import list_of_runs
from tasks.track.store import connect


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, checkout / "mlflow.db")
    return settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def view(client, experiment: str) -> str | None:
    """The view of an experiment."""
    return client.get_experiment(experiment).tags.get(shared_view.TAG)


def charts(state: str) -> list[str]:
    """The metrics that are drawn."""
    return [chart["metricKey"] for chart in json.loads(state)["compareRunCharts"]]


def test_the_runs_have_a_view_also_where_their_experiment_was_made_without(settings, tmp_path):
    client = connect(settings)
    client.create_experiment(settings.tracking.experiment, (tmp_path / "kept").as_uri())
    assert shared_view.OF_ERRORS == view(client, experiments.experiment_id(client, settings))


def test_an_experiment_without_these_numbers_has_no_view_of_them(settings):
    client = connect(settings)
    assert shared_view.OF_SHARDS == view(client, experiments.watch_experiment(client, settings))
    assert {"evidence", "disagreement", "alarm"} < {*charts(shared_view.OF_SHARDS)}
    compared = experiments.compare_experiment(client, settings)
    assert view(client, compared) is None
    assert compared == experiments.compare_experiment(client, settings)


def test_the_columns_are_texts_and_no_run_is_hidden():
    shown = json.loads(shared_view.OF_ERRORS)
    decision = ["tags.`verdict`", "tags.`changed`"]
    assert decision == shown["selectedColumns"][:2]
    planned = {f"tags.`{estimate.name}`" for estimate in PLANNED_BY} - {"tags.`E_val`"}
    assert planned == {*shown["selectedColumns"][2:]}
    assert shown["selectedColumns"] == shown["columnOrder"][-len(shown["selectedColumns"]) :]
    assert [shared_view.PICTURE, "E_test", "E_bbc", "E_cv"] == charts(shared_view.OF_ERRORS)[:4]
    for state in (shared_view.OF_ERRORS, shared_view.of(SQUARED), shared_view.OF_SHARDS):
        made = json.loads(state)
        sections = {section["uuid"] for section in made["compareRunSections"]}
        assert sections == {chart["metricSectionId"] for chart in made["compareRunCharts"]}
        assert [] == made["runsHidden"] == made["datasetsFilter"]
        assert len(state) < 5000  # of a tag


def test_errors_are_drawn_in_the_unit_that_people_read(settings):
    assert [shared_view.PICTURE, "E_test_RMSE", "E_bbc_RMSE"] == charts(shared_view.of(SQUARED))[:3]
    assert shared_view.of(ZERO_ONE) == shared_view.of(ABSOLUTE) == shared_view.OF_ERRORS
    client = connect(settings)
    experiment = experiments.experiment_id(client, settings)
    experiments.show_unit(client, experiment, SQUARED)
    assert experiment == experiments.experiment_id(client, settings)  # the next run, before its loss is known
    assert shared_view.of(SQUARED) == view(client, experiment)
    experiments.show_unit(client, experiment, ABSOLUTE)
    assert shared_view.OF_ERRORS == view(client, experiment)


def test_a_view_of_an_older_version_is_replaced(settings):
    client = connect(settings)
    experiment = experiments.experiment_id(client, settings)
    client.set_experiment_tag(experiment, shared_view.TAG, "{}")
    experiments.experiment_id(client, settings)
    assert shared_view.OF_ERRORS == view(client, experiment)


def test_the_address_of_the_list_opens_it_as_soon_as_there_is_a_run(settings, settings_with):
    client = connect(settings)
    assert "" == list_of_runs(settings)
    experiment = experiments.experiment_id(client, settings)
    assert shared_view.address(experiment) == list_of_runs(settings)
    other = settings_with(f"tracking.uri={settings.tracking.uri}", "data.source=sklearn:wine")
    assert "" == list_of_runs(other)
