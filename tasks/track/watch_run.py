"""Watching in MLflow: which model is watched, and a metric for each shard."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from heldout import digests
from tasks.outcome.items import Artifact, Item, Tag, TrackedMetric
from tasks.outcome.operations import Of, cut
from tasks.outcome.watched_shards import Watched, WatchRecord
from tasks.params import Settings
from tasks.storage import watch_files
from tasks.track.data_source import source_of
from tasks.track.experiments import watch_experiment
from tasks.track.operations_ledger import append, entries
from tasks.track.registry import LEARNER, standing
from tasks.track.send import send
from tasks.track.store import connect

_METRICS = ("disagreement", "low", "high", "evidence", "alarm", "evidence_of_columns", "alarm_of_columns")
_WATCHED = "watched"  # the tag by which the run of a record is found
_KIND = "watched"  # of an entry
_DAY = len("2026-01-01")
_MOST_ALARMS = 10


def champion(settings: Settings) -> Watched | None:
    """The champion of the data source; None if there is none. Raises UserError if the store cannot be reached."""
    place = standing(connect(settings), settings)
    if place.champion is None:
        return None
    return Watched(f"{place.name}/{place.champion.version}", str(place.champion.tags.get(LEARNER, "")))


def log_lines(settings: Settings, record: WatchRecord) -> None:
    """The untold lines as stepped metrics, on one run for each model that is watched, in an experiment of its own.

    The experiment of validations keeps one parent run for each validation.
    """
    _send(settings, record, _items(record))


def enter_move(settings: Settings, record: WatchRecord) -> None:
    """In the ledger of operations, that a person moved the reference: no earlier alarm holds."""
    of = Of.made(settings.registered_model, source_of(settings))
    said = {"model": record.watched, "reference": str(record.reference), "moved": True, "raised": False}
    append(connect(settings), settings, _KIND, of.said(**said))


def enter(settings: Settings, record: WatchRecord) -> bool:
    """The untold lines in the ledger of operations: once a day, and whenever an alarm begins; whether it has them."""
    client = connect(settings)
    alarms = [cut(f"{line.shard}: {reason}") for line, reason in record.alarms()]
    last = next(
        (
            one
            for one in reversed(entries(client))
            if one.kind == _KIND and one.said["model"] == record.watched and not one.said.get("moved")
        ),
        None,
    )
    if not alarms and last is not None and last.time[:_DAY] == datetime.now(UTC).isoformat()[:_DAY]:
        return False
    newest = record.lines[-1]
    said = {
        "model": record.watched,
        "shards": len(record.lines),
        "disagreement": newest.disagreement,
        "low": newest.low,
        "high": newest.high,
        "evidence": newest.evidence,
        "evidence_of_columns": newest.evidence_of_columns,
        "raised": newest.alarm or newest.alarm_of_columns,
        "alarms": alarms[:_MOST_ALARMS],
    }
    of = Of.made(settings.registered_model, source_of(settings))
    append(client, settings, _KIND, of.said(**said))
    return True


def log_picture(settings: Settings, record: WatchRecord) -> None:
    """The picture of all lines, if there is one, on the same run."""
    if watch_files.PICTURE.exists():
        _send(settings, record, [Artifact(watch_files.PICTURE)])


def _send(settings: Settings, record: WatchRecord, items: Iterable[Item]) -> None:
    client = connect(settings)
    experiment = watch_experiment(client, settings)
    watched = digests.content_hash(record.watched)  # of a fixed alphabet: it is part of a query
    found = client.search_runs([experiment], f"tags.{_WATCHED} = '{watched}'", max_results=1)
    run = found[0] if found else client.create_run(experiment, run_name="watch", tags={_WATCHED: watched})
    send(client, run.info.run_id, items)
    client.set_terminated(run.info.run_id)


def _items(record: WatchRecord) -> Iterator[Item]:
    yield Tag("model", record.watched)
    yield Tag("candidate", record.candidate)
    yield Tag("reference", str(record.reference))
    yield from [Tag("alarm", f"{line.shard}: {reason}") for line, reason in record.alarms()[-1:]]
    for step, line in enumerate(record.untold, start=record.told):
        for metric in _METRICS:
            if (value := getattr(line, metric)) is not None:
                yield TrackedMetric(metric, float(value), step)
    yield TrackedMetric("evidence_of_answers", record.evidence_of_answers, len(record.lines) - 1)
    yield Artifact(watch_files.TABLE)
