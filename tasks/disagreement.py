"""Disagreement of the half models on the unlabelled shards: one task a candidate, block of repeats and shard."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.covalidation import pointwise_disagreement
from heldout.errors import FitFailure
from heldout.fitting import predict
from heldout.losses import LOSSES, natural_loss
from tasks import cache, files
from tasks.execution import run_all
from tasks.fit import Finished, check_not_all_failed, first_reasons, hypothesis_key
from tasks.params import Settings
from tasks.schemes import REPEATS_A_TASK

_VERSION = ("disagreement", 1)


def disagree_all(settings: Settings, halves: Mapping[str, Finished]) -> tuple[pd.DataFrame, dict[str, str]]:
    """The mean disagreement for each candidate, shard and repeat, and the candidates that failed.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    _, y = files.read_table(files.LABELED)
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
    reasons = run_all(settings, "disagreement", disagree, todo, len(pieces) - len(todo))
    failures = first_reasons([arguments[1] for _, arguments in todo], reasons)
    check_not_all_failed(settings, failures)
    tables = []
    for candidate, number, first, key in pieces:
        if candidate not in failures:
            means, rows = cache.load(key)
            repeats = first + np.arange(len(means))
            tables.append(
                pd.DataFrame(
                    {"candidate": candidate, "shard": number, "repeat": repeats, "rows": rows, "disagreement": means}
                )
            )
    columns = ["candidate", "shard", "repeat", "rows", "disagreement"]
    table = pd.concat(tables) if tables else pd.DataFrame(columns=columns)
    return table.reset_index(drop=True), failures


def disagree(settings: Settings, candidate: str, keys: Sequence[str], shard: Path, key: str, loss: str) -> str | None:
    """In a worker: the mean disagreement of each pair of hypotheses on one shard; the reason of a failure."""
    settings.use_folder()
    X = files.read_shard(shard)
    try:
        predictions = [predict(cache.load(hypothesis_key(name)), X) for name in keys]
    except FitFailure as failure:
        return f"{shard.name}: {failure}"
    means: NDArray[np.float64] = np.array(
        [
            pointwise_disagreement(first, second, LOSSES[loss]).mean()
            for first, second in zip(predictions[::2], predictions[1::2], strict=True)
        ]
    )
    if not np.isfinite(means).all():
        return f"{shard.name}: a prediction of {candidate} is not finite"
    cache.save(key, (means, len(X)))
    return None
