"""source_rows.parquet: where the user's table has the rows of data/prepared, so that a person finds them there.

`part` is labeled, or the file of a shard whose rows are those of the table; `row` counts in that file, `source_row` in
the table, both from 0.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.storage.files import PREPARED, existing

SOURCE_ROWS = PREPARED / "source_rows.parquet"
LABELED = "labeled"
Places = NDArray[np.intp]


def as_table(parts: Mapping[str, Places]) -> pd.DataFrame:
    """What the file holds: the place in the user's table of each row of each part."""
    sizes = [len(rows) for rows in parts.values()]
    return pd.DataFrame(
        {
            "part": pd.Categorical(np.repeat([*parts], sizes), [*parts]),
            "row": np.concatenate([np.arange(size) for size in sizes]),
            "source_row": np.concatenate([*parts.values()]),
        }
    )


def read_source_rows(part: str) -> Places | None:
    """The place of each row of a part; None for a shard that the user has as a file, which has its rows in order."""
    table = pd.read_parquet(existing(SOURCE_ROWS), filters=[("part", "==", part)])
    return table["source_row"].to_numpy(np.intp) if len(table) else None
