"""Two validations of one repository: their estimates, and which of them differ by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from heldout.estimates import ESTIMATES, PLANNED_BY, SHOWN
from heldout.fits import baseline
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss
from heldout.records import Estimate, Interval
from heldout.selection.separate_difference import separate_difference
from tasks.outcome.gate_verdict import ValidatedRun

_PLANNED = tuple(estimate.name for estimate in PLANNED_BY)
_KNOWN = {loss.name: loss for loss in (ZERO_ONE, SQUARED, ABSOLUTE)}


@dataclass(frozen=True)
class Pair:
    """An estimate in the first and the second revision, and the second less the first; None where it is not there."""

    name: str
    first: Estimate | None
    second: Estimate | None
    apart: Interval | None

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return self.apart is not None and (self.apart.low > 0 or self.apart.high < 0)


@dataclass(frozen=True)
class Compared:
    """Two validations. `winners` are the estimates of the winners, `candidates` one estimate of every candidate."""

    first: ValidatedRun
    second: ValidatedRun
    winners: Sequence[Pair]
    by: str
    candidates: Sequence[Pair]
    losses: tuple[Loss, Loss]

    @property
    def one_loss(self) -> bool:
        """Whether errors are of one kind, so that they can be subtracted."""
        return self.losses[0].name == self.losses[1].name


def compare(first: ValidatedRun, second: ValidatedRun) -> Compared:
    """The winners by every estimate that both or one has, and the candidates by that of the second's criterion.

    Differences are those of estimates made apart (`separate_difference`): too wide, never too narrow, where the two
    share rows. There is none between errors of different losses.
    """
    losses = _loss(first), _loss(second)
    comparable = losses[0].name == losses[1].name
    others = (name for name in SHOWN if name not in _PLANNED and ESTIMATES[name].kind in ("error", "disagreement"))
    names = [*_PLANNED, *others]
    winners = [_pair(name, (first.winner, first), (second.winner, second), name, comparable) for name in names]
    criterion = str(second.selection["criterion"])
    by = criterion if criterion in ESTIMATES else "E_cv"
    everybody = dict.fromkeys([*second.selection["candidates"], *first.selection["candidates"], baseline.NAME])
    candidates = [_pair(name, (name, first), (name, second), by, comparable) for name in everybody]
    known = [[pair for pair in pairs if pair.first or pair.second] for pairs in (winners, candidates)]
    return Compared(first, second, known[0], by, known[1], losses)


def _pair(
    name: str, first: tuple[str, ValidatedRun], second: tuple[str, ValidatedRun], estimate: str, comparable: bool
) -> Pair:
    one, other = _estimate(*first, estimate), _estimate(*second, estimate)
    apart = None
    if comparable and one and other and None not in (one.low, other.low) and one.level == other.level:
        apart = separate_difference(other, one)
    return Pair(name, one, other, apart)


def _estimate(candidate: str, run: ValidatedRun, estimate: str) -> Estimate | None:
    lines = run.estimates[(run.estimates["candidate"] == candidate) & (run.estimates["estimate"] == estimate)]
    if lines.empty:
        return None
    line: dict[str, Any] = {
        str(name): None if pd.isna(value) else value for name, value in lines.iloc[0].to_dict().items()
    }
    return Estimate(**line)


def _loss(run: ValidatedRun) -> Loss:
    """The loss of a validation, as far as its numbers are written by it."""
    name = str(run.selection["loss"])
    return _KNOWN.get(name) or replace(ABSOLUTE, name=name, power=0, mean_called="")
