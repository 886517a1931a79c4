"""The test set: whether a row is in it is a property of the row, and of split.test_key (decision 25).

With data.test_rows a column of the table says it.
"""

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
from tasks.runtime.errors import UserError, one_line
from tasks.storage.files import TARGET

_SAID = {
    **dict.fromkeys(("true", "1", "1.0", "test"), True),
    **dict.fromkeys(("false", "0", "0.0", "train"), False),
}


def marked(source: pd.DataFrame, settings: Settings) -> pd.Series | None:
    """Whether the table says of each row that it is in the test set, missing where it says nothing.

    None without data.test_rows. Raises UserError for a column that is not there, or that says something else.
    """
    column = settings.data.test_rows
    if column is None:
        return None
    if column not in source.columns:
        known = one_line(", ".join(map(str, source.columns[:20])) + (", …" if len(source.columns) > 20 else ""))
        raise UserError(f"data.test_rows is {column!r}, which is no column of the source; it has {known}")
    texts = source[column].astype(object).map(str).str.strip().str.lower().where(source[column].notna())
    if others := [*dict.fromkeys(texts[texts.notna() & ~texts.isin([*_SAID])])]:
        raise UserError(
            f"data.test_rows is {column!r}, which holds {one_line(', '.join(map(repr, others[:5])))}; it must hold "
            "true and false, 1 and 0, or test and train"
        )
    return texts.map(_SAID)


def cut_test_set(
    pool: pd.DataFrame, unit: Words, dependence: Dependence, settings: Settings, said: pd.Series | None = None
) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """The test set, and the rows to train on: with data.time, the rows before the test set and its gap.

    What `marked` has `said` of the rows decides. Else, without data.time, split.test_key and the `unit` of each row of
    `pool` do: its identity, or what `units` gives. Raises UserError where a side would be too small, or has rows of a
    group, or copies that are kept together, of the other side.
    """
    split = settings.split
    if split.test_fraction == 0:
        return None, pool
    if said is not None:
        part = _as_said(said.loc[pool.index], pool[TARGET].to_numpy(), unit, dependence, settings)
    elif dependence.time is not None:
        part = time_order.last(dependence.time, part_size(len(pool), split.test_fraction, "test_fraction"))
    else:
        part = row_identity.drawn(unit, split.test_key, split.test_fraction)
        _check_cut(pool[TARGET].to_numpy(), part, settings)
    kept = dependence.purged(holdout.split(part))
    return pool.iloc[kept.validation], pool.iloc[kept.train]


def _as_said(
    said: pd.Series, y: NDArray[np.generic], unit: Words, dependence: Dependence, settings: Settings
) -> NDArray[np.bool_]:
    """Which rows with a label, of labels `y`, are said to be in the test set."""
    name, data = f"data.test_rows is {settings.data.test_rows!r}, which", settings.data
    if missing := int(said.isna().sum()):
        raise UserError(f"{name} is missing in {missing} of {len(said)} rows with a label; fill it")
    part: NDArray[np.bool_] = said.to_numpy(bool)
    if not part.any():
        raise UserError(f"{name} puts no row with a label into the test set; split.test_fraction 0 makes none")
    before = ~part if dependence.time is None else ~part & (dependence.time < dependence.time[part].min())
    if len(np.unique(y[before])) < 2:
        earlier = " that are earlier, as data.time asks" if dependence.time is not None else ""
        raise UserError(
            f"{name} leaves {int(before.sum())} of {len(y)} rows with a label outside of the test set{earlier}; rows "
            "of at least 2 distinct labels are needed there"
        )
    if data.groups is not None or settings.split.duplicates == "keep_together":
        both = np.intersect1d(unit[part], unit[~part])
        if len(both):
            kept = "group" if data.groups is not None else "distinct row"
            raise UserError(
                f"{name} puts rows of {len(both)} {kept}{'s' * (len(both) > 1)} on both sides; put all rows of a "
                f"{kept} on one side, or take out {'data.groups' if data.groups else 'split.duplicates'}"
            )
    return part


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
