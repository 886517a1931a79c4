"""Whether a target holds classes or numbers, and whether its classes can be learned."""

import pandas as pd

from heldout.losses import ZERO_ONE, natural_loss

# of more classes than this each must have _ROWS_A_CLASS rows in the mean: numbers or names are no classes
_CLASSES, _ROWS_A_CLASS = 20, 50


def are_classes(y: pd.Series) -> bool:
    """Whether `y`, which has no gaps, holds classes. Raises BadArgument or ValueError where it holds neither."""
    return natural_loss(y.to_numpy()) is ZERO_ONE


def each_in_one_row(y: pd.Series) -> str | None:
    """Why classes cannot be learned at all, as a clause that follows the name of the target; None if they can."""
    if y.is_unique and len(y) > 2:
        return f"has another class in each of its {len(y)} rows, as {y.iloc[0]!r}: there is nothing to learn"
    return None


def too_many(y: pd.Series) -> str | None:
    """Why a target of classes has too many of them to learn, as a clause that follows its name; None if not."""
    classes, rows = y.nunique(), len(y)
    if classes <= max(_CLASSES, rows / _ROWS_A_CLASS):
        return None
    return (
        f"has {classes} classes, as {y.dropna().iloc[0]!r}, in {rows} rows: fewer than {_ROWS_A_CLASS} rows a class; "
        "if they are numbers, write them as numbers"
    )
