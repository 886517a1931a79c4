"""shards.csv and to_label.csv: where the winner's half models disagree, by shard and by row; no fit is made."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from heldout.notebook.result import Validation
from heldout.records import ShardDisagreement
from heldout.unlabelled.shard_disagreement import by_shard
from tasks.storage import files, source_rows


def disagreement_by_shard(validation: Validation, winner: str) -> list[ShardDisagreement]:
    """A line for each shard in use; none without shards, or for a loss without a disagreement."""
    margins = validation.evidence[winner].shards
    return [] if margins is None else by_shard(validation.design, margins, [*_named()])


def to_label(winner: str) -> pd.DataFrame:
    """The unlabelled rows with the largest disagreement: the shard, and the row in the user's file, or in data.source.

    Rows count from 0.
    """
    largest = files.read_result("largest_disagreement", winner)
    named = [*_named()]
    shards = largest["shard"].to_numpy(np.intp)
    prepared_rows = largest["row"].to_numpy(np.intp)
    rows = prepared_rows.copy()
    for place in np.unique(shards):
        numbers, inside = source_rows.read_source_rows(f"{named[place][0]}.parquet"), shards == place
        if numbers is not None:
            rows[inside] = numbers[prepared_rows[inside]]
    return pd.DataFrame(
        {
            "shard": [named[place][0] for place in shards],
            "file": [named[place][1] for place in shards],
            "row": rows,
            "prepared_row": prepared_rows,
            "disagreement": largest["disagreement"].to_numpy(np.float64),
        }
    )


def _named() -> Iterator[tuple[str, str]]:
    """The name of each prepared shard, and the user's file of its rows; empty for rows of data.source."""
    for report in files.read_shard_reports():
        if report.shard is not None:
            yield Path(report.shard).stem, report.file or ""
