"""The columns that `label-next` writes next to a label, and the weights of the rows that came back with them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.unlabelled.label_next import lure_weights
from tasks.params import Settings
from tasks.runtime.errors import UserError, one_line

ID, ORDER, POOL, PROBABILITY = "label_id", "label_order", "label_pool", "label_probability"
COLUMNS = (ID, ORDER, POOL, PROBABILITY)
_MOST_NAMED = 5


def separate(source: pd.DataFrame, settings: Settings) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The table without the columns of draws, and these columns under the names of `COLUMNS`; None without them.

    They are neither features nor part of a row's identity. Raises UserError where data.label_probability names no
    column, where a column next to it is missing, and for such columns that nothing names.
    """
    data = settings.data
    if data.label_probability is None:
        unnamed = [name for name in (PROBABILITY, ORDER) if name in source.columns and name not in data.left_out]
        if unnamed:
            raise UserError(
                f"data.label_probability is null, but {data.source} has the column {unnamed[0]!r} of label-next; write "
                f"data.label_probability: {PROBABILITY} and data.sampling: active, or name the columns "
                f"{', '.join(COLUMNS)} in data.drop"
            )
        return source, None
    names = {ID: ID, ORDER: ORDER, POOL: POOL, PROBABILITY: data.label_probability}
    for column in names.values():
        if column not in source.columns:
            columns = one_line(", ".join(map(str, source.columns[:20])) + (", …" if len(source.columns) > 20 else ""))
            raise UserError(
                f"data.label_probability is {data.label_probability!r}, which needs the column {column!r} that "
                f"label-next writes, but {data.source} has {columns}"
            )
    draws = source[[*names.values()]].set_axis([*names], axis=1)
    return source.drop(columns=[*names.values()]), draws


def returned(draws: pd.DataFrame | None, has_label: NDArray[np.bool_], settings: Settings) -> pd.DataFrame:
    """The drawn rows that have a label by now, in the order of the draws, with the index of the table.

    Raises UserError for numbers that are none, and unless they are the draws 1 … M, each once: an estimate from some of
    the draws weighs as if these had been all.
    """
    if draws is None:
        return pd.DataFrame(columns=[*COLUMNS])
    draws = draws[has_label]
    drawn = draws[draws[PROBABILITY].notna()]
    drawn = drawn.assign(**{name: _numbers(drawn[name], name, settings) for name in (ORDER, POOL, PROBABILITY)})
    drawn = drawn.assign(**{ID: drawn[ID].astype("str")}).sort_values(ORDER, kind="stable")
    order, wanted = drawn[ORDER].to_numpy(), np.arange(1, len(drawn) + 1)
    if (order != wanted).any():
        missing = np.setdiff1d(np.arange(1, int(order.max()) + 1), order)
        twice = drawn[ORDER][drawn[ORDER].duplicated()].astype("int64").tolist()
        wrong = f"{_listed(twice)} are there twice" if twice else f"{_listed(missing.tolist())} have no label"
        raise UserError(
            f"data.label_probability is {settings.data.label_probability!r}, and of the rows that label-next drew "
            f"those with {ORDER} {wrong}; label every row up to the last one, each once, and leave out the rows after "
            "the first that cannot be labelled"
        )
    return drawn


def weights(drawn: pd.DataFrame, index: pd.Index) -> pd.DataFrame:
    """The role `weight` of all rows of the table; rows that were not drawn count once.

    Raises UserError for probabilities and pools that no draw has.
    """
    roles = pd.DataFrame({"weight": 1.0}, index=index)
    if len(drawn):
        pool = drawn[POOL].to_numpy()
        try:
            roles.loc[drawn.index, "weight"] = lure_weights(drawn[PROBABILITY].to_numpy(), pool)
        except BadArgument as error:
            raise UserError(f"data.label_probability: {error} (draws are counted by {ORDER})") from None
    return roles


def _numbers(column: pd.Series, name: str, settings: Settings) -> pd.Series:
    """Its numbers; of an order and a pool whole ones."""
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = ~np.isfinite(numbers.to_numpy(np.float64, na_value=np.nan))
    if name != PROBABILITY:
        wrong |= numbers.to_numpy(np.float64, na_value=np.nan) % 1 != 0
        wrong |= numbers.to_numpy(np.float64, na_value=np.nan) < 1
    if wrong.any():
        row = column.index[wrong][0]
        kind = "a number" if name == PROBABILITY else "a whole number of at least 1"
        raise UserError(
            f"data.label_probability is {settings.data.label_probability!r}, but {name} of row {row} (counted from 0) "
            f"is {one_line(str(column[row]))!r}, which must be {kind} where a row was drawn"
        )
    return numbers.astype("float64" if name == PROBABILITY else "int64")


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:_MOST_NAMED])) + (", …" if len(numbers) > _MOST_NAMED else "")
