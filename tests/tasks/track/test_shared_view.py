"""The view of the list of runs: a tag of the experiment, which the first page opens."""

import asyncio
import json
import shutil

import pytest
from starlette.requests import Request

from tasks.track import shared_view
from tasks.track.first_page import first_page
from tasks.track.store import connect, experiment_id


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, checkout / "mlflow.db")
    return settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def test_an_experiment_has_the_view_also_one_that_was_made_without(settings, tmp_path):
    client = connect(settings)
    client.create_experiment(settings.tracking.experiment, (tmp_path / "kept").as_uri())
    for name in (None, "another"):
        experiment = client.get_experiment(experiment_id(client, settings, name))
        assert shared_view.state() == experiment.tags[shared_view.TAG]


def test_the_columns_are_the_estimates_to_plan_with_and_no_run_is_hidden():
    view = json.loads(shared_view.state())
    assert ["tags.`selected_model`", "tags.`verdict`", "metrics.`E_test`", "metrics.`E_bbc`", "metrics.`E_cv`"] == (
        view["selectedColumns"][:5]
    )
    assert [chart["metricKey"] for chart in view["compareRunCharts"]][:3] == ["E_test", "E_bbc", "E_cv"]
    assert {"heldout"} == {chart["metricSectionId"] for chart in view["compareRunCharts"]}
    assert [] == view["runsHidden"] == view["datasetsFilter"]
    assert len(shared_view.state()) < 5000  # of a tag


def test_the_first_page_opens_it_as_soon_as_there_is_a_run(settings):
    client = connect(settings)

    def page() -> str:
        asked = Request({"type": "http", "method": "GET", "path": "/", "headers": []})
        return asyncio.run(first_page(settings.tracking.experiment)(asked)).body.decode()

    assert 'first = "";' in page()
    experiment = experiment_id(client, settings)
    text = page()
    assert f'first = "{shared_view.address(experiment)}"' in text
    assert "<style>[data-assistant-ui] { display: none" in text
