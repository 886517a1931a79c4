"""Disagreement of the half models on the unlabelled shards: blocks of repeats by batches of shards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet

from tasks.fits import worker
from tasks.fits.executor import Work
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import check_not_all_failed, first_reasons
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.plans.units import Compared, Finished
from tasks.storage import files, fit_cache

_REPEATS_A_PIECE = 10  # added repeats leave earlier pieces as they are
_ROWS_A_BATCH = 50_000  # a worker holds one batch; a larger shard is a batch alone
_ANSWERS_A_TASK = 1_000_000
_COLUMNS = ["candidate", "shard", "repeat", "rows", "disagreement"]
_ROW_COLUMNS = ["candidate", "shard", "rows", "mean", "variance"]


@dataclass(frozen=True)
class Batch:
    """Consecutive shards that are read together: the number of the first shard, and the rows of each."""

    first: int
    shards: tuple[Path, ...]
    rows: tuple[int, ...]


def disagree_all(settings: Settings, halves: Mapping[str, Finished]) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The margins of each candidate's disagreement on each shard, and the candidates that failed.

    The table `disagreement` has the mean of each repeat over a shard's rows; `disagreement_rows` the mean
    and the variance (divisor n) of a shard's rows' means over the repeats. One batch is in memory at a time.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    loss = read_design(settings).loss
    # without a disagreement for the loss the tables are empty, as without shards
    batches = batches_of(files.shards()) if loss.disagreement_loss is not None else []
    versions = {path: files.file_hash(path) for batch in batches for path in batch.shards}
    compared: list[tuple[str, Batch, list[Compared]]] = []
    todo: list[Work] = []
    candidates: list[str] = []  # of each task
    reused = 0
    for candidate, finished in halves.items():
        for number, batch in enumerate(batches):
            pieces = _pieces(finished.keys, [versions[path] for path in batch.shards])
            compared.append((candidate, batch, pieces))
            for group in _grouped(pieces, sum(batch.rows)):
                missing = [piece for piece in group if not fit_cache.has(piece.key)]
                if missing:
                    name = f"batch {number + 1}/{len(batches)} of shards · {_label(missing)} · {candidate}"
                    todo.append(Work(name, (settings, batch.shards, missing, loss), ()))
                    candidates.append(candidate)
                else:
                    reused += 1
    reasons = run_all(settings, "disagreement", worker.disagree, todo, reused)
    failures = first_reasons(candidates, reasons)
    check_not_all_failed(settings, failures)
    margins = [_margins(candidate, batch, pieces) for candidate, batch, pieces in compared if candidate not in failures]
    return {
        "disagreement": _stack([line for lines, _ in margins for line in lines], _COLUMNS),
        "disagreement_rows": _stack([line for _, lines in margins for line in lines], _ROW_COLUMNS),
    }, failures


def batches_of(shards: Sequence[Path]) -> list[Batch]:
    """The shards in order; short shards are joined into batches."""
    batches: list[Batch] = []
    for number, path in enumerate(shards):
        rows = pyarrow.parquet.read_metadata(path).num_rows
        last = batches[-1] if batches else None
        if last is not None and sum(last.rows) + rows <= _ROWS_A_BATCH:
            batches[-1] = Batch(last.first, (*last.shards, path), (*last.rows, rows))
        else:
            batches.append(Batch(number, (path,), (rows,)))
    return batches


def _pieces(keys: Sequence[str], versions: Sequence[str]) -> list[Compared]:
    """The blocks of repeats of half models `keys`, on shards of these versions."""
    blocks = [tuple(keys[first : first + 2 * _REPEATS_A_PIECE]) for first in range(0, len(keys), 2 * _REPEATS_A_PIECE)]
    return [
        Compared(number * _REPEATS_A_PIECE, block, fit_cache.key("disagreement", block, versions))
        for number, block in enumerate(blocks)
    ]


def _grouped(pieces: Sequence[Compared], rows: int) -> Iterator[Sequence[Compared]]:
    """The pieces of one batch, grouped into tasks: short pieces together."""
    size = max(1, _ANSWERS_A_TASK // max(1, rows * 2 * _REPEATS_A_PIECE))
    for first in range(0, len(pieces), size):
        yield pieces[first : first + size]


def _label(pieces: Sequence[Compared]) -> str:
    return f"repeats {pieces[0].first + 1}-{pieces[-1].first + len(pieces[-1].halves) // 2}"


def _margins(candidate: str, batch: Batch, pieces: Sequence[Compared]) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """The lines of both tables of one batch."""
    stored = [fit_cache.load(piece.key) for piece in pieces]
    means = np.concatenate([of_pairs for of_pairs, _ in stored])  # (repeats, shards)
    by_row = np.sum([of_rows for _, of_rows in stored], axis=0) / len(means)
    ends = np.cumsum(batch.rows)
    of_repeats, of_rows = [], []
    for place, (rows, end) in enumerate(zip(batch.rows, ends, strict=True)):
        shard, of_shard = batch.first + place, by_row[end - rows : end]
        values: tuple[Any, ...] = (candidate, shard, np.arange(len(means)), rows, means[:, place])
        of_repeats.append(pd.DataFrame(dict(zip(_COLUMNS, values, strict=True))))
        values = (candidate, shard, rows, of_shard.mean(), of_shard.var())
        of_rows.append(pd.DataFrame([values], columns=_ROW_COLUMNS))
    return of_repeats, of_rows


def _stack(tables: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
