"""The test part: whether a row is in it is a property of the row, and of split.test_key (decision 25)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import holdout, row_identity, time_order
from heldout.dependence import Dependence
from heldout.partition import part_size
from heldout.row_identity import Words
from tasks.data.row_identity import group_identities, identities
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage.files import TARGET


def cut_test_part(
    pool: pd.DataFrame, source: pd.DataFrame, identity: Words, dependence: Dependence, settings: Settings
) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """The test part, and the rows to train on: with data.time, the rows before the test part and its gap.

    Without data.time, split.test_key and the `identity` of each row of `pool` decide; with data.groups it is that of
    the group's name, with split.duplicates keep_together that of the features, all as they are in the `source`. Raises
    UserError where a side would be too small.
    """
    split = settings.split
    if split.test_fraction == 0:
        return None, pool
    if dependence.time is not None:
        part = time_order.last(dependence.time, part_size(len(pool), split.test_fraction, "test_fraction"))
    else:
        if settings.data.groups is not None:
            identity = group_identities(source.loc[pool.index, settings.data.groups])
        elif split.duplicates == "keep_together":
            identity = identities(source.loc[pool.index, [*pool.columns.drop(TARGET)]])
        if dependence.group is not None:
            identity = row_identity.of_groups(identity, dependence.group)
        part = row_identity.drawn(identity, split.test_key, split.test_fraction)
        _check_cut(pool[TARGET].to_numpy(), part, settings)
    kept = dependence.purged(holdout.split(part))
    return pool.iloc[kept.validation], pool.iloc[kept.train]


def _check_cut(y: NDArray[np.generic], part: NDArray[np.bool_], settings: Settings) -> None:
    """Raise UserError for an empty test part, or where the other rows have a single label."""
    if part.any() and len(np.unique(y[~part])) > 1:
        return
    split, unit = settings.split, "row" if settings.data.groups is None else "group"
    found = f"{int(part.sum())} of {len(y)} rows with a label"
    problem = f"puts {found} into the test part" + ("; at least 1 is needed" if not part.any() else "")
    if part.any():
        problem += f", so that the others have {len(np.unique(y[~part]))} distinct labels; at least 2 are needed"
    raise UserError(
        f"split.test_fraction is {split.test_fraction}, which {problem}. A hash of each {unit} with split.test_key, "
        f"which is {split.test_key}, decides. Use a {'smaller' if part.any() else 'larger'} fraction, more {unit}s, or "
        "0 for no test part"
    )
