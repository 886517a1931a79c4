"""Short tables in as few arrays as they have dtypes: with one for each column, every step takes long for many."""

import pandas as pd

_SHORT = 10_000  # rows; a longer table stays as it is, without a second copy in memory


def in_blocks(table: pd.DataFrame) -> pd.DataFrame:
    """The same table, a short one in as few arrays as it has dtypes."""
    return table.copy() if len(table) <= _SHORT else table
