"""Two validations of one repository: their estimates, and which of them differ by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from heldout.estimates import ESTIMATES, PLANNED_BY, SHOWN
from heldout.fits import baseline
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss
from heldout.notebook.result import Validation
from heldout.records import Estimate, Interval
from heldout.selection.differences import differences
from heldout.selection.separate_difference import separate_difference
from tasks.outcome.gate_verdict import ValidatedRun

_PLANNED = tuple(estimate.name for estimate in PLANNED_BY)
_KNOWN = {loss.name: loss for loss in (ZERO_ONE, SQUARED, ABSOLUTE)}


@dataclass(frozen=True)
class Pair:
    """An estimate in the first and the second revision, and the second less the first; None where it is not there.

    It is `paired` where both tested the same rows by the same folds.
    """

    name: str
    first: Estimate | None
    second: Estimate | None
    apart: Interval | None
    paired: bool = False

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


@dataclass(frozen=True, eq=False)
class _Runs:
    """Two runs, what is known of their losses where both tested the same rows, and whether errors can be subtracted."""

    first: ValidatedRun
    second: ValidatedRun
    results: tuple[Validation, Validation] | None
    comparable: bool

    def pair(self, name: str, one: str, other: str, estimate: str) -> Pair:
        """An estimate of the candidate `one` of the first run and of the `other` one of the second."""
        first, second = _estimate(one, self.first, estimate), _estimate(other, self.second, estimate)
        if not self.comparable or first is None or second is None:
            return Pair(name, first, second, None)
        if (paired := self._paired(one, other, estimate)) is not None:
            return Pair(name, first, second, paired, paired=True)
        apart = None
        if None not in (first.low, second.low) and first.level == second.level:
            apart = separate_difference(second, first)
        return Pair(name, first, second, apart)

    def _paired(self, one: str, other: str, estimate: str) -> Interval | None:
        """The interval of the difference on the same rows; None for an estimate that is compared by no rows."""
        if self.results is None:
            return None
        first, second = self.results
        if estimate not in ("E_cv", *second.design.set_metrics):
            return None
        if one not in first.evidence or other not in second.evidence:
            return None
        design = replace(second.design, dropped=0, margin=None)
        both = {"second": second.evidence[other], "first": first.evidence[one]}
        said = next((line for line in differences(design, both, "second", estimate) if line.against == "first"), None)
        if said is None or said.low is None or said.high is None:
            return None
        return Interval(said.low, said.high, design.level, str(said.interval), "the same rows, by the same folds")


def compare(
    first: ValidatedRun, second: ValidatedRun, results: tuple[Validation, Validation] | None = None
) -> Compared:
    """The winners by every estimate that both or one has, and the candidates by that of the second's criterion.

    With the `results` of runs whose rows have the same content, E_cv is compared on the same rows
    (`heldout.selection.differences`) if both have the same folds. All other differences are those of estimates made
    apart (`separate_difference`): too wide, never too narrow, where the two share rows. There is none between errors of
    different losses.
    """
    losses = _loss(first), _loss(second)
    comparable = losses[0].name == losses[1].name
    runs = _Runs(first, second, results if results and _alike(*results) else None, comparable)
    others = (name for name in SHOWN if name not in _PLANNED and ESTIMATES[name].kind in ("error", "disagreement"))
    names = [*_PLANNED, *others]
    winners = [runs.pair(name, first.winner, second.winner, name) for name in names]
    criterion = str(second.selection["criterion"])
    by = criterion if criterion in ESTIMATES else "E_cv"
    everybody = dict.fromkeys([*second.selection["candidates"], *first.selection["candidates"], baseline.NAME])
    candidates = [runs.pair(name, name, name, by) for name in everybody]
    known = [[pair for pair in pairs if pair.first or pair.second] for pairs in (winners, candidates)]
    return Compared(first, second, known[0], by, known[1], losses)


def _alike(first: Validation, second: Validation) -> bool:
    """Whether both tested the same rows by the same folds, at one level, with the same weights."""
    one, other = first.design, second.design
    said, told = ((of.level, [*of.set_metrics], of.dependence.kind, len(of.folds)) for of in (one, other))
    pairs: list[tuple[Any, Any]] = [(one.y, other.y), (one.weights_of(), other.weights_of())]
    pairs += zip(one.folds, other.folds, strict=False)
    return said == told and all(np.array_equal(*pair) for pair in pairs)


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
