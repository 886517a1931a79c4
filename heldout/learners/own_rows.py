"""A fit whose training rows are its own: a scaler in front may write over them, and two copies are held, not three."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def written_over(learner: Any) -> Iterator[None]:
    """In the block, a scaler that is the first step of `learner`, a pipeline, scales the rows that it is given.

    The numbers are those of a scaler that copies them, which it does again after the block.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

    scalers = (MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler)
    first: Any = learner.steps[0][1] if type(learner) is Pipeline and learner.memory is None else None
    if type(first) not in scalers or not first.copy:
        yield
        return
    first.copy = False
    try:
        yield
    finally:
        first.copy = True
