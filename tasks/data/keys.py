"""data.key: the columns that name a row, by which it is known again when its other values change."""

import pandas as pd

from tasks.data.row_contents import key_words
from tasks.params import Settings
from tasks.runtime.errors import UserError


def columns(written: pd.DataFrame, settings: Settings) -> list[str]:
    """The columns of the key. Raises UserError for one that the table lacks, or that cannot name a row."""
    names, source = settings.data.key_columns, settings.data.source
    for name in names:
        if name not in written.columns:
            listed = ", ".join(map(str, written.columns[:20])) + (", …" if len(written.columns) > 20 else "")
            raise UserError(f"data.key names {name!r}, which is no column of {source}; it has {listed}")
        try:
            key_words(written[[name]])
        except ValueError as error:
            raise UserError(f"data.key names {name!r}, which {error}") from None
    return names


def check(labeled: pd.DataFrame, settings: Settings) -> None:
    """Raise UserError for a row with a label that has no key, or that of another one."""
    names = settings.data.key_columns
    told = ", ".join(map(repr, names))
    for name in names:
        if missing := int(labeled[name].isna().sum()):
            raise UserError(
                f"data.key names {name!r}, which is missing in {missing} of {len(labeled)} rows with a label; fill it, "
                "or name other columns"
            )
    words = pd.Series(key_words(labeled[names]), index=labeled.index)
    if (twice := words.duplicated(keep=False)).any():
        first = ", ".join(str(labeled[name].loc[twice].iloc[0]) for name in names)
        raise UserError(
            f"data.key is {told}, and {int(twice.sum())} of {len(labeled)} rows with a label share their key with "
            f"another row, as {first!r}; remove the copies, or name further columns that tell such rows apart"
        )
