"""The promotion of a winner in MLflow: a version, its aliases, and the records from which a later night goes on."""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import digests
from heldout.errors import FitFailure
from tasks.fits.model_process import Model, opened
from tasks.outcome import operations
from tasks.outcome.champion_error import ChampionError, champion_error
from tasks.outcome.contest import Champion, Promotion, contest, uncompared
from tasks.outcome.e_processes import EProcesses
from tasks.outcome.items import HIDDEN, Artifact, Tag, TrackedMetric
from tasks.outcome.ledger import learner_id, seeded_id
from tasks.outcome.new_rows import KnownRows
from tasks.outcome.operations import Of, cut
from tasks.outcome.pins import Pin, against_pin, pin_of, pins, prevented_before
from tasks.params import Candidate, Settings
from tasks.plans.all_labeled import read_all_labeled
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.row_ids import WORD, Ids, read_row_ids, read_words, write_seen
from tasks.track import operations_ledger
from tasks.track.changed import GIT_COMMIT
from tasks.track.downloads import download, downloads
from tasks.track.ledger_tags import KEY, known_since
from tasks.track.lifecycle import TRIAL
from tasks.track.registry import BEFORE, CHALLENGER, CHAMPION, MODEL, SOURCE, Standing, register, standing
from tasks.track.send import send
from tasks.track.store import runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.entities.model_registry import ModelVersion
    from mlflow.models.model import ModelInfo

log = logging.getLogger("heldout")

_ALIAS_SECONDS = 2  # between another run's entry and its move of the alias
RESTORED = "restored"  # a champion's tag after a rollback: runs that start from here on come after it; milliseconds
NO_CHAMPION = "there is no champion any more"
PROMOTED = f"{HIDDEN}promoted"  # first, yes or no, and why
AGAINST, _NUMBER, _MODEL_HASH = f"{HIDDEN}promotion.against", f"{HIDDEN}promotion.number", "model_hash"
_DECISION = "promotion.json"
EVIDENCE = "promotion"  # of artifacts: rows that a version has seen; records and used rows of a champion's pairs
_SEEN, _RECORDS, _BETS = "seen_rows.parquet", "records.json", "bets.parquet"
_TRAINED = "trained_rows.parquet"  # of a version that was promoted: without the rows on which it was shown to err less
_PIN, _OLD = f"{HIDDEN}pin.", "old_rows.parquet"  # of the first run after a rollback: a tag, the rows that it found


def promote(
    client: "MlflowClient",
    settings: Settings,
    winner: Candidate,
    model: Model,
    info: "ModelInfo",
    told: Mapping[str, str],
    stopped: str = "",
    *,
    anyway: bool = False,
) -> tuple[Promotion, str]:
    """Decide about the winner, logged as `info` on a run; returns the decision, and where the model is.

    `told` are tags of the version: what is known about it. `stopped` is the advice, where that is not to ship it: such
    a winner is registered, and is no champion, unless a person promotes it `anyway`.

    A trial is never promoted, nor registered. Otherwise the decision and its records are stored before an alias moves:
    after a kill in between, the next night decides the same from them. Of two runs that decide at the same moment, the
    second decides again, after the first.
    """
    run = client.get_run(info.run_id)
    if why := run.data.tags.get(TRIAL):
        decision = Promotion("no", f"a trial: {why}", trial=True)
        _record(client, run, decision, {})
        return decision, f"with the run, not registered: {why}"
    version = ""
    while True:
        known, place = operations_ledger.entries(client), standing(client, settings)
        of, line = Of.made(place.name, place.source), {"candidate": cut(winner.name), "learner": learner_id(winner)}
        old_rows = {pin: _old_rows(client, run, pin) for pin in pins(known, of)}
        pin = pin_of(old_rows, **line)
        pinned = None if pin is None else (pin, old_rows[pin])
        decision, processes, seen = _decide(client, settings, winner, model, place, run, pinned, stopped, anyway)
        if pin is not None:
            decision = replace(decision, prevented_before=prevented_before(pin, known))
        version = version or register(client, place.name, info, {**told, **_tags(run, place)})
        _record(
            client, run, decision, {"name": place.name, "version": version, "source": place.source}, seen, processes
        )
        said = {**line, **of.said(run=run.data.tags.get(KEY, run.info.run_id), version=version), **_said(decision)}
        kind, alias = ("contest", CHALLENGER) if decision.promoted == "no" else ("champion", CHAMPION)
        if kind == "champion":
            said["alias"] = f"{place.name}@{place.alias(CHAMPION)}"
            if place.champion is not None:
                said["instead_of"] = str(place.champion.version)
                client.set_model_version_tag(place.name, version, BEFORE, said["instead_of"])
        try:
            operations_ledger.append_decision(client, settings, kind, said, of, known)
        except operations_ledger.Overtaken:
            log.warning("another run decided about %s at the same moment; decided again", place.address(CHAMPION))
            if processes is not None:
                client.delete_tag(run.info.run_id, AGAINST)
            time.sleep(_ALIAS_SECONDS)
            continue
        client.set_registered_model_alias(place.name, place.alias(alias), version)
        return decision, f"version {version} of {place.name}, {place.address(alias)}"


def _first(client: "MlflowClient", place: Standing) -> str:
    """Why there is no champion to compare with: there was none, or the one that the ledger names is gone."""
    alias = f"{place.name}@{place.alias(CHAMPION)}"
    before = operations.champions(operations_ledger.entries(client)).get(alias)
    if before is None:
        return f"the first champion of {place.source} as {place.name}"
    return (
        f"{NO_CHAMPION} of {place.source} as {place.name}: the ledger names version {before}, which was deleted, or "
        "lost its alias, without heldout; compared with nobody"
    )


def _tags(run: "Run", place: Standing) -> dict[str, str]:
    """What a version has of its run, by which it is known later."""
    return {
        SOURCE: place.source,
        "git_commit": run.data.tags.get(GIT_COMMIT, ""),
        _MODEL_HASH: files.file_hash(files.MODEL),
    }


def _said(decision: Promotion) -> dict[str, Any]:
    """What the ledger keeps of a decision."""
    of_pin = {} if decision.pin is None else {"pin": decision.pin, "prevented": decision.prevented}
    advised = {name: True for name in ("withheld", "anyway") if getattr(decision, name)}
    return {"promoted": decision.promoted, "compared": decision.compared, **decision.numbers, **of_pin, **advised}


def _old_rows(client: "MlflowClient", run: "Run", pin: Pin) -> Ids:
    """The rows that were there when a run first looked after a rollback: those there now, if none has looked.

    All rows of the table, since another split.test_key makes others the test set. Rows of other columns have other
    identities: a run on these looks for the first time.
    """
    tag, columns = f"{_PIN}{pin.entry}", digests.content_hash(files.read_seen_rows().columns)
    looked = runs(client, f"tags.`{tag}` = '{columns}'")
    for found in sorted(looked, key=lambda one: one.info.start_time):
        with downloads() as folder, suppress(UserError):  # if they are gone, no row is known to be new
            words = read_words(download(folder, f"runs:/{found.info.run_id}/{EVIDENCE}/{_OLD}"))
            return words[WORD].to_numpy(np.uint64)
    present = read_row_ids().words()
    with downloads() as folder:
        write_seen(folder / _OLD, present)
        send(client, run.info.run_id, [Artifact(folder / _OLD, EVIDENCE)])
    send(client, run.info.run_id, [Tag(tag, columns)])
    return present


def _decide(
    client: "MlflowClient",
    settings: Settings,
    winner: Candidate,
    model: Model,
    place: Standing,
    run: "Run",
    pinned: tuple[Pin, Ids] | None,
    stopped: str,
    anyway: bool,
) -> tuple[Promotion, EProcesses | None, Ids]:
    """The decision, the e-processes of the champion, and the rows that the winner has seen.

    `pinned` are the pin of the winner's line and the rows that do not count for it, `stopped` is the advice not to ship
    it.
    """
    used = read_row_ids("used").words()
    level = settings.operations.promote_level
    if place.champion is None and pinned is not None:
        pin, _ = pinned
        why = f"there is no champion to compare it with, and {pin.explained(level)}"
        return Promotion("no", why, pin=pin.entry, prevented=True), None, used
    if place.champion is None:
        return Promotion("first", _first(client, place)).as_advised(stopped, anyway=anyway), None, used
    pair = _pair(settings, winner)
    with ExitStack() as until_decided:
        try:
            champion = until_decided.enter_context(_champion(settings, place.champion))
            processes = _read_processes(client, place.champion, run)
        except UserError as error:
            return uncompared(str(place.champion.version), str(error)), None, used
        record = processes.record(pair, int(place.champion.tags.get(RESTORED, 0)))
        spent = processes.spent(pair, known_since(client, winner, settings, files.read_seen_rows()))
        decision = contest(settings, winner.name, model, champion, record, spent)
        if pinned is not None:
            pin, old = pinned
            harder = settings.operations.model_copy(update={"promote_level": pin.level(level)})
            strict = settings.model_copy(update={"operations": harder})
            fresh = contest(strict, winner.name, model, champion, record, np.concatenate([spent, old]))
            decision = against_pin(pin, level, decision, fresh)
        if (current := _error_now(settings, champion, model)) is not None:
            decision = replace(decision, champion=current, numbers={**decision.numbers, **current.numbers()})
    decision = decision.as_advised(stopped, anyway=anyway)
    processes = processes.after(pair, decision, run.info.start_time)
    if decision.promoted == "yes":
        used = np.concatenate([used, processes.of_pair(pair)])  # the winner is chosen by them
    return decision, processes, used


def _error_now(settings: Settings, champion: Champion, model: Model) -> ChampionError | None:
    """The error of the champion on rows that are new to it; None without a test set, or without its answers."""
    if settings.split.test_fraction == 0:
        return None
    hypothesis = model if champion.same else champion.hypothesis
    seen = KnownRows(champion.seen)
    try:
        return champion_error(settings, champion.version, hypothesis, seen, read_all_labeled(settings))
    except (FitFailure, KeyError):  # a column is gone, or no answers: the contest says so
        return None


def _pair(settings: Settings, winner: Candidate) -> str:
    """The identity of the challenger: a learner with its columns and form, trained again every night, and the loss."""
    columns = sorted(map(str, files.read_dtypes(files.LABELED)))
    loss = settings.model_dump(include={"loss"})
    return digests.content_hash(seeded_id(winner, settings.seed), columns, settings.deliver, loss)


@contextmanager
def _champion(settings: Settings, champion: "ModelVersion") -> Iterator[Champion]:
    """The champion's hypothesis, in a process of its own, and its rows. Raises UserError where one cannot be had."""
    same = champion.tags.get(_MODEL_HASH) == files.file_hash(files.MODEL)
    with downloads() as folder:
        seen = read_words(download(folder, f"runs:/{champion.run_id}/{EVIDENCE}/{_SEEN}"))[WORD].to_numpy(np.uint64)
        path = download(folder, f"models:/{champion.name}/{champion.version}/{MODEL}")
        if same:
            yield Champion(str(champion.version), None, seen, same)
            return
        with opened(path, settings) as hypothesis:
            hypothesis.load()
            yield Champion(str(champion.version), hypothesis, seen, same)


def trained_rows(client: "MlflowClient", folder: Path, champion: "ModelVersion") -> Ids:
    """The words of the rows that a version was trained on. Raises UserError."""
    from mlflow.exceptions import MlflowException

    name = _TRAINED
    with suppress(MlflowException):
        found = {Path(file.path).name for file in client.list_artifacts(str(champion.run_id), EVIDENCE)}
        name = _TRAINED if _TRAINED in found else _SEEN
    return read_words(download(folder, f"runs:/{champion.run_id}/{EVIDENCE}/{name}"))[WORD].to_numpy(np.uint64)


def newest_order(run: "Run") -> tuple[int, int]:
    """Which of the runs with e-processes of the same champion has the newest."""
    return int(run.data.tags.get(_NUMBER, 0)), run.info.start_time


def _read_processes(client: "MlflowClient", champion: "ModelVersion", reader: "Run") -> EProcesses:
    """The newest e-processes of a champion that the `reader` did not write. Raises UserError without them."""
    against = f"{champion.name}/{champion.version}"
    written = (run for run in runs(client, f"tags.`{AGAINST}` = '{against}'") if run.info.run_id != reader.info.run_id)
    found = max(written, key=newest_order, default=None)
    if found is None:
        return EProcesses(against)
    with downloads() as folder:
        records, bets = (download(folder, f"runs:/{found.info.run_id}/{EVIDENCE}/{name}") for name in (_RECORDS, _BETS))
        known, number = json.loads(records.read_text(encoding="utf-8")), newest_order(found)[0]
        return EProcesses(against, known, read_words(bets), number)


def _record(
    client: "MlflowClient",
    run: "Run",
    decision: Promotion,
    numbers: dict[str, Any],
    seen: Ids | None = None,
    processes: EProcesses | None = None,
) -> None:
    """The decision on its run: artifacts first, and last the tag by which a later night finds them."""
    shown = {"promoted": decision.promoted, "promotion_reason": decision.reason, **numbers, **decision.numbers}
    with downloads() as folder:
        items = [Artifact(folder / _DECISION)]
        record = decision.record
        files.write_json(folder / _DECISION, {**shown, "record": None if record is None else record.numbers()})
        if seen is not None:
            write_seen(folder / _SEEN, seen)
            items.append(Artifact(folder / _SEEN, EVIDENCE))
        if decision.promoted == "yes":
            write_seen(folder / _TRAINED, read_row_ids("used").words())
            items.append(Artifact(folder / _TRAINED, EVIDENCE))
        if processes is not None:
            files.write_json(folder / _RECORDS, dict(processes.records))
            processes.used.to_parquet(folder / _BETS)
            items += [Artifact(folder / _RECORDS, EVIDENCE), Artifact(folder / _BETS, EVIDENCE)]
        numbers_now = {} if decision.champion is None else decision.champion.numbers()
        send(client, run.info.run_id, [*items, *(TrackedMetric(name, value) for name, value in numbers_now.items())])
    tags = [Tag(PROMOTED, f"{decision.promoted}: {decision.reason}")]
    if processes is not None:
        tags += [Tag(_NUMBER, str(processes.number)), Tag(AGAINST, processes.against)]
    send(client, run.info.run_id, tags)
