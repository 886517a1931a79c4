"""Disagreement of the half models on the unlabelled shards: one task a candidate, block of repeats and shard."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from heldout.losses import natural_loss
from tasks import cache, files, worker
from tasks.execution import run_all
from tasks.fit import check_not_all_failed, first_reasons
from tasks.params import Settings
from tasks.schemes import REPEATS_A_TASK
from tasks.worker import Finished

_VERSION = ("disagreement", 2)
_COLUMNS = ["candidate", "shard", "repeat", "rows", "disagreement"]
_ROW_COLUMNS = ["candidate", "shard", "rows", "mean", "variance"]


def disagree_all(settings: Settings, halves: Mapping[str, Finished]) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The margins of each candidate's disagreement on each shard, and the candidates that failed.

    The table `disagreement` has the mean of each repeat over a shard's rows; `disagreement_rows` the mean
    and the variance (divisor n) of a shard's rows' means over the repeats: memory is that of one shard.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    y = files.read_target(files.LABELED)
    loss = natural_loss(y).name
    shards = [(path, files.file_hash(path)) for path in files.shards()]
    pieces: list[tuple[str, int, int, str]] = []  # candidate, shard, first repeat, key
    todo: list[tuple[str, tuple[Any, ...]]] = []
    for candidate, finished in halves.items():
        for first in range(0, len(finished.keys) // 2, REPEATS_A_TASK):
            keys = finished.keys[2 * first : 2 * (first + REPEATS_A_TASK)]
            for number, (path, version) in enumerate(shards):
                key = cache.key(_VERSION, keys, version)
                pieces.append((candidate, number, first, key))
                if not cache.has(key):
                    last = first + len(keys) // 2
                    name = f"shard {number + 1}/{len(shards)} · repeats {first + 1}-{last} · {candidate}"
                    todo.append((name, (settings, candidate, keys, path, key, loss)))
    reasons = run_all(settings, "disagreement", worker.disagree, todo, len(pieces) - len(todo))
    failures = first_reasons([arguments[1] for _, arguments in todo], reasons)
    check_not_all_failed(settings, failures)
    means: list[tuple[Any, ...]] = []
    sums: dict[tuple[str, int], list[str]] = {}
    for candidate, number, first, key in pieces:
        if candidate in failures:
            continue
        by_repeat, by_row = cache.load(key)
        repeats = first + np.arange(len(by_repeat))
        means.append((candidate, number, repeats, len(by_row), by_repeat))
        sums.setdefault((candidate, number), []).append(key)
    tables = {
        "disagreement": _stack([dict(zip(_COLUMNS, line, strict=True)) for line in means], _COLUMNS),
        "disagreement_rows": pd.DataFrame(
            [(candidate, number, *_moments(keys)) for (candidate, number), keys in sums.items()], columns=_ROW_COLUMNS
        ),
    }
    return tables, failures


def _moments(keys: list[str]) -> tuple[int, float, float]:
    """The number of a shard's rows, and mean and variance of their means over all repeats."""
    parts = [cache.load(key) for key in keys]
    by_row = np.sum([rows for _, rows in parts], axis=0) / sum(len(repeats) for repeats, _ in parts)
    return len(by_row), float(by_row.mean()), float(by_row.var())


def _stack(lines: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    return (
        pd.concat([pd.DataFrame(line) for line in lines], ignore_index=True) if lines else pd.DataFrame(columns=columns)
    )
