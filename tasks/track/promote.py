"""The promotion of a winner in MLflow: a version, its aliases, and the records from which a later night goes on."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.outcome.contest import DRAW, Champion, Decision, Record, contest
from tasks.outcome.items import Artifact, Tag
from tasks.outcome.ledger import learner_id
from tasks.params import Candidate, Settings
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, one_line
from tasks.storage import files, fit_cache, model_file
from tasks.storage.row_ids import Ids, read_ids, read_row_ids, write_ids
from tasks.track.lifecycle import TRIAL
from tasks.track.registry import BEFORE, CHALLENGER, CHAMPION, SOURCE, Standing, register, standing
from tasks.track.send import send
from tasks.track.store import connect, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.entities.model_registry import ModelVersion
    from mlflow.models.model import ModelInfo

RESTORED = "restored"  # a champion's tag after a rollback: since when, in milliseconds
_PAIR, _MODEL_HASH = "promotion_pair", "model_hash"
_FOLDER = "promotion"  # of artifacts: the rows that the version has seen, and those of the bets of its pair
_SEEN, _USED, _DECISION = "seen_rows.parquet", "bet_rows.parquet", "promotion.json"
_MODEL = "model.skops"  # MLflow's name for it


def promote(
    settings: Settings, winner: Candidate, model: Any, info: "ModelInfo", told: Mapping[str, str]
) -> tuple[Decision, str]:
    """Decide about the winner, logged as `info` on the active run; returns the decision, and where the model is.

    `told` are tags of the version: what is known about it.

    A trial is never promoted, nor registered. Otherwise the decision and its records are stored before an alias moves:
    after a kill in between, the next night decides the same from them.
    """
    client = connect(settings)
    run = client.get_run(info.run_id)
    if why := run.data.tags.get(TRIAL):
        decision = Decision("no", f"a trial: {why}", trial=True)
        _record(client, run, decision, {})
        return decision, f"with the run, not registered: {why}"
    place = standing(client, settings)
    decision, pair, seen = _decide(client, settings, winner, model, place)
    tags = {
        **told,
        SOURCE: place.source,
        "git_commit": run.data.tags.get("git_commit", ""),
        _MODEL_HASH: files.file_hash(files.MODEL),
    }
    version = register(client, place.name, info, tags)
    numbers = {"name": place.name, "version": version, "source": place.source, _PAIR: pair}
    _record(client, run, decision, numbers, seen)
    if decision.promoted == "no":
        client.set_registered_model_alias(place.name, place.alias(CHALLENGER), version)
        return decision, f"version {version} of {place.name}, {place.address(CHALLENGER)}"
    if place.champion is not None:
        client.set_model_version_tag(place.name, version, BEFORE, str(place.champion.version))
    client.set_registered_model_alias(place.name, place.alias(CHAMPION), version)
    return decision, f"version {version} of {place.name}, {place.address(CHAMPION)}"


def _decide(
    client: "MlflowClient", settings: Settings, winner: Candidate, model: Any, place: Standing
) -> tuple[Decision, str | None, Ids]:
    """The decision, the key of the pair, and the rows that the winner has seen."""
    used = read_row_ids("used")
    if place.champion is None:
        return Decision("first", f"the first champion of {place.source} as {place.name}"), None, used
    pair = _pair(settings, winner, place.champion)
    try:
        champion = _read_champion(settings, place.champion)
        record = _read_record(client, pair, int(place.champion.tags.get(RESTORED, 0)))
    except UserError as error:
        reason = f"{DRAW} from version {place.champion.version}, the champion: {error}"
        return Decision("no", reason), pair, used
    decision = contest(settings, winner.name, model, champion, record)
    if decision.promoted == "yes" and decision.record is not None:
        used = np.concatenate([used, decision.record.used])  # the winner is chosen by them
    return decision, pair, used


def _pair(settings: Settings, winner: Candidate, champion: "ModelVersion") -> str:
    """The identity of a pair: a version, and the learner with its columns and form, trained again every night."""
    columns = sorted(map(str, files.read_dtypes(files.LABELED)))
    loss = settings.model_dump(include={"loss"})
    return fit_cache.content_hash(champion.name, champion.version, learner_id(winner), columns, settings.deliver, loss)


def _read_champion(settings: Settings, champion: "ModelVersion") -> Champion:
    """The champion's hypothesis and rows. Raises UserError where one of them cannot be had."""
    same = champion.tags.get(_MODEL_HASH) == files.file_hash(files.MODEL)
    with _downloads() as folder:
        seen = read_ids(_download(folder, f"runs:/{champion.run_id}/{_FOLDER}/{_SEEN}"))
        path = _download(folder, f"models:/{champion.name}/{champion.version}/{_MODEL}")
        hypothesis = model_file.load(path, settings.execution.allowed_modules)
    return Champion(str(champion.version), hypothesis, seen, same)


def _read_record(client: "MlflowClient", pair: str, restored: int) -> Record:
    """The newest record of a pair; if its champion was restored since by a rollback, with the rows alone."""
    found = max(runs(client, f"tags.{_PAIR} = '{pair}'"), key=lambda run: run.info.start_time, default=None)
    if found is None:
        return Record()
    with _downloads() as folder:
        used = read_ids(_download(folder, f"runs:/{found.info.run_id}/{_FOLDER}/{_USED}"))
        decision = _download(folder, f"runs:/{found.info.run_id}/{_DECISION}")
        numbers = json.loads(decision.read_text(encoding="utf-8"))["record"]
    return Record(used=used) if found.info.start_time < restored else Record.parsed(numbers, used)


def _download(folder: Path, address: str) -> Path:
    """A file of the store, below `folder`. Raises UserError where it is missing."""
    from mlflow.artifacts import download_artifacts
    from mlflow.exceptions import MlflowException

    try:
        return Path(download_artifacts(address, dst_path=str(folder)))
    except (MlflowException, OSError) as error:
        raise UserError(
            f"{address} cannot be read ({one_line(str(error))}); to begin again, remove the alias {CHAMPION}"
        ) from None


@contextmanager
def _downloads() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="mlflow-") as folder:
        yield Path(folder)


def _record(
    client: "MlflowClient", run: "Run", decision: Decision, numbers: dict[str, Any], seen: Ids | None = None
) -> None:
    """The decision on its run: artifacts first, and last the tag by which a later night finds them."""
    shown = {"promoted": decision.promoted, "promotion_reason": decision.reason, **numbers, **decision.numbers}
    with _downloads() as folder:
        items = [Artifact(folder / _DECISION)]
        record = decision.record
        files.write_json(folder / _DECISION, {**shown, "record": None if record is None else record.numbers()})
        if seen is not None:
            write_ids(folder / _SEEN, seen)
            items.append(Artifact(folder / _SEEN, _FOLDER))
        if record is not None:
            write_ids(folder / _USED, record.used)
            items.append(Artifact(folder / _USED, _FOLDER))
        send(client, run.info.run_id, items)
    tags = [Tag("promoted", decision.promoted), Tag("promotion_reason", decision.reason)]
    if record is not None:
        tags.append(Tag(_PAIR, str(numbers[_PAIR])))
    send(client, run.info.run_id, tags)
