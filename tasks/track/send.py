"""The one loop that sends items to a run."""

import time
from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from tasks.outcome.items import (
    NOTE,
    PAGE,
    Artifact,
    Dataset,
    Input,
    Item,
    Note,
    Parameter,
    Tag,
    TrackedMetric,
)

if TYPE_CHECKING:
    from mlflow import MlflowClient

# MLflow takes 1000 entities at once, and 100 of them as parameters and 100 as tags
_METRICS, _PARAMETERS, _TAGS = 800, 100, 100
_PARAMETER_LENGTH, _TAG_LENGTH = 6000, 5000


def send(client: "MlflowClient", run_id: str, items: Iterable[Item]) -> None:
    """Send all items to a run: data sets and files first, then numbers and texts in batches, which may name them."""
    from mlflow import entities

    now = int(1000 * time.time())
    metrics: list[Any] = []
    parameters: list[Any] = []
    tags: list[Any] = []
    larger: list[Artifact | Dataset | Input] = []
    for item in items:
        match item:
            case TrackedMetric(step=step):
                metrics += [entities.Metric(name, number, now, step) for name, number in item.numbers()]
            case Parameter(name, value):
                parameters.append(entities.Param(name, value[:_PARAMETER_LENGTH]))
            case Tag(name, value):
                tags.append(entities.RunTag(name, value[:_TAG_LENGTH]))
            case Note(text):
                text = text.replace(PAGE, page_of(client, run_id))
                tags.append(entities.RunTag(NOTE, text[:_TAG_LENGTH]))
            case Artifact() | Dataset() | Input():
                larger.append(item)
    for item in larger:
        if isinstance(item, Artifact):
            client.log_artifact(run_id, str(item.path), item.folder)
        else:
            given = as_input(item)
            context = [entities.InputTag("mlflow.data.context", given.context)]
            client.log_inputs(run_id, [entities.DatasetInput(entities.Dataset(**given.described), context)])
    batches = (_batches(metrics, _METRICS), _batches(parameters, _PARAMETERS), _batches(tags, _TAGS))
    for batch in zip_longest(*batches, fillvalue=()):
        client.log_batch(run_id, *batch)


def page_of(client: "MlflowClient", run_id: str) -> str:
    """The address of a run's page, from any page of the same server."""
    return f"#/experiments/{client.get_run(run_id).info.experiment_id}/runs/{run_id}"


def _batches(records: list[Any], size: int) -> list[list[Any]]:
    return [records[first : first + size] for first in range(0, len(records), size)]


def as_input(item: Dataset | Input) -> Input:
    """What MLflow keeps of a table: its name, digest, source, columns and size."""
    if isinstance(item, Input):
        return item
    from mlflow.data import pandas_dataset

    dataset = pandas_dataset.from_pandas(
        item.table, source=str(item.source), targets=item.target, name=item.name, digest=item.digest
    )
    return Input(dataset.to_dict(), item.context)
