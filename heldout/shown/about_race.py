"""Sentences about a race, which a notebook and a report share."""

from heldout.losses import Loss
from heldout.losses.amounts import amount
from heldout.selection.race import Dropped


def line(one: Dropped, loss: Loss) -> str:
    """What a table says of a candidate that was dropped, in place of its numbers."""
    return (
        f"dropped after {one.rows} of {one.stream} tested rows: {amount(one.error, loss)} there, {one.against} "
        f"{amount(one.error_against, loss)}"
    )


def claim(dropped: int, started: int, level: str) -> str:
    """What is claimed where a race dropped some of the candidates that started; empty where it dropped none."""
    if not dropped:
        return ""
    return (
        f"{dropped} of {started} candidates erred so much more on the first tested rows that they got no further fits: "
        f"with probability {level} the best candidate, or one of several that are equal, is left, if on no block of "
        "these rows it is expected to err more than another one"
    )
