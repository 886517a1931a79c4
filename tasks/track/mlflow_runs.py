"""MLflow: the one module that imports it. Records come in by value and are sent from here."""

import logging
import socket
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import psutil

from tasks.outcome.ledger import Ledger, learner_id
from tasks.params import Candidate, Settings
from tasks.report.summary import Summary, shown_steps
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.files import TARGET

log = logging.getLogger("heldout")

_SQLITE = "sqlite:///"
_COMPARED = "compared."  # and a learner's id: the tag of a parent run for each learner whose estimates it showed
_METRICS_A_BATCH = 1000  # what MLflow takes at once, params counted


@contextmanager
def run(settings: Settings) -> Iterator[None]:
    """The parent run of one validation; inside another one, that one goes on.

    Marks runs that were left RUNNING by a process of this machine that is gone, and says so. Ends as
    FINISHED, as FAILED with the reason, or as KILLED when interrupted. Raises UserError if the store
    cannot be reached.
    """
    import mlflow

    if mlflow.active_run() is not None:
        yield
        return
    client = _client(settings)
    experiment = _experiment(client, settings)
    _mark_dead(client, experiment)
    process = psutil.Process()
    tags = {
        "git_commit": _git_commit(),
        "criterion": settings.criterion,
        "host": socket.gethostname(),
        "process": _identity(process),
    }
    parent = mlflow.start_run(experiment_id=experiment, tags=tags).info.run_id
    written = settings.model_dump(exclude={"candidates", "execution", "tracking"})
    written["loss"] = str(written["loss"])[:6000]  # classes, as costs name them, may be no names of parameters
    mlflow.log_params(_flat(written))
    try:
        yield
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt | SystemExit)
        end_run("KILLED" if interrupted else "FAILED", "interrupted" if interrupted else str(error))
        raise
    active = mlflow.active_run()  # none, if a failure has ended it
    if active is not None and active.info.run_id == parent:
        mlflow.end_run("FINISHED")


def in_run() -> bool:
    """Whether this process validates as a whole, stage after stage."""
    if "mlflow" not in sys.modules:  # its import takes a second, which a stage by itself need not wait for
        return False
    import mlflow

    return mlflow.active_run() is not None


def end_run(status: str, reason: str) -> None:
    """End the active run, if there is one, as FAILED or KILLED."""
    import mlflow

    if mlflow.active_run() is not None:
        mlflow.set_tag("failure", reason[:5000])
        mlflow.end_run(status)


def tag_seconds(what: str, seconds: float) -> None:
    """Note on the active run, if there is one, how long a stage took; its metrics are estimates alone."""
    if in_run():
        import mlflow

        mlflow.set_tag(f"seconds.{what}", f"{seconds:.2f}")


def tag_speed(speed: object | None) -> None:
    """Note on the active run how long predictions of the delivered hypothesis take, if that was measured."""
    import mlflow

    if speed is not None and mlflow.active_run() is not None:
        mlflow.set_tag("prediction_time", str(speed))


def read_ledger(settings: Settings, data_hash: str, compared: Sequence[str]) -> Ledger:
    """The contamination ledger of these labelled data in the store, with the candidates named `compared` added.

    `M` counts distinct learners, each with its settings and preprocessing, whatever their names, runs and seeds.
    """
    client = _client(settings)
    here = f"tags.data_hash = '{data_hash}'"
    learners = {learner_id(candidate) for candidate in settings.candidates if candidate.name in compared}
    openings = set()
    for found in _search(client, here):
        tags = found.data.tags
        learners |= {name.removeprefix(_COMPARED) for name in tags if name.startswith(_COMPARED)}
        openings |= {tags[name] for name in tags if name == "test_opened_for"}
    return Ledger(len(learners), frozenset(openings))


def tag_selection(
    data_hash: str, winner: Candidate, compared: Sequence[Candidate], opened_for: Candidate | None
) -> None:
    """Note the choice on the active run as soon as it is made: whatever happens next, it was seen."""
    import mlflow

    mlflow.set_tags({"data_hash": data_hash, "selected_model": winner.name})
    for candidate in compared:
        mlflow.set_tag(_COMPARED + learner_id(candidate), candidate.name)
    if opened_for is not None:
        mlflow.set_tag("test_opened_for", learner_id(opened_for))


def log_outcome(settings: Settings, summary: Summary, model: Any) -> str:
    """Log all on the active run and a child for each candidate; returns the registered model's address."""
    import mlflow

    # hints about integer columns and about two equal kinds of source, which no user can act upon
    warnings.filterwarnings("ignore", category=UserWarning, module=r"mlflow\.")
    parent = mlflow.active_run()
    if parent is None:
        raise RuntimeError("log_outcome needs an active run: call it inside of run()")
    client = _client(settings)
    data_hash = files.read_data_hash()
    selected = str(summary.selection["selected"])
    winner = next(candidate for candidate in settings.candidates if candidate.name == selected)
    compared = [candidate for candidate in settings.candidates if candidate.name not in summary.failures]
    tag_selection(data_hash, winner, compared, winner if summary.selection["E_test"] is not None else None)
    own = summary.estimates[summary.estimates["candidate"] == selected]
    mlflow.log_metrics(dict(zip(own["estimate"], own["value"].astype(float), strict=True)))
    X, y = files.read_table(files.LABELED)
    dataset = mlflow.data.pandas_dataset.from_pandas(
        X.assign(**{TARGET: y}), source=str(files.LABELED), targets=TARGET, name="labeled", digest=data_hash[:32]
    )
    mlflow.log_input(dataset, context="validation")
    for candidate in settings.candidates:
        _log_candidate(client, parent.info, candidate, data_hash, summary)
    for path in (files.ESTIMATES, files.SELECTION, files.REPORT):
        mlflow.log_artifact(str(path))
    mlflow.log_artifacts(str(files.PLOTS), "plots")
    return _register(client, settings, model, X)


def _log_candidate(client: Any, parent: Any, candidate: Candidate, data_hash: str, summary: Summary) -> None:
    from mlflow.entities import Metric, Param

    reason = summary.failures.get(candidate.name)
    tags = {
        "mlflow.parentRunId": parent.run_id,
        "data_hash": data_hash,
        "learner": learner_id(candidate),
        "host": socket.gethostname(),
        "process": _identity(psutil.Process()),
        **({"failure": reason} if reason else {}),
        **({"warnings": str(summary.warned[candidate.name])[:5000]} if candidate.name in summary.warned else {}),
    }
    child = client.create_run(parent.experiment_id, tags=tags, run_name=candidate.name).info.run_id
    flat = _flat(candidate.model_dump(exclude={"name", "grid"}))
    params = [Param(name, str(value)[:6000]) for name, value in flat.items()]
    if reason:
        client.log_batch(child, params=params)
        client.set_terminated(child, "FAILED")
        return
    now = parent.start_time
    metrics = []
    own = summary.estimates[summary.estimates["candidate"] == candidate.name]
    for row in own.to_dict("records"):
        bounds = {"": row["value"], "_low": row["low"], "_high": row["high"]}
        metrics += [
            Metric(f"{row['estimate']}{suffix}", float(value), now, 0)
            for suffix, value in bounds.items()
            if not pd.isna(value)
        ]
    folds = summary.fold_errors[candidate.name]
    metrics += [Metric("fold_error", float(error), now, fold) for fold, error in enumerate(folds)]
    curve = summary.progressive_errors[candidate.name]
    metrics += [
        Metric("progressive_error", float(curve[place]), now, int(place) + 1) for place in shown_steps(len(curve))
    ]
    size = _METRICS_A_BATCH - len(params)
    for first in range(0, len(metrics), size):
        client.log_batch(child, metrics=metrics[first : first + size], params=[] if first else params)
    client.set_terminated(child, "FINISHED")


def _register(client: Any, settings: Settings, model: Any, X: pd.DataFrame) -> str:
    import mlflow
    import mlflow.sklearn
    from skops.io import dumps, get_untrusted_types

    import heldout

    name = settings.tracking.registered_model
    some = X.head(100)
    info = mlflow.sklearn.log_model(
        model,
        name="model",
        signature=mlflow.models.infer_signature(some, model.predict(some)),
        input_example=X.head(1),
        serialization_format="skops",
        # the types of a model that this run has just fitted itself
        skops_trusted_types=get_untrusted_types(data=dumps(model)),
        # a drawn hypothesis or a family is loaded by the science's own classes
        code_paths=[str(Path(heldout.__file__).parent)],
        pip_requirements=[
            f"{package}=={version(package)}" for package in ("scikit-learn", "numpy", "scipy", "pandas", "skops")
        ],
    )
    if not client.search_registered_models(f"name = '{name}'"):
        client.create_registered_model(name)
    made = client.create_model_version(name, info.model_uri, info.run_id, model_id=info.model_id)
    client.set_registered_model_alias(name, "champion", made.version)
    return f"models:/{name}@champion"


def _client(settings: Settings) -> Any:
    import mlflow
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    uri = settings.tracking.uri
    hint = "start the store, or mend tracking.uri"
    if uri.startswith(_SQLITE):
        path = Path(uri.removeprefix(_SQLITE))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(path) as database:
                database.execute("PRAGMA schema_version")
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"tracking.uri is {uri}, which cannot be opened ({error}); {hint}") from None
    mlflow.set_tracking_uri(uri)
    client = MlflowClient()
    try:
        client.search_experiments(max_results=1)
    except (MlflowException, OSError, ValueError) as error:
        raise UserError(f"tracking.uri is {uri}, which does not answer ({_short(error)}); {hint}") from None
    return client


def _experiment(client: Any, settings: Settings) -> str:
    """The experiment's id; made with artifacts beside the store, at a relative place."""
    found = client.get_experiment_by_name(settings.tracking.experiment)
    if found is not None:
        return str(found.experiment_id)
    uri = settings.tracking.uri
    if not uri.startswith(_SQLITE):
        return str(client.create_experiment(settings.tracking.experiment))
    database = Path(uri.removeprefix(_SQLITE))
    place = (database.parent / "artifacts").as_posix()
    made = str(client.create_experiment(settings.tracking.experiment, artifact_location=place))
    # MLflow makes the place absolute, and a copied checkout would then write into the original
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (place, int(made)))
    return made


def _mark_dead(client: Any, experiment: str) -> None:
    here = f"attributes.status = 'RUNNING' and tags.host = '{socket.gethostname()}'"
    for left in client.search_runs([experiment], here, max_results=1000):
        if not _alive(left.data.tags.get("process", "")):
            client.set_tag(left.info.run_id, "failure", "its process died without ending it")
            client.set_terminated(left.info.run_id, "KILLED")
            if "mlflow.parentRunId" not in left.data.tags:
                log.warning("the run %s had died without ending; it is now marked KILLED", left.info.run_name)


def _identity(process: psutil.Process) -> str:
    return f"{process.pid}:{process.create_time():.2f}"


def _alive(identity: str) -> bool:
    try:
        return _identity(psutil.Process(int(identity.partition(":")[0]))) == identity
    except (psutil.Error, ValueError):
        return False


def _search(client: Any, query: str) -> Iterator[Any]:
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    token = None
    while True:
        page = client.search_runs(experiments, query, max_results=1000, page_token=token)
        yield from page
        token = page.token
        if not token:
            return


def _git_commit() -> str:
    found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S607
    return found.stdout.strip() or "not in git"


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, item in value.items():
        if isinstance(item, Mapping) and item:
            flat.update(_flat(item, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = item
    return flat


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
