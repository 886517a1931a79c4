"""Disagreement of the half models on the unlabelled shards: blocks of repeats by batches of shards."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from heldout.losses import Losses
from heldout.unlabelled.disagreement import ShardMargins
from tasks.fits import failed_candidates, worker
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import check_not_all_failed, first_reasons
from tasks.fits.work import Work
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.plans.shard_batches import REPEATS_A_PIECE, Batch, batches_of, pieces_of
from tasks.plans.units import Finished, HalfPairs
from tasks.storage import files, fit_cache

_ANSWERS_A_TASK = 1_000_000
_COLUMNS = ["candidate", "shard", "repeat", "rows", "disagreement"]
_ROW_COLUMNS = ["candidate", "shard", "rows", "mean", "variance"]
_LARGEST_COLUMNS = ["candidate", "shard", "row", "disagreement"]
MOST_ROWS = 100  # of each candidate whose disagreement is kept


def disagree_all(settings: Settings, halves: Mapping[str, Finished]) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The margins of each candidate's disagreement on each shard, and the candidates that failed.

    The table `disagreement` has the mean of each repeat over the rows of a shard; `disagreement_rows` the mean and the
    variance (divisor n) over the rows of a shard, of each row's mean over the repeats; `largest_disagreement` the rows
    of all shards with the largest mean, at most `MOST_ROWS` and none of mean 0. Memory is that of one batch.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    loss = read_design(settings).loss
    batches = batches_of(files.shards())
    versions = {path: files.file_hash(path) for batch in batches for path in batch.shards}
    compared: list[tuple[str, Batch, list[HalfPairs]]] = []
    todo: list[Work] = []
    candidates: list[str] = []  # of each task
    owners = {one.name: failed_candidates.key(settings, one) for one in settings.candidates if one.name in halves}
    reused = 0
    for number, batch in enumerate(batches):  # of all candidates together: a worker reads the shards once
        for candidate, finished in halves.items():
            pieces = pieces_of(finished.keys, [versions[path] for path in batch.shards])
            compared.append((candidate, batch, pieces))
            for some in _grouped(pieces, sum(batch.rows)):
                missing = [piece for piece in some if not fit_cache.has(piece.key)]
                if missing:
                    name = f"batch {number + 1}/{len(batches)} of shards · {_label(missing)} · {candidate}"
                    keys = tuple(piece.key for piece in missing)
                    arguments = (settings, batch.shards, missing, loss)
                    todo.append(Work(name, arguments, keys, candidate=owners[candidate]))
                    candidates.append(candidate)
                else:
                    reused += 1
    reasons = run_all(settings.execution, "disagreement", worker.disagree, todo, reused)
    failures = first_reasons(candidates, reasons)
    check_not_all_failed(settings, failures)
    order = [name for name in halves if name not in failures]
    margins = [_margins(*of_batch) for name in order for of_batch in compared if of_batch[0] == name]
    largest = _stack([largest for _, _, largest in margins], _LARGEST_COLUMNS)
    largest = largest.sort_values("disagreement", ascending=False, kind="stable").groupby("candidate").head(MOST_ROWS)
    return {
        "disagreement": _stack([of_repeats for of_repeats, _, _ in margins], _COLUMNS),
        "disagreement_rows": _stack([of_rows for _, of_rows, _ in margins], _ROW_COLUMNS),
        "largest_disagreement": largest.reset_index(drop=True),
    }, failures


def _grouped(pieces: Sequence[HalfPairs], rows: int) -> Iterator[Sequence[HalfPairs]]:
    """The pieces of one batch, a task each or together where they are short."""
    size = max(1, _ANSWERS_A_TASK // max(1, rows * 2 * REPEATS_A_PIECE))
    for first in range(0, len(pieces), size):
        yield pieces[first : first + size]


def _label(pieces: Sequence[HalfPairs]) -> str:
    return f"repeats {pieces[0].first + 1}-{pieces[-1].first + len(pieces[-1].halves) // 2}"


def _margins(candidate: str, batch: Batch, pieces: Sequence[HalfPairs]) -> tuple[pd.DataFrame, ...]:
    """The lines of the three tables of one batch."""
    stored = [fit_cache.load(piece.key) for piece in pieces]
    by_repeat = np.concatenate([of_pairs for of_pairs, _ in stored])  # (repeats, shards)
    sums = np.sum([of_rows for _, of_rows in stored], axis=0)
    margins = ShardMargins.of(by_repeat, sums, batch.rows)
    repeats, shards = by_repeat.shape
    shard, rows = batch.first + np.arange(shards), np.array(batch.rows)
    of_repeats: tuple[Any, ...] = (
        candidate,
        np.repeat(shard, repeats),
        np.tile(np.arange(repeats), shards),
        np.repeat(rows, repeats),
        margins.by_repeat.T.ravel(),
    )
    of_rows: tuple[Any, ...] = (candidate, shard, rows, margins.means, margins.variances)
    return (
        pd.DataFrame(dict(zip(_COLUMNS, of_repeats, strict=True))),
        pd.DataFrame(dict(zip(_ROW_COLUMNS, of_rows, strict=True))),
        _largest(candidate, batch, sums / repeats),
    )


def _largest(candidate: str, batch: Batch, by_row: Losses) -> pd.DataFrame:
    """The rows of one batch with the largest disagreement; ties in their order."""
    places = np.argsort(-by_row, kind="stable")[:MOST_ROWS]
    places = places[by_row[places] > 0]
    ends = np.cumsum(batch.rows)
    shard = np.searchsorted(ends, places, side="right")
    row = places - (ends - batch.rows)[shard]
    values: tuple[Any, ...] = (candidate, batch.first + shard, row, by_row[places])
    return pd.DataFrame(dict(zip(_LARGEST_COLUMNS, values, strict=True)))


def _stack(tables: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
