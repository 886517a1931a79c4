"""Whether a target holds classes or numbers."""

import pandas as pd

from heldout.losses import ZERO_ONE, natural_loss


def are_classes(y: pd.Series) -> bool:
    """Whether `y`, which has no gaps, holds classes. Raises BadArgument or ValueError where it holds neither."""
    return natural_loss(y.to_numpy()) is ZERO_ONE
