"""Sentences about a race, which a notebook and a report share."""

from collections.abc import Iterable, Sequence

from heldout.losses import Loss
from heldout.losses.amounts import amount
from heldout.selection.race import Dropped

FEW = 5  # that a table of text has lines for; the others share one


def lines(dropped: Sequence[Dropped], loss: Loss, most: int | None = None) -> dict[str, str]:
    """What a table says of those that were left out, by name; of more than `most`, some share the last line."""
    if most is None or len(dropped) <= most:
        return {one.candidate: line(one, loss) for one in dropped}
    nearest = sorted(dropped, key=lambda one: one.error)
    few, others = nearest[:most], nearest[most:]
    ends = f"{amount(others[0].error, loss)} to {amount(others[-1].error, loss)} on the rows that they tested"
    return {**{one.candidate: line(one, loss) for one in few}, f"{len(others)} others": f"left out too: {ends}"}


def line(one: Dropped, loss: Loss) -> str:
    """What a table says of a candidate that was dropped, in place of its numbers."""
    if one.by == "finalists":
        least = amount(one.error_against, loss)
        return f"no finalist: {amount(one.error, loss)} on all {one.stream} tested rows, the least is {least}"
    return (
        f"dropped after {one.rows} of {one.stream} tested rows: {amount(one.error, loss)} there, {one.against} "
        f"{amount(one.error_against, loss)}"
    )


def claim(dropped: Iterable[Dropped], started: int, level: str) -> str:
    """What is claimed where some of the candidates that started were left out; empty where none was."""
    gone = [*dropped]
    by_race, last = ([one for one in gone if one.by == by] for by in ("race", "finalists"))
    parts = []
    if by_race:
        parts.append(
            f"{len(by_race)} of {started} candidates erred so much more on the first tested rows that they got no "
            f"further fits: with probability {level} the best candidate, or one of several that are equal, is left, if "
            "on no block of these rows it is expected to err more than another one"
        )
    if last:
        parts.append(
            f"{len(last)} of {started} candidates got no further fits, since finalists allows no more: those of the "
            "least E_prog went on, and the others are not shown to err more"
        )
    return "; ".join(parts)
