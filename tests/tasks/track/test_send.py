"""The one loop that sends items: nothing is lost, and no batch is larger than MLflow takes."""

from pathlib import Path

import pandas as pd
import pytest
from mlflow.utils import validation

from tasks.outcome.items import Artifact, Dataset, Parameter, Tag, TrackedMetric
from tasks.track.send import send


class Client:
    """Stands in for MLflow's client, and keeps what it was sent to the run `id`."""

    def __init__(self):
        self.batches, self.artifacts, self.inputs = [], [], []

    def log_batch(self, run_id, metrics=(), params=(), tags=()):
        assert "id" == run_id
        self.batches.append((list(metrics), list(params), list(tags)))

    def log_artifact(self, run_id, path, folder=None):
        self.artifacts.append((run_id, path, folder))

    def log_inputs(self, run_id, datasets):
        self.inputs.append((run_id, datasets))


@pytest.fixture
def sent():
    """A function that sends items, and returns the client that got them."""

    def send_all(items) -> Client:
        client = Client()
        send(client, "id", items)
        return client

    return send_all


COUNTS = [(0, 0, 1), (1, 0, 0), (3, 2, 1), (800, 100, 100), (2500, 250, 101)]


@pytest.mark.parametrize(("metrics", "params", "tags"), COUNTS)
def test_every_item_is_sent_once_in_batches_that_mlflow_takes(sent, metrics, params, tags):
    items = [TrackedMetric("curve", step / 7, step) for step in range(metrics)]
    items += [Parameter(f"p{number}", str(number)) for number in range(params)]
    items += [Tag(f"t{number}", str(number)) for number in range(tags)]
    batches = sent(items).batches
    got = [[entity for batch in batches for entity in batch[kind]] for kind in range(3)]
    assert [("curve", step / 7, step) for step in range(metrics)] == [(one.key, one.value, one.step) for one in got[0]]
    assert [(f"p{number}", str(number)) for number in range(params)] == [(one.key, one.value) for one in got[1]]
    assert [(f"t{number}", str(number)) for number in range(tags)] == [(one.key, one.value) for one in got[2]]
    for batch in batches:
        validation._validate_batch_log_limits(*batch)


def test_the_ends_of_an_interval_are_metrics_of_their_own(sent):
    ((metrics, _, _),) = sent([TrackedMetric("E_cv", 0.2, 3, low=0.1, high=0.3), TrackedMetric("E_in", 0.0)]).batches
    expected = [("E_cv", 0.2, 3), ("E_cv_low", 0.1, 3), ("E_cv_high", 0.3, 3), ("E_in", 0.0, 0)]
    assert expected == [(one.key, one.value, one.step) for one in metrics]


def test_without_items_nothing_is_sent(sent):
    assert [] == sent([]).batches


def test_texts_are_cut_to_what_mlflow_takes(sent):
    ((_, (param,), (tag,)),) = sent([Parameter("p", "x" * 9000), Tag("t", "y" * 9000)]).batches
    assert ("x" * 6000, "y" * 5000) == (param.value, tag.value)


def test_files_are_sent_with_their_folder(sent):
    client = sent([Artifact(Path("reports/report.html")), Artifact(Path("plots/a.png"), "plots")])
    assert [("id", "reports/report.html", None), ("id", "plots/a.png", "plots")] == client.artifacts


def test_a_table_is_an_input_with_its_digest_its_source_and_its_context(sent):
    table = pd.DataFrame({"x": [0.5, 1.5], "y": ["a", "b"]})
    client = sent([Dataset("labeled", table, "y", Path("labeled.parquet"), "abc", "validation")])
    ((run_id, (given,)),) = client.inputs
    assert ("id", "labeled", "abc") == (run_id, given.dataset.name, given.dataset.digest)
    assert "labeled.parquet" in given.dataset.source
    assert '"num_rows": 2' in given.dataset.profile
    assert {"mlflow.data.context": "validation"} == {tag.key: tag.value for tag in given.tags}
