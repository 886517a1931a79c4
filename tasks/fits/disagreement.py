"""Disagreement of the half models on the unlabelled shards: blocks of repeats by batches of shards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet

from heldout.disagreement import ShardMargins
from tasks.fits import worker
from tasks.fits.executor import Work
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import check_not_all_failed, first_reasons
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.plans.units import Compared, Finished
from tasks.storage import files, fit_cache

_REPEATS_A_PIECE = 10  # so that added repeats leave the earlier repeats alone
_ROWS_A_BATCH = 50_000  # that a worker holds at once; a larger shard is a batch of its own
_ANSWERS_A_TASK = 1_000_000
_COLUMNS = ["candidate", "shard", "repeat", "rows", "disagreement"]
_ROW_COLUMNS = ["candidate", "shard", "rows", "mean", "variance"]


@dataclass(frozen=True)
class Batch:
    """Consecutive shards that are read together: the number of the first one, and the rows of each."""

    first: int
    shards: tuple[Path, ...]
    rows: tuple[int, ...]


def disagree_all(settings: Settings, halves: Mapping[str, Finished]) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The margins of each candidate's disagreement on each shard, and the candidates that failed.

    The table `disagreement` has the mean of each repeat over the rows of a shard; `disagreement_rows` the mean and the
    variance (divisor n) over the rows of a shard, of each row's mean over the repeats. Memory is that of one batch.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    loss = read_design(settings).loss
    batches = batches_of(files.shards())
    versions = {path: files.file_hash(path) for batch in batches for path in batch.shards}
    compared: list[tuple[str, Batch, list[Compared]]] = []
    todo: list[Work] = []
    candidates: list[str] = []  # of each task
    reused = 0
    for candidate, finished in halves.items():
        for number, batch in enumerate(batches):
            pieces = pieces_of(finished.keys, [versions[path] for path in batch.shards])
            compared.append((candidate, batch, pieces))
            for some in _grouped(pieces, sum(batch.rows)):
                missing = [piece for piece in some if not fit_cache.has(piece.key)]
                if missing:
                    name = f"batch {number + 1}/{len(batches)} of shards · {_label(missing)} · {candidate}"
                    todo.append(Work(name, (settings, batch.shards, missing, loss), ()))
                    candidates.append(candidate)
                else:
                    reused += 1
    reasons = run_all(settings, "disagreement", worker.disagree, todo, reused)
    failures = first_reasons(candidates, reasons)
    check_not_all_failed(settings, failures)
    margins = [_margins(*of_batch) for of_batch in compared if of_batch[0] not in failures]
    return {
        "disagreement": _stack([line for lines, _ in margins for line in lines], _COLUMNS),
        "disagreement_rows": _stack([line for _, lines in margins for line in lines], _ROW_COLUMNS),
    }, failures


def batches_of(shards: Sequence[Path]) -> list[Batch]:
    """The shards in order, as many together as have few rows."""
    batches: list[Batch] = []
    for number, path in enumerate(shards):
        rows = pyarrow.parquet.read_metadata(path).num_rows
        last = batches[-1] if batches else None
        if last is not None and sum(last.rows) + rows <= _ROWS_A_BATCH:
            batches[-1] = Batch(last.first, (*last.shards, path), (*last.rows, rows))
        else:
            batches.append(Batch(number, (path,), (rows,)))
    return batches


def pieces_of(keys: Sequence[str], versions: Sequence[str]) -> list[Compared]:
    """The blocks of repeats of half models `keys`, on shards of these versions."""
    blocks = [tuple(keys[first : first + 2 * _REPEATS_A_PIECE]) for first in range(0, len(keys), 2 * _REPEATS_A_PIECE)]
    return [
        Compared(number * _REPEATS_A_PIECE, block, fit_cache.key("disagreement", block, versions))
        for number, block in enumerate(blocks)
    ]


def _grouped(pieces: Sequence[Compared], rows: int) -> Iterator[Sequence[Compared]]:
    """The pieces of one batch, a task each or together where they are short."""
    size = max(1, _ANSWERS_A_TASK // max(1, rows * 2 * _REPEATS_A_PIECE))
    for first in range(0, len(pieces), size):
        yield pieces[first : first + size]


def _label(pieces: Sequence[Compared]) -> str:
    return f"repeats {pieces[0].first + 1}-{pieces[-1].first + len(pieces[-1].halves) // 2}"


def _margins(candidate: str, batch: Batch, pieces: Sequence[Compared]) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """The lines of both tables of one batch."""
    stored = [fit_cache.load(piece.key) for piece in pieces]
    by_repeat = np.concatenate([of_pairs for of_pairs, _ in stored])  # (repeats, shards)
    margins = ShardMargins.of(by_repeat, np.sum([of_rows for _, of_rows in stored], axis=0), batch.rows)
    of_repeats, of_rows = [], []
    for place, rows in enumerate(batch.rows):
        shard = batch.first + place
        values: tuple[Any, ...] = (candidate, shard, np.arange(len(by_repeat)), rows, margins.by_repeat[:, place])
        of_repeats.append(pd.DataFrame(dict(zip(_COLUMNS, values, strict=True))))
        values = (candidate, shard, rows, margins.means[place], margins.variances[place])
        of_rows.append(pd.DataFrame([values], columns=_ROW_COLUMNS))
    return of_repeats, of_rows


def _stack(tables: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
