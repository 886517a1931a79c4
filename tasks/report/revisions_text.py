"""Two revisions next to each other, for a terminal: numbers, intervals, and what differs by more than chance."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from heldout.display.text_table import MARK, NOTHING
from heldout.losses import Loss
from heldout.losses.amounts import amount, number, points
from heldout.printable import printable
from heldout.records import Estimate
from tasks.outcome.compared_revisions import Compared, Pair

_LONGEST, _MOST_CHANGES = 28, 12
_GAP = "  "


def lines(
    names: tuple[str, str], compared: Compared, settings: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> list[str]:
    """All lines: the winners, each candidate by one estimate, what the marks mean, and the settings that changed."""
    told = [*_table(names, compared), "", *_meaning(compared), *_changes(*settings)]
    return [line.rstrip() for line in told]


def _table(names: tuple[str, str], compared: Compared) -> Iterator[str]:
    first, second = (_short(name) for name in names)
    runs = (compared.first, compared.second)
    head = ("", first, second, f"{second} less {first}")
    winners = ("winner", *(_short(run.winner) for run in runs), "")
    bound = ("bound", *(_bound(run.selection, loss) for run, loss in zip(runs, compared.losses, strict=True)), "")
    of_winners = [head, winners, *(_cells(pair, compared) for pair in compared.winners), bound]
    by_candidate = [(compared.by, "", "", ""), *(_cells(pair, compared, _GAP) for pair in compared.candidates)]
    rows = [*of_winners, ("", "", "", ""), *by_candidate]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    for row in rows:
        yield _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    for name, run in zip((first, second), runs, strict=True):
        yield f"{name}: {printable(run.decision.advice)}"


def _cells(pair: Pair, compared: Compared, indent: str = "") -> tuple[str, ...]:
    numbers = [_number(one, loss) for one, loss in zip((pair.first, pair.second), compared.losses, strict=True)]
    return (indent + _short(pair.name), *numbers, _apart(pair, compared.losses[1]))


def _number(one: Estimate | None, loss: Loss) -> str:
    if one is None:
        return NOTHING
    text = amount(one.value, loss) if loss.binary else number(one.value, loss)
    return text if one.low is None or one.high is None else f"{text} [{number(one.low, loss)}–{number(one.high, loss)}]"


def _apart(pair: Pair, loss: Loss) -> str:
    """The second less the first, marked where the interval leaves out 0."""
    if pair.apart is None or pair.first is None or pair.second is None:
        return ""
    error = pair.second.value
    less, low, high = (
        points(difference, error, loss) if math.isfinite(difference) else NOTHING
        for difference in (error - pair.first.value, pair.apart.low, pair.apart.high)
    )
    return f"{less} [{low} to {high}]{f' {MARK}' if pair.differs else ''}"


def _bound(selection: Mapping[str, Any], loss: Loss) -> str:
    bound = selection.get("bound")
    return NOTHING if bound is None else f"at most {amount(bound, loss) if loss.binary else number(bound, loss)}"


def _meaning(compared: Compared) -> Iterator[str]:
    one, other = (loss.scale("the target") for loss in compared.losses)
    yield one if compared.one_loss else f"{one}, and {other}: errors of two losses have no difference"
    level = next((pair.apart.level for pair in compared.winners if pair.apart is not None), None)
    if level is not None:
        paired = dict.fromkeys(_by(pair, compared) for pair in (*compared.winners, *compared.candidates) if pair.paired)
        yield f"{MARK} differs by more than chance, at {100 * level:g} %, each line alone;"
        if paired:
            yield f"  {', '.join(paired)} on the same rows by the same folds"
        yield f"  {'all else ' if paired else ''}as if no row were shared: where rows are, the intervals are too wide"


def _by(pair: Pair, compared: Compared) -> str:
    """The estimate of a line."""
    return compared.by if pair in compared.candidates else pair.name


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """The settings that differ."""
    keys = [key for key in {**first, **second} if first.get(key, NOTHING) != second.get(key, NOTHING)]
    if not keys:
        yield "params.yaml is the same"
    for key in keys[:_MOST_CHANGES]:
        before, after = (_short(str(of.get(key, NOTHING)), 2 * _LONGEST) for of in (first, second))
        yield f"params.yaml: {printable(str(key))}: {before} → {after}"
    if len(keys) > _MOST_CHANGES:
        yield f"and {len(keys) - _MOST_CHANGES} more: dvc params diff"


def _short(text: str, most: int = _LONGEST) -> str:
    text = printable(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"
