"""A store that names an artifact folder of its own choice: nothing is written but in the folder of artifacts."""

import shutil
from pathlib import Path

import pytest
from mlflow.exceptions import MlflowException

from tasks.outcome.items import Artifact
from tasks.runtime.errors import UserError
from tasks.track import lifecycle
from tasks.track.experiments import experiment_id
from tasks.track.send import send
from tasks.track.store import connect
from tests.variants import some

pytestmark = pytest.mark.fault("artifacts")


@pytest.fixture
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere") / "artifacts"


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, "mlflow.db")
    Path("a.csv").write_text("a\n")
    return settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


@pytest.mark.parametrize("scheme", ["", "file://"])
@pytest.mark.parametrize("of_checkout", some(["", "heldout", "."], ""))
def test_an_experiment_with_artifacts_elsewhere_is_refused_before_any_fit(
    settings, checkout, elsewhere, scheme, of_checkout
):
    """In a folder of the code they would be imported, and at the top DVC and pytest would take them for theirs."""
    place = (checkout / of_checkout).resolve() if of_checkout else elsewhere
    connect(settings).create_experiment("heldout", artifact_location=f"{scheme}{place}")
    before = sorted(checkout.rglob("*"))
    with pytest.raises(UserError, match=f"{place}, .*not {checkout}/artifacts") as error, lifecycle.run(settings):
        pytest.fail("the run began")
    assert "tracking.uri" in str(error.value)
    assert before == sorted(checkout.rglob("*"))
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    "name",
    some(
        ["artifacts/inside", "../{checkout}/artifacts/inside", "outside", "artifacts/../outside", "../outside"],
        "artifacts/inside",
        "../outside",
    ),
)
def test_no_run_writes_elsewhere_whatever_its_experiment_says(settings, checkout, name):
    """As a server could, which names a folder for each run."""
    client = connect(settings)
    place = checkout / name.format(checkout=checkout.name)
    run = client.create_run(client.create_experiment("other", artifact_location=str(place)))
    if "outside" in name:
        with pytest.raises(MlflowException, match="neither the folder of"):
            send(client, run.info.run_id, [Artifact(Path("a.csv"))])
    else:
        send(client, run.info.run_id, [Artifact(Path("a.csv"))])
        assert ["a.csv"] == [found.path for found in client.list_artifacts(run.info.run_id)]
    assert ("outside" not in name) == place.exists()


@pytest.mark.fault("environment")
def test_a_run_that_the_environment_names_is_not_continued(settings, monkeypatch):
    client = connect(settings)
    foreign = client.create_run(client.create_experiment("theirs")).info
    monkeypatch.setenv("MLFLOW_RUN_ID", foreign.run_id)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_ID", foreign.experiment_id)
    with lifecycle.run(settings):
        assert foreign.run_id != lifecycle.active().run_id
        assert experiment_id(client, settings) == lifecycle.active().experiment
    assert "RUNNING" == client.get_run(foreign.run_id).info.status
