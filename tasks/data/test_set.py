"""The test set: whether a row is in it is a property of the row, and of split.test_key (decision 25)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.rows import row_identity
from heldout.rows.row_identity import Words
from heldout.schemes import holdout
from heldout.splits import time_order
from heldout.splits.dependence import Dependence
from heldout.splits.partition import part_size
from tasks.data.row_contents import contents, group_identities
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage.files import TARGET


def cut_test_set(
    pool: pd.DataFrame, unit: Words, dependence: Dependence, settings: Settings
) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """The test set, and the rows to train on: with data.time, the rows before the test set and its gap.

    Without data.time, split.test_key and the `unit` of each row of `pool` decide: its identity, or what `units` gives.
    Raises UserError where a side would be too small.
    """
    split = settings.split
    if split.test_fraction == 0:
        return None, pool
    if dependence.time is not None:
        part = time_order.last(dependence.time, part_size(len(pool), split.test_fraction, "test_fraction"))
    else:
        part = row_identity.drawn(unit, split.test_key, split.test_fraction)
        _check_cut(pool[TARGET].to_numpy(), part, settings)
    kept = dependence.purged(holdout.split(part))
    return pool.iloc[kept.validation], pool.iloc[kept.train]


def units(pool: pd.DataFrame, source: pd.DataFrame, dependence: Dependence, settings: Settings) -> Words | None:
    """A word for what each row of `pool` shares with the rows that depend on it; None where rows are independent.

    It is the group's name with data.groups, the features with split.duplicates keep_together, else the time, all as
    they are in the `source`.
    """
    data = settings.data
    rows = source.loc[pool.index]
    if data.groups is not None:
        words = group_identities(rows[data.groups])
    elif settings.split.duplicates == "keep_together":
        words = contents(rows[[*pool.columns.drop(TARGET)]])
    elif data.time is not None:
        words = contents(rows[[data.time]])
    else:
        return None
    return words if dependence.group is None else row_identity.of_groups(words, dependence.group)


def _check_cut(y: NDArray[np.generic], part: NDArray[np.bool_], settings: Settings) -> None:
    """Raise UserError for an empty test set, or where the other rows have a single label."""
    if part.any() and len(np.unique(y[~part])) > 1:
        return
    split, together = settings.split, settings.split.duplicates == "keep_together"
    unit = "group" if settings.data.groups is not None else "distinct row" if together else "row"
    found = f"{int(part.sum())} of {len(y)} rows with a label"
    problem = f"puts {found} into the test set" + ("; at least 1 is needed" if not part.any() else "")
    if part.any():
        problem += f", so that the others have {len(np.unique(y[~part]))} distinct labels; at least 2 are needed"
    raise UserError(
        f"split.test_fraction is {split.test_fraction}, which {problem}. A hash of each {unit} with split.test_key, "
        f"which is {split.test_key}, decides. Use a {'smaller' if part.any() else 'larger'} fraction, more {unit}s, or "
        f"0 for no test set{'; or set split.duplicates to allow' if together else ''}"
    )
