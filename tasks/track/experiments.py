"""The experiments of MLflow: one for each data source, since pages put the errors of one on a common axis.

`tracking.experiment` is the name of that whose source came first; those of further sources have their names at the end.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from heldout.losses import Loss
from tasks.params import Settings
from tasks.params.source_name import source_name
from tasks.track import shared_view
from tasks.track.artifacts import check_bucket
from tasks.track.data_source import SOURCE, as_parameters, source_in, source_of
from tasks.track.store import make_experiment

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment

_OWNER = "mlflow.heldout.source"  # the tag of an experiment with the data source that it is for
_BETWEEN = " · "
_DIGITS = 6  # of the hash of a source whose name another one has


def experiment_id(client: "MlflowClient", settings: Settings) -> str:
    """The experiment of validations of the settings' data source, made where it is missing.

    Raises UserError if the bucket for artifacts does not answer.
    """
    return _made(client, settings, settings.tracking.experiment, shared_view.OF_ERRORS)


def watch_experiment(client: "MlflowClient", settings: Settings) -> str:
    """The experiment of what `watch` finds about the settings' data source."""
    return _made(client, settings, f"{settings.tracking.experiment} watch", shared_view.OF_SHARDS)


def compare_experiment(client: "MlflowClient", settings: Settings) -> str:
    """The experiment of compared files, which are of any source and have no number: without a view."""
    _check(settings)
    name = f"{settings.tracking.experiment} compare"
    found = client.get_experiment_by_name(name)
    return make_experiment(client, settings, name, {}) if found is None else str(found.experiment_id)


def find(client: "MlflowClient", settings: Settings) -> str | None:
    """The experiment of validations of the settings' data source; None before the first one."""
    source = source_of(settings)
    for name in _names(settings.tracking.experiment, as_parameters(settings)):
        found = client.get_experiment_by_name(name)
        if found is not None and found.tags.get(_OWNER) == source:
            return str(found.experiment_id)
    return None


def show_unit(client: "MlflowClient", experiment: str, loss: Loss) -> None:
    """Have the view of validations show errors under `loss` as people read them."""
    _show(client, client.get_experiment(experiment), shared_view.of(loss))


def _made(client: "MlflowClient", settings: Settings, named: str, view: str) -> str:
    _check(settings)
    source = source_of(settings)
    for name in _names(named, as_parameters(settings)):
        found = client.get_experiment_by_name(name)
        if found is None:
            return make_experiment(client, settings, name, {_OWNER: source, shared_view.TAG: view})
        if found.tags.get(_OWNER) in (None, source):
            if found.tags.get(_OWNER) != source:
                client.set_experiment_tag(found.experiment_id, _OWNER, source)
            if not shared_view.is_alike(found.tags.get(shared_view.TAG), view):
                _show(client, found, view)
            return str(found.experiment_id)
    raise AssertionError("the last name has the hash of the source")


def _check(settings: Settings) -> None:
    if settings.tracking.artifacts is not None:
        check_bucket(settings.tracking.artifacts)


def _show(client: "MlflowClient", experiment: "Experiment", view: str) -> None:
    if experiment.tags.get(shared_view.TAG) != view:
        client.set_experiment_tag(experiment.experiment_id, shared_view.TAG, view)


def _names(base: str, values: Mapping[str, str]) -> Iterator[str]:
    """The names that the experiment of a source may have: the first that no other source has is its own."""
    yield base
    yield (named := f"{base}{_BETWEEN}{source_name(values.get(SOURCE, ''))}")
    yield f"{named} {hashlib.sha256(source_in(values).encode()).hexdigest()[:_DIGITS]}"
