"""Disagreement of the half models on the unlabelled shards: blocks of repeats by batches of shards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from heldout.fits.specs import CompareSpec
from heldout.losses import Loss, Losses
from heldout.losses.tested_losses import ShardMargins
from heldout.running.stored_fits import Finished
from tasks.fits import failed_candidates, worker
from tasks.fits.executor import worker_count
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import first_reasons
from tasks.fits.work import Work
from tasks.params import Settings
from tasks.plans.shard_batches import Batch, batches_of, pieces_of
from tasks.plans.task_sizes import TaskSizes
from tasks.plans.units import HalfPairs
from tasks.storage import files, fit_cache

_ANSWERS_A_SECOND = 1_000_000  # of a slow learner
_LARGEST_COLUMNS = ["candidate", "shard", "row", "disagreement"]
MOST_ROWS = 100  # of each candidate whose disagreement is kept


def disagree_all(
    settings: Settings, loss: Loss, halves: Mapping[str, Finished]
) -> tuple[dict[str, ShardMargins], pd.DataFrame, dict[str, str]]:
    """How far the half models of each candidate disagree on each shard, and the reason of each candidate that failed.

    The table between them has the rows of all shards with the largest mean over the repeats: at most `MOST_ROWS` of a
    candidate, and none of mean 0. Memory is that of one batch.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    batches = batches_of(files.shards())
    versions = {path: files.file_hash(path) for batch in batches for path in batch.shards}
    compared = {
        name: [
            _Compared(number, batch, pieces_of(finished.keys, [versions[path] for path in batch.shards]))
            for number, batch in enumerate(batches)
        ]
        for name, finished in halves.items()
    }
    by_name = {candidate.name: candidate for candidate in settings.candidates}
    all_seconds = sum(one.seconds for of in compared.values() for one in of)
    sizes = TaskSizes(all_seconds, worker_count(settings.execution))
    tasks: list[tuple[int, str, Work]] = []  # with the first batch, and the candidate, of each
    reused = 0
    for name, of_candidate in compared.items():
        for some in _grouped(of_candidate, sizes):
            missing = [lacking for one in some if (lacking := one.lacking()).pieces]
            if missing:
                label = f"{_label(missing, len(batches))} · {name}"
                keys = tuple(piece.key for one in missing for piece in one.pieces)
                on = [(one.batch.shards, one.pieces) for one in missing]
                arguments = (settings.with_only(by_name[name]), on, loss)
                owner = failed_candidates.key(settings, by_name[name])
                tasks.append(
                    (missing[0].number, name, Work(label, worker.disagree_on, arguments, keys, candidate=owner))
                )
            else:
                reused += 1
    tasks.sort(key=lambda task: task[0])  # those of a batch together: a worker reads the shards once
    reasons = run_all(settings.execution, "disagreement", [work for *_, work in tasks], reused)
    failures = first_reasons([name for _, name, _ in tasks], reasons)
    order = [name for name in halves if name not in failures]
    margins: dict[str, ShardMargins] = {}
    largest: list[pd.DataFrame] = []
    for name in order if batches else ():
        parts, rows = zip(*(_margins(name, one.batch, one.pieces) for one in compared[name]), strict=True)
        margins[name] = ShardMargins.joined(parts)
        of_candidate = pd.concat(rows).sort_values("disagreement", ascending=False, kind="stable")
        largest.append(of_candidate.head(MOST_ROWS))
    table = pd.concat(largest, ignore_index=True) if largest else pd.DataFrame(columns=_LARGEST_COLUMNS)
    return margins, table, failures


@dataclass(frozen=True)
class _Compared:
    """Blocks of pairs of half models on a batch of shards, and the number of the batch."""

    number: int
    batch: Batch
    pieces: Sequence[HalfPairs[CompareSpec]]

    @property
    def seconds(self) -> float:
        """What the comparison may take: nobody has measured it."""
        return sum(self.batch.rows) * sum(len(piece.halves) for piece in self.pieces) / _ANSWERS_A_SECOND

    def lacking(self) -> "_Compared":
        """Those that are not stored."""
        return replace(self, pieces=[piece for piece in self.pieces if not fit_cache.store.has(piece.key)])


def _grouped(compared: Sequence[_Compared], sizes: TaskSizes) -> Iterator[Sequence[_Compared]]:
    """The comparisons of a candidate as tasks: some batches each, or a part of the blocks of one batch."""
    first = 0
    while first < len(compared):
        one = compared[first]
        of_batch = len(one.pieces)
        size = sizes.take(one.seconds / of_batch, of_batch * (len(compared) - first))
        batches = max(1, size // of_batch)
        if batches > 1:
            yield compared[first : first + batches]
        else:
            for place in range(0, of_batch, size):
                yield [replace(one, pieces=one.pieces[place : place + size])]
        first += batches


def _label(compared: Sequence[_Compared], count: int) -> str:
    first, last = compared[0], compared[-1]
    numbers = f"batch {first.number + 1}" if first is last else f"batches {first.number + 1}-{last.number + 1}"
    repeats = f"{first.pieces[0].first + 1}-{last.pieces[-1].first + len(last.pieces[-1].halves) // 2}"
    return f"{numbers}/{count} of shards · repeats {repeats}"


def _margins(
    candidate: str, batch: Batch, pieces: Sequence[HalfPairs[CompareSpec]]
) -> tuple[ShardMargins, pd.DataFrame]:
    """Those of the shards of one batch, and its rows with the largest disagreement."""
    stored = [fit_cache.store.load(piece.key) for piece in pieces]
    by_repeat = np.concatenate([of_pairs for of_pairs, _ in stored])  # (repeats, shards)
    sums = np.sum([of_rows for _, of_rows in stored], axis=0)
    return ShardMargins.of(by_repeat, sums, batch.rows), _largest(candidate, batch, sums / len(by_repeat))


def _largest(candidate: str, batch: Batch, by_row: Losses) -> pd.DataFrame:
    """The rows of one batch with the largest disagreement; ties in their order."""
    places = np.argsort(-by_row, kind="stable")[:MOST_ROWS]
    places = places[by_row[places] > 0]
    ends = np.cumsum(batch.rows)
    shard = np.searchsorted(ends, places, side="right")
    row = places - (ends - batch.rows)[shard]
    values: tuple[Any, ...] = (candidate, batch.first + shard, row, by_row[places])
    return pd.DataFrame(dict(zip(_LARGEST_COLUMNS, values, strict=True)))
