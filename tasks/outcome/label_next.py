"""The unlabelled rows most worth a label: drawn where the winner's half models disagree, with known probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import TaskFailed
from heldout.fits.specs import CompareSpec, hypothesis_key
from heldout.losses import Loss, Losses
from heldout.unlabelled import label_next
from tasks.data import prepare_tables
from tasks.data.drawn_rows import COLUMNS, ID, ORDER, POOL, PROBABILITY
from tasks.data.prepare_tables import Prepared
from tasks.fits import worker
from tasks.fits.executor import local
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.shard_batches import batches_of, pieces_of
from tasks.plans.units import HalfPairs, Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, fit_cache


@dataclass(frozen=True, eq=False)
class Asked:
    """The rows to label, in the order of their draws, after `before` draws that have a label; `pool` is N.

    `table` has the columns of `tasks.data.drawn_rows`, the target, which is empty, and the features.
    """

    table: pd.DataFrame
    pool: int
    before: int
    candidate: str


@dataclass(frozen=True, eq=False)
class _Shard:
    """A prepared shard: the name and the row numbers of its rows where the user has them, and which may be drawn."""

    path: Path
    name: str
    numbers: NDArray[np.intp]
    is_open: NDArray[np.bool_]


def ask(settings: Settings, count: int) -> Asked:
    """Draw `count` rows that have no label and were not labelled after an earlier draw.

    The same parameters, files and labels give the same rows. Raises UserError where no whole run with them is there.
    """
    if settings.data.time is not None:
        raise UserError(
            f"data.time is {settings.data.time!r}: label-next draws rows of one population, and rows in time are not; "
            "label the latest rows instead"
        )
    candidate = _winner(settings)
    prepared = _same_prepared(settings)
    shards = _shards(settings, prepared)
    is_open = np.concatenate([shard.is_open for shard in shards]) if shards else np.zeros(0, np.bool_)
    if not 1 <= count <= is_open.sum():
        raise UserError(
            f"N is {count}, but it must lie between 1 and {is_open.sum()}, the number of unlabelled rows that were not "
            "labelled yet" + ("" if shards else "; set data.unlabeled, or leave the target empty in some rows")
        )
    before, target = len(prepared.drawn), settings.data.target or files.TARGET
    scores = np.concatenate(_disagreement(settings, candidate, [shard.path for shard in shards]))
    rng = np.random.default_rng(seeds.child(settings.seed, "labels", before))
    places, probability = label_next.draw(scores[is_open], count, rng)
    pool = int(is_open.sum()) + before
    drawn: dict[str, Any] = {ORDER: before + 1 + np.arange(count), POOL: pool, PROBABILITY: probability}
    table = _rows(shards, np.flatnonzero(is_open)[places]).assign(**drawn, **{target: None})
    first = [*COLUMNS, target]
    return Asked(table[[*first, *table.columns.drop(first)]], pool, before, candidate.name)


def _winner(settings: Settings) -> Candidate:
    selected = files.read_json(files.SELECTION)["selected"]
    for candidate in settings.candidates:
        if candidate.name == selected:
            return candidate
    raise UserError(f"{files.SELECTION}: {selected!r} was selected, which is no candidate; run `{COMMAND} validate`")


def _same_prepared(settings: Settings) -> Prepared:
    """The table as `prepare` read it. Raises UserError if data/prepared was made of another table, or otherwise."""
    prepared = prepare_tables.prepare(settings)
    known, sources = files.read_json(files.SEEN_ROWS), len(prepared.places.shards)
    if known != prepared.seen.texts() or (sources and sources != len(files.shards())):
        raise UserError(
            f"{files.PREPARED} is not that of {settings.data.source} and these parameters; run "
            f"`{COMMAND} validate` first, so that the models know all labels"
        )
    return prepared


def _shards(settings: Settings, prepared: Prepared) -> list[_Shard]:
    """The prepared shards, and which rows may be drawn."""
    if prepared.places.shards:
        name = Path(settings.data.source.rpartition(":")[2]).stem
        named = [(name, rows) for rows in prepared.places.shards]
    else:
        used = [report for report in files.read_shard_reports() if report.bad is None]
        paths = [Path(str(report.file)) for report in used]
        unique = len({path.stem for path in paths}) == len(paths)
        names = [path.stem if unique else path.as_posix() for path in paths]
        named = [(name, np.arange(report.rows or 0)) for name, report in zip(names, used, strict=True)]
    labelled: dict[str, set[int]] = {}
    for name, _, number in (written.rpartition(":") for written in prepared.drawn.get(ID, ())):
        if number.isdecimal():
            labelled.setdefault(name, set()).add(int(number))
    shards = []
    for path, (name, numbers) in zip(files.shards(), named, strict=True):
        is_open = ~np.isin(numbers, [*labelled.get(name, ())])
        if prepared.places.shards:
            is_open &= ~np.isin(numbers, prepared.places.with_label)
        shards.append(_Shard(path, name, numbers, is_open))
    return shards


def _disagreement(settings: Settings, candidate: Candidate, shards: Sequence[Path]) -> list[Losses]:
    """How far the half models differ at each row of each shard, the mean over the repeats."""
    design = read_design(settings)
    if design.loss.disagreement_loss is None:
        raise UserError(f"label-next asks where half models disagree, but {design.loss.no_bound}")
    plan = scheme(design, "covalidation", settings.deliver)
    alone = settings.model_copy(update={"candidates": [candidate]})
    ((_, units),) = plan_units(alone, plan, Versions.current())
    keys = tuple(unit.key for unit in units)
    if missing := [key for key in keys if not fit_cache.store.has(hypothesis_key(key))]:
        raise UserError(
            f"{len(missing)} of the {len(keys)} half models of {candidate.name} are not stored below "
            f"{fit_cache.FOLDER}; run `{COMMAND} validate` first"
        )
    return [rows for batch in batches_of(shards) for rows in _of_batch(settings, batch, keys, design.loss)]


def _of_batch(settings: Settings, batch: Any, keys: tuple[str, ...], loss: Loss) -> list[Losses]:
    """What co-validation stored, or would have."""
    pieces = pieces_of(keys, [files.file_hash(path) for path in batch.shards])
    lacking = [piece for piece in pieces if not fit_cache.store.has(piece.key)]
    if lacking and (reason := _compare(settings, batch, lacking, loss)) is not None:
        raise UserError(f"the half models do not answer: {reason}")
    sums = np.sum([fit_cache.store.load(piece.key)[1] for piece in pieces], axis=0, dtype=np.float64)
    return np.split(sums / (len(keys) // 2), np.cumsum(batch.rows)[:-1])


def _compare(settings: Settings, batch: Any, pieces: Sequence[HalfPairs[CompareSpec]], loss: Loss) -> str | None:
    """Compare the half models in a worker, which may die on it; the reason, if they do not answer."""
    task = local(settings.execution).submit(worker.disagree, settings, batch.shards, pieces, loss)
    try:
        reason: str | None = task.result()
    except TaskFailed as failure:
        return str(failure)
    return reason


def _rows(shards: Sequence[_Shard], wanted: NDArray[np.intp]) -> pd.DataFrame:
    """The id and the features of the rows at these places of all shards together, in this order."""
    ends = np.cumsum([len(shard.numbers) for shard in shards])
    of_shard = np.searchsorted(ends, wanted, side="right")
    parts = []
    for number in np.unique(of_shard):
        shard, order = shards[number], np.flatnonzero(of_shard == number)
        within = wanted[order] - (ends[number] - len(shard.numbers))
        features = files.read_shard(shard.path).iloc[within].set_axis(order)
        ids = pd.Series([f"{shard.name}:{row}" for row in shard.numbers[within]], index=order, name=ID)
        parts.append(pd.concat([ids, features], axis=1))
    table: pd.DataFrame = pd.concat(parts).sort_index()
    return table
