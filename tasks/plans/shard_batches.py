"""The unlabelled shards in batches that are read together, and the pairs of half models that are compared on each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet

from heldout import digests
from heldout.fits.specs import CompareSpec
from tasks.plans.units import HalfPairs

REPEATS_A_PIECE = 10  # so that added repeats leave the earlier repeats alone
_ROWS_A_BATCH = 50_000  # that a worker holds at once; a larger shard is a batch of its own


@dataclass(frozen=True)
class Batch:
    """Consecutive shards that are read together: the number of the first one, and the rows of each."""

    first: int
    shards: tuple[Path, ...]
    rows: tuple[int, ...]


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


def pieces_of(keys: Sequence[str], versions: Sequence[str]) -> list[HalfPairs[CompareSpec]]:
    """The blocks of repeats of half models `keys`, on shards of these versions."""
    blocks = [tuple(keys[first : first + 2 * REPEATS_A_PIECE]) for first in range(0, len(keys), 2 * REPEATS_A_PIECE)]
    rows = digests.content_hash(versions)
    return [HalfPairs(number * REPEATS_A_PIECE, CompareSpec(block, rows)) for number, block in enumerate(blocks)]
