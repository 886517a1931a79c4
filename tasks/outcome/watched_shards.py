"""New shards against a fixed reference: how far stored half models disagree on them, and both alarms.

One is on the half models, one on the rows themselves: decision 37.
"""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout import digests
from heldout.losses import Loss, Losses
from heldout.monitoring.alarm import Alarm, Reference, RunningMean, Side
from heldout.monitoring.column_alarm import ColumnAlarm
from heldout.monitoring.share_alarm import ShareAlarm
from heldout.unlabelled.answer_shares import scale_of
from heldout.unlabelled.row_questions import Questions
from tasks.data import new_shards, unlabeled
from tasks.fits import half_models
from tasks.fits.half_models import HalfModels
from tasks.outcome.contest import limit_of
from tasks.outcome.fixed_reference import FixedReference
from tasks.outcome.ledger import learner_id
from tasks.params import Candidate, Settings
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files, watch_files
from tasks.storage.shard_report import ShardReport
from tasks.storage.watch_files import WatchedShard, printable, shown_name

log = logging.getLogger("heldout")

_REFERENCE = "the reference of watch"


@dataclass(frozen=True)
class Watched:
    """The champion of the data source: its registered version, and the identity of its learner."""

    version: str
    learner: str


@dataclass(frozen=True, eq=False)
class WatchRecord:
    """What is watched, and what was seen: `contents` has the hash of each line's file.

    It holds all that a shard is compared with, so that a later validation of other rows changes nothing; the rows of
    the `reference` stay the same for every champion, until a person moves them.

    `watched` is the champion's version, or the validated run's half models; `keys` are those of the half models,
    `limit` what a disagreement is a share of, and `reference_bounds` the band of the reference's mean. `columns`
    watches the rows themselves. `answers` watch what the half models answer, one for each share of
    `heldout.unlabelled.answer_shares` by this `scale`. `loss` is the name of the loss that compares answers. Of the
    first `told` lines everybody was told: the terminal, Prefect, MLflow. At the line of
    number `alarm_began` the evidence on half models began, at that of `columns_began` the evidence on columns.
    """

    watched: str
    candidate: str
    keys: tuple[str, ...]
    loss: str
    limit: float
    scale: tuple[Any, ...]
    reference: FixedReference
    reference_bounds: tuple[float, float]
    alarm: Alarm
    answers: tuple[Alarm, ...]
    columns: ColumnAlarm
    mean: RunningMean
    lines: tuple[WatchedShard, ...] = ()
    contents: tuple[str, ...] = ()
    told: int = 0
    alarm_began: int = 0
    columns_began: int = 0

    @property
    def untold(self) -> Sequence[WatchedShard]:
        """The newest lines, of which nobody was told yet."""
        return self.lines[self.told :]

    def alarms(self) -> list[tuple[WatchedShard, str]]:
        """The untold lines at which an alarm begins, and what it says."""
        found = []
        for place in range(self.told, len(self.lines)):
            line, before = self.lines[place], self.lines[place - 1]
            said = []
            if line.alarm and not (place > self.alarm_began and before.alarm):
                more = "more" if self.alarm.rises else "less"
                said.append(
                    f"the half models of {self.candidate} disagree {more} than on the rows of the reference"
                    + _if_draws(self.alarm.more.reference.shards)
                )
            if line.alarm_of_columns and not (place > self.columns_began and before.alarm_of_columns):
                said.append(f"the rows are distributed otherwise than those of the reference: {line.columns}")
            if said:
                found.append((line, "; ".join(said)))
        return found

    @property
    def evidence_of_answers(self) -> float:
        """The evidence that the answers are distributed otherwise: the mean of that of all shares."""
        return float(np.mean([alarm.value for alarm in self.answers]))

    def numbers(self) -> dict[str, Any]:
        """The record, for JSON."""
        return {
            "watched": self.watched,
            "candidate": self.candidate,
            "keys": self.keys,
            "loss": self.loss,
            "limit": self.limit,
            "scale": self.scale,
            "reference": self.reference.numbers(),
            "reference_bounds": self.reference_bounds,
            "alarm": _sides(self.alarm),
            "answers": [_sides(alarm) for alarm in self.answers],
            "columns": _shares(self.columns.shares),
            "mean": asdict(self.mean),
            "lines": [asdict(line) for line in self.lines],
            "contents": self.contents,
            "told": self.told,
            "alarm_began": self.alarm_began,
            "columns_began": self.columns_began,
        }

    @classmethod
    def parsed(cls, numbers: Any) -> "WatchRecord":
        """The record that `numbers` gave. Raises KeyError, TypeError or ValueError for one of another version."""
        reference = FixedReference.parsed(numbers["reference"])
        columns = ColumnAlarm(Questions.of(reference.known_rows), _parsed_shares(numbers["columns"]))
        if len(columns.shares.share) != len(columns.questions.questions):
            raise ValueError("other questions")
        return cls(
            watched=numbers["watched"],
            candidate=numbers["candidate"],
            keys=tuple(numbers["keys"]),
            loss=numbers["loss"],
            limit=numbers["limit"],
            scale=tuple(numbers["scale"]),
            reference=reference,
            reference_bounds=tuple(numbers["reference_bounds"]),
            alarm=Alarm(*map(_parsed_side, numbers["alarm"])),
            answers=tuple(Alarm(*map(_parsed_side, sides)) for sides in numbers["answers"]),
            columns=columns,
            mean=RunningMean(**numbers["mean"]),
            lines=tuple(WatchedShard(**line) for line in numbers["lines"]),
            contents=tuple(numbers["contents"]),
            told=numbers["told"],
            alarm_began=numbers["alarm_began"],
            columns_began=numbers["columns_began"],
        )


def _if_draws(shards: int) -> str:
    """For which shards the level of the alarm holds, after a sentence."""
    of = {0: "its shards are", 1: "its one shard is"}.get(shards, f"its {shards} shards are")
    return f", if shards are draws as {of}"


def _sides(alarm: Alarm) -> list[dict[str, Any]]:
    return [_side(alarm.more), _side(alarm.less)]


def _side(side: Side) -> dict[str, Any]:
    reference = asdict(side.reference) | {"means": side.reference.means.tolist(), "logs": side.reference.logs.tolist()}
    staked = None if side.staked is None else side.staked.tolist()
    return {"reference": reference, "shards": side.shards, "staked": staked}


def _parsed_side(numbers: Any) -> Side:
    written, staked = numbers["reference"], numbers["staked"]
    reference = Reference(**{**written, "means": np.array(written["means"]), "logs": np.array(written["logs"])})
    return Side(reference, numbers["shards"], None if staked is None else np.array(staked))


def _shares(alarm: ShareAlarm) -> dict[str, Any]:
    return {name: of.tolist() if isinstance(of, np.ndarray) else of for name, of in vars(alarm).items()}


def _parsed_shares(numbers: Any) -> ShareAlarm:
    values: dict[str, Any] = {name: np.array(of) if isinstance(of, list) else of for name, of in numbers.items()}
    return ShareAlarm(**values)


def check_validated() -> None:
    """Raise UserError unless a validation has left what `watch_shards` needs."""
    for path in (files.LABELED, files.COLUMNS, files.SELECTION):
        files.existing(path)


def watch_shards(
    settings: Settings, champion: Watched | None, named: Sequence[str], *, new_reference: bool = False, since: str = ""
) -> WatchRecord:
    """Read the `named` shards, or all that have no line yet; returns what is known then.

    With `new_reference` the rows of the validated run, or of its shards from `since` on, take the place of the
    reference, and evidence begins again.
    Nothing is written. Raises UserError for shards that cannot be used, and if no half models are stored.
    """
    loss = read_design(settings).loss
    if since and not new_reference:
        raise UserError(f"since: {since!r} names the first shard of a new reference; give new_reference too")
    record = _record(settings, champion, loss, new_reference=new_reference, since=since)
    paths = _unread(record, new_shards.shard_files(settings, named), named=bool(named))
    if not paths:
        return record
    asked = HalfModels.of(settings, record.keys, record.candidate)
    alarm, answers, columns, mean = record.alarm, record.answers, record.columns, record.mean
    lines, contents = list(record.lines), list(record.contents)
    reference = _Answered(record.reference, record.columns.questions)
    for path, (frame, report) in zip(paths, new_shards.checked(settings, paths, named=bool(named)), strict=True):
        of_reference = record.reference.holds(path)
        if not of_reference and (frame is not None or settings.data.on_bad_shard == "skip"):
            _warn(report)
        if frame is None:
            continue
        disagreement = asked.by_row(frame, loss, str(path))
        shares = np.minimum(disagreement / record.limit, 1)
        if of_reference:
            low, high = record.reference_bounds
        else:
            alarm, mean, columns = alarm.after(shares), mean.after(shares), columns.after(frame)
            given = asked.answers_by_row(frame, loss, record.scale, str(path)).T
            answers = tuple(one.after(of) for one, of in zip(answers, given, strict=True))
            low, high = mean.bounds(settings.selection.level)
        otherwise = columns.raised(settings.operations.false_alarm)
        lines.append(
            WatchedShard(
                shown_name(path),
                len(shares),
                float(disagreement.mean()),
                low * record.limit,
                high * record.limit,
                alarm.value,
                alarm.raised(settings.operations.false_alarm),
                columns.value,
                otherwise,
                _words(columns, reference, frame) if otherwise else "",
            )
        )
        contents.append(files.file_hash(path))
    lines_, contents_ = tuple(lines), tuple(contents)
    return replace(record, alarm=alarm, answers=answers, columns=columns, mean=mean, lines=lines_, contents=contents_)


@dataclass(frozen=True)
class _Answered:
    """The rows of the reference, and their answers, which are computed once for all shards with an alarm."""

    reference: FixedReference
    questions: Questions

    @cached_property
    def rows(self) -> pd.DataFrame:
        return self.reference.rows

    @cached_property
    def answers(self) -> tuple[Losses, Losses]:
        return self.questions.answers(self.rows)


def _words(columns: ColumnAlarm, reference: _Answered, frame: pd.DataFrame) -> str:
    """What is distributed otherwise in a shard: by each subject that holds the capital, the most first."""
    places = [place for *_, place in columns.carriers()]
    words = columns.questions.words(places, reference.rows, frame, reference.answers)
    return watch_files.harmless("; ".join(words))


def write(record: WatchRecord) -> None:
    """Write the record: first the reference's rows, without which it is nothing, and last the table."""
    record.reference.write()
    watch_files.write(record.numbers(), record.lines)
    watch_files.remove_other_references(record.reference.content)


def _record(
    settings: Settings, champion: Watched | None, loss: Loss, *, new_reference: bool, since: str
) -> WatchRecord:
    """The record that goes on, or a new one of the same lines.

    For another champion evidence on half models begins again, on the same reference; for a new reference all does.
    """
    known = stored()
    kept = None if new_reference else known
    if kept is not None:
        kept.reference.check_columns()
    if champion is not None and kept is not None and kept.watched == champion.version:
        if kept.loss == _comparing(loss).name and half_models.are_stored(kept.keys):
            return kept
        log.warning("watch: %s has another loss, or its half models are removed: evidence begins again", kept.watched)
    candidate = _candidate(settings, champion)
    keys = half_models.keys_of(settings, candidate)
    watched = f"validated {digests.content_hash(keys)[:16]}" if champion is None else champion.version
    if kept is not None and kept.watched == watched and kept.keys == keys:
        return kept
    reference = FixedReference.of_validated_run(since) if kept is None else kept.reference
    columns = ColumnAlarm.of(reference.known_rows, reference.of_shards()) if kept is None else kept.columns
    new = _begun(settings, watched, candidate.name, keys, loss, reference, columns)
    if known is None:
        return new
    began = len(known.lines)
    return replace(
        new,
        lines=known.lines,
        contents=known.contents,
        told=known.told,
        alarm_began=began,
        columns_began=began if kept is None else kept.columns_began,
    )


def stored() -> WatchRecord | None:
    """The record that was written last, if there is one. Raises UserError for one that cannot be used."""
    stored = watch_files.read_state()
    try:
        return None if stored is None else WatchRecord.parsed(stored)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{watch_files.STATE} is no record of this version ({error!r}); remove {watch_files.TABLE} to begin again"
        ) from None


def _comparing(loss: Loss) -> Loss:
    return loss.disagreement_loss or loss


def _candidate(settings: Settings, champion: Watched | None) -> Candidate:
    """The candidate whose half models are compared: the champion's learner, or without a champion the last winner.

    Raises UserError if it is not among the candidates.
    """
    winner = files.read_json(files.SELECTION)["selected"]
    for candidate in settings.candidates:
        if candidate.name == winner if champion is None else learner_id(candidate) == champion.learner:
            return candidate
    who = f"{winner}, the winner of {files.SELECTION}" if champion is None else f"the learner of {champion.version}"
    raise UserError(f"candidates: {who} is not among them, so it has no half models; add it, and run the validation")


def _begun(
    settings: Settings,
    watched: str,
    candidate: str,
    keys: tuple[str, ...],
    loss: Loss,
    reference: FixedReference,
    columns: ColumnAlarm,
) -> WatchRecord:
    """A record without a line, for half models that are asked about the rows of the reference."""
    asked = HalfModels.of(settings, keys, candidate)
    scale = scale_of(loss, files.read_target(files.LABELED))
    limit = _comparing(loss).limit if _comparing(loss).bounded else limit_of(loss, candidate)
    shards = reference.of_shards()
    shares = [np.minimum(asked.by_row(shard, loss, _REFERENCE) / limit, 1) for shard in shards]
    of_answers = [asked.answers_by_row(shard, loss, scale, _REFERENCE) for shard in shards]
    alarm = Alarm.of(shares)
    answers = tuple(Alarm.of([of[:, place] for of in of_answers]) for place in range(of_answers[0].shape[1]))
    mean = RunningMean(alarm.more.reference.mean, alarm.more.reference.correlation)
    return WatchRecord(
        watched=watched,
        candidate=candidate,
        keys=keys,
        loss=_comparing(loss).name,
        limit=limit,
        scale=tuple(scale),
        reference=reference,
        reference_bounds=_bounds(mean, shares, settings.selection.level),
        alarm=alarm,
        answers=answers,
        columns=columns,
        mean=mean,
    )


def _warn(report: ShardReport) -> None:
    """A line on what was found in the shard: of many notes the first, `prepare` has them all."""
    first, more = report.notes[:1], len(report.notes) - 1
    for message in unlabeled.messages([replace(report, notes=first)]):
        log.warning("watch: %s%s", printable(message), f"; and {more} more notes of this kind" * (more > 0))


def _bounds(mean: RunningMean, shares: Sequence[Losses], level: float) -> tuple[float, float]:
    for of_shard in shares:
        mean = mean.after(of_shard)
    return mean.bounds(level)


def _unread(record: WatchRecord, paths: Sequence[Path], *, named: bool) -> list[Path]:
    """The files without a line: by their names alone, or, where the user names them, by their content too."""
    if not named:
        known = {line.shard for line in record.lines}
        return [path for path in paths if shown_name(path) not in known]
    read = set(zip((line.shard for line in record.lines), record.contents, strict=True))
    return [path for path in paths if not path.is_file() or (shown_name(path), files.file_hash(path)) not in read]
