"""row_ids.parquet: the identity of every row whose label a run uses (decision 25), for the choice of a champion."""

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.storage.files import PREPARED, existing

ROW_IDS = PREPARED / "row_ids.parquet"
Part = Literal["used", "test"]
Ids = NDArray[np.uint64]


def read_row_ids(part: Part) -> Ids:
    """The identities of the rows of a part: `used` are those that train and choose, `test` those of test.parquet."""
    table = pd.read_parquet(existing(ROW_IDS), filters=[("part", "==", part)])
    return table["identity"].to_numpy(np.uint64)


def as_table(used: Ids, test: Ids) -> pd.DataFrame:
    """What the file holds, for both parts in their order."""
    parts = np.repeat(["used", "test"], [len(used), len(test)])
    return pd.DataFrame({"part": parts, "identity": np.concatenate([used, test])})


def write_ids(path: Path, identities: Ids) -> None:
    """A file with some identities, each once."""
    pd.DataFrame({"identity": np.unique(identities)}).to_parquet(path)


def read_ids(path: Path) -> Ids:
    """What `write_ids` wrote."""
    return pd.read_parquet(path, columns=["identity"])["identity"].to_numpy(np.uint64)
