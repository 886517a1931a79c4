"""A race: candidates that fall behind on the progressive stream, by more than chance, get no further fits.

Null hypothesis of a candidate c: it is *the best*, that is, at every block of the stream its hypothesis has at most the
risk of each rival's hypothesis, given all rows before the block. Kind: finite-sample. Claim: with probability `level`
the best candidate, if there is one, is never dropped, however many candidates start; of several that are equally good,
each is kept with this probability. Assumption: independent rows in an order fixed beforehand, losses in [0, L].
Source: J. Ville (1939) for the inequality; V. Vovk, R. Wang, E-values: calibration, combination and applications
(Annals of Statistics 49, 2021) for the mean; METHOD, section 8.

Let D_i(c, b) = (loss of c - loss of b) / L in [-1, 1] at row i. Who stakes the share f in [0, 1) of a wealth of 1 on
"c errs more than b" has e_f(c, b) = prod (1 + f D_i(c, b)). The hypotheses of a block are fixed before its rows, so
that under the null of c nobody is expected to gain. So the mean over several f, fixed beforehand, and the mean over all
rivals b, e(c), are nonnegative supermartingales from 1. The wealth against a rival that left the race stays as it is,
which is a rule of stopping. By Ville's inequality P(e(c) ever reaches 1 / (1 - level)) <= 1 - level. No factor for the
number of candidates is needed, since one of them alone has a true null. Of many equal candidates some are dropped more
often than that (docs/studies/race.md), and the others are as good.

Where learning curves cross, the null of a candidate that is best in the end may be false in early blocks: it may then
be dropped, rightly by the claim. A stream that begins after half of the rows, as that of E_prog does, leaves little of
that.

At the end of the stream at most `finalists` go on, those of the least mean loss, where somebody can afford no more.
That is a choice like any other, with no claim of its own: the others are not shown to err more. Where the losses have
no limit, or rows depend on each other, it is the only way to leave: with an infinite limit nothing can be staked.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from heldout.losses import Loss, Losses
from heldout.splits.dependence import DependenceKind
from heldout.splits.split import tested_sizes

if TYPE_CHECKING:
    from heldout.schemes import SchemeName
    from heldout.schemes.design import Design

Races = Literal["auto", "off"]
STREAM: "SchemeName" = "progressive"  # the scheme whose losses it reads, block by block
MORE_THAN = 10  # candidates: with fewer, "auto" makes all fits
_ROWS_A_LOGARITHM = 64  # whose wealth is multiplied first: it stays between 1e-64 and 1e18
FRACTIONS = 0.9 * 0.5 ** np.arange(8)  # the shares that are staked: best is about the difference over its variance


@dataclass(frozen=True)
class Dropped:
    """A candidate that left the race after `rows` of the `stream` tested rows.

    `by` says why: "race", by too much evidence against it; "finalists", since no more could go on. `e_value` is its
    e(c). Most of it comes from `against`, of those in the race; for "finalists" that is the one of the least loss.
    `error` and `error_against` are the mean losses of both on these rows.
    """

    candidate: str
    rows: int
    stream: int
    e_value: float
    against: str
    error: float
    error_against: float
    by: Literal["race", "finalists"] = "race"

    def blocks(self, design: "Design") -> int:
        """How many blocks of the stream it went through: so many fits of it were made."""
        ends = np.cumsum(tested_sizes(design.splits(STREAM)))
        return int(np.searchsorted(ends, self.rows)) + 1


@dataclass(frozen=True, eq=False)
class Race:
    """The race of `candidates` on a stream of tested rows, of which `rows` have been seen, with losses up to `limit`.

    Without a limit, infinity, nobody is dropped by evidence. After the last row at most `finalists` are left, None for
    no such number. `racing` are those that are left. `sums`, shape (M,), are their losses so far, and `logs`, shape
    (M, M, B), the logarithms of the wealth that each of `FRACTIONS` has against each candidate, by rival. Where rows
    have weights the losses count by them, and `weight` is their sum.
    """

    candidates: tuple[str, ...]
    stream: int
    limit: float
    level: float
    finalists: int | None
    racing: tuple[str, ...]
    dropped: tuple[Dropped, ...] = ()
    rows: int = 0
    weight: float = 0.0
    sums: Losses = field(default_factory=lambda: np.empty(0), repr=False)
    logs: Losses = field(default_factory=lambda: np.empty(0), repr=False)

    @classmethod
    def of(
        cls, candidates: Sequence[str], stream: int, limit: float, level: float, finalists: int | None = None
    ) -> "Race":
        """Before the first row."""
        count = len(candidates)
        sums, logs = np.zeros(count), np.zeros((count, count, len(FRACTIONS)))
        return cls(tuple(candidates), stream, limit, level, finalists, tuple(candidates), sums=sums, logs=logs)

    def after(self, losses: Mapping[str, Losses], weights: Losses | None = None) -> "Race":
        """The race after one more block of rows, from the losses and weights, shape (n,), of each candidate in it.

        The candidate of the least loss so far is never dropped.
        """
        left = self.racing
        place = [self.candidates.index(name) for name in left]
        table = np.stack([losses[name] for name in left])
        sums, logs = self.sums.copy(), self.logs.copy()
        sums[place] += table.sum(axis=1) if weights is None else (table * weights).sum(axis=1)
        for own, of in zip(place, table, strict=True):
            logs[own, place] += _log_wealth((of - table) / self.limit)
        rows = table.shape[1]
        weight = self.weight + (rows if weights is None else float(weights.sum()))
        seen = replace(self, rows=self.rows + rows, weight=weight, sums=sums, logs=logs)
        return seen._without_the_worse()._without_the_last()

    def e_value(self, name: str) -> float:
        """e(c), the mean over all rivals."""
        return float(np.delete(self._against(name), self.candidates.index(name)).mean())

    def _against(self, name: str) -> Losses:
        """e(c, b) of each rival b, shape (M,)."""
        with np.errstate(over="ignore"):
            wealth: Losses = np.exp(self.logs[self.candidates.index(name)]).mean(axis=1)
        return wealth

    def _without_the_worse(self) -> "Race":
        if len(self.racing) < 2:
            return self
        error = self._errors()
        best = min(self.racing, key=error.__getitem__)
        gone = []
        for name in self.racing:
            if name != best and self.e_value(name) >= 1 / (1 - self.level):
                against = dict(zip(self.candidates, self._against(name).tolist(), strict=True))
                rival = max((other for other in self.racing if other != name), key=against.__getitem__)
                gone.append(self._left(name, rival, error, "race"))
        return self._without(gone)

    def _without_the_last(self) -> "Race":
        """At the end of the stream: without those that are no finalists; a tie goes to the first."""
        if self.finalists is None or self.rows < self.stream:
            return self
        error = self._errors()
        ranked = sorted(self.racing, key=error.__getitem__)
        last = {*ranked[self.finalists :]}
        return self._without([self._left(name, ranked[0], error, "finalists") for name in self.racing if name in last])

    def _errors(self) -> dict[str, float]:
        """The mean loss so far of each candidate; of one that left, until then, as a share of all rows."""
        return dict(zip(self.candidates, (self.sums / self.weight).tolist(), strict=True))

    def _left(self, name: str, rival: str, error: Mapping[str, float], by: Literal["race", "finalists"]) -> Dropped:
        return Dropped(name, self.rows, self.stream, self.e_value(name), rival, error[name], error[rival], by)

    def _without(self, gone: Sequence[Dropped]) -> "Race":
        names = {one.candidate for one in gone}
        racing = tuple(name for name in self.racing if name not in names)
        return replace(self, racing=racing, dropped=(*self.dropped, *gone))


def pays(design: "Design", schemes: Sequence["SchemeName"]) -> bool:
    """Whether a race can spare fits: its stream is one of the `schemes`, or has fewer fits than they have."""
    return STREAM in schemes or len(design.splits(STREAM)) < sum(len(design.splits(scheme)) for scheme in schemes)


def why_none(
    race: Races,
    candidates: int,
    loss: Loss,
    dependence: DependenceKind | None,
    *,
    nested: bool,
) -> str:
    """Why there is no race among so many candidates; empty where there is one.

    `dependence` says how rows depend on each other, `nested` whether a choice is repeated inside of each fold.
    """
    if race == "off":
        return "it is off"
    if candidates <= MORE_THAN:
        return f"there are at most {MORE_THAN} candidates"
    if loss.weighted:
        return "rows have weights, and no limit of the weights of other rows is known"
    if not loss.bounded:
        return f"no limit of the {loss.name} loss is known; loss_max states it"
    if dependence is not None:
        return "it needs independent rows"
    return "nested selection would have to repeat it in each fold" if nested else ""


def limit_for(none: str, loss: Loss) -> float:
    """The limit of losses in a race; infinite where `why_none` says that there is `none`, so that nobody is dropped."""
    return math.inf if none else loss.limit


def chooses(finalists: int | None, candidates: int) -> bool:
    """Whether not all of so many candidates can be finalists."""
    return finalists is not None and finalists < candidates


def worth_saying(race: Races, candidates: int) -> bool:
    """Whether somebody with so many candidates may expect a race, and should hear why there is none."""
    return race == "auto" and candidates > MORE_THAN


def _log_wealth(differences: Losses) -> Losses:
    """The sum over rows of log(1 + f D) for each of `FRACTIONS`, shape (M, B), of differences of shape (M, n)."""
    starts = np.arange(0, differences.shape[1], _ROWS_A_LOGARITHM)
    products = [np.multiply.reduceat(1 + bet * differences, starts, axis=1) for bet in FRACTIONS]
    wealth: Losses = np.log(products).sum(axis=2).T
    return wealth
