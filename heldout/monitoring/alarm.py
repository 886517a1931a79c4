"""An alarm on a stream of shards: evidence, valid whenever one looks, that half models disagree otherwise than before.

Null hypothesis: the rows of every new shard are draws from the population of the reference, the unlabelled rows of the
validated run. Kind: finite-sample, at all shards at once, for shares in [0, 1], whatever their distribution is.
Source: I. Waudby-Smith, A. Ramdas, Estimating means of bounded random variables by betting, J. R. Stat. Soc. B 86
(2024); for the starts, V. Vovk, Testing randomness online, Statist. Sci. 36 (2021); J. Shin, A. Ramdas, A. Rinaldo,
E-detectors, New Engl. J. Stat. Data Sci. 2 (2024).

D_i in [0, 1] is the disagreement of row i, the mean over the repeats. Let its mean over the population be m.

1. Someone who stakes the share f of all that can be lost on each row of a shard multiplies his wealth by
   prod (1 + f (D_i / m - 1)): he is not expected to gain, and gains fast where the mean is above m. The order of the
   rows changes nothing. The wealth is spread over several f, since the best depends on the drift.
2. Drift begins some day. So 1 / (1 + log2(1 + t)) of the wealth waits before shard t + 1, and at each shard a part of
   what waited starts to bet: the evidence of a drift that begins at shard t is that of an alarm switched on there,
   less a factor of about 1 / (t log2(t)^2), however long the quiet was. What is never staked, and what was lost,
   is all that quiet costs: the sum over all starts is a supermartingale, and so no quiet is long enough to cry wolf.
3. m is not known. Against each m, a second bettor stakes on all rows before a start, those of the reference and of the
   shards since, that their mean is *less* than m; half of his wealth he keeps. The first bettor goes on with what the
   second one has. If m is the mean, nobody is expected to gain. So the least wealth over all m reaches 1 / delta with
   probability delta at most, over all shards (Ville), although the reference is a sample; and a long quiet makes it
   a larger one. The first wealth falls with m and the second one rises: between two points of a grid, the first at
   the upper and the second at the lower bound the product.

4. Half models may also agree more than they did, on rows far from the boundary that they know. The same game is played
with 1 - D, and the evidence is the mean of both.

Rows of a file may be alike (an hour, a patient). If the means of the reference's shards vary more than independent rows
would make them vary, their correlation rho is bounded from that, and the gains of a shard of n rows are taken to the
power 1 / phi, phi = 1 + (n - 1) rho, as if phi rows were one. rho is an upper confidence limit, since few shards say
little of it (`alike_rows`): with 4 shards a drift takes longer to be shown. It is no guarantee. The level is that of
shards that are draws like those of the reference; where shards follow one another slowly, as hours do, later ones are
not, and an alarm says no more than this.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from heldout.intervals.confidence_sequence import reach
from heldout.losses import Losses
from heldout.monitoring.alike_rows import design_effect, size_and_correlation

# the shares that are staked: best is about the drift over the variance of a row, as a share of m
FRACTIONS = 0.9 * 0.5 ** np.arange(10)
SURE = 0.6  # with which the spread of the reference's shards is not above what is taken for it
_DISTINCT = 512  # values of a row that are kept apart; more are rounded to as many steps, against the alarm
_NEAR, _FAR = np.arange(-1, 6, 0.125), 24  # of the grid: in standard errors around the reference's mean; and beyond


@dataclass(frozen=True, eq=False)
class ShardShares:
    """The disagreements of the rows of a shard, each in [0, 1], as far as their order says nothing.

    `values`, shape (u,), are distinct, `counts`, shape (u,), the number of rows of each; `mean` and `variance`
    (divisor n) are those of the rows before a rounding.
    """

    values: Losses
    counts: Losses
    mean: float
    variance: float

    @classmethod
    def of(cls, shares: ArrayLike, *, of_reference: bool = False) -> Self:
        """From the share of each row, shape (n,). Of many distinct values, those of the reference are rounded up."""
        rows = np.asarray(shares, dtype=np.float64)
        values, counts = np.unique(rows, return_counts=True)
        if len(values) > _DISTINCT:
            steps = _DISTINCT * rows
            rounded = (np.ceil(steps) if of_reference else np.floor(steps)) / _DISTINCT
            values, counts = np.unique(rounded, return_counts=True)
        return cls(values, counts.astype(np.float64), float(rows.mean()), float(rows.var()))

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Reference:
    """What the rows before a start say of the mean m.

    `rows`, `mean`, `size` (rows of a shard, on average) and `correlation` (rho) are those of the validated run.
    `means`, shape (G,), ascend to 1: the upper ends of the intervals of m; `logs`, shape (K, G), are the logarithms of
    the second bettor's wealth by each of `FRACTIONS`, at their lower ends.
    """

    rows: int
    mean: float
    size: float
    correlation: float
    means: Losses
    logs: Losses
    shards: int = 0  # of the reference

    @classmethod
    def of(cls, shards: Sequence[ShardShares]) -> "Reference":
        """From the reference's shards, at least one; many distinct values are rounded up."""
        n = sum(shard.n for shard in shards)
        mean = sum(shard.n * shard.mean for shard in shards) / n
        variance = sum(shard.n * (shard.variance + (shard.mean - mean) ** 2) for shard in shards) / n
        size, correlation = size_and_correlation(
            [[shard.n] for shard in shards], [[shard.mean] for shard in shards], [variance], level=SURE
        )
        error = max(math.sqrt((1 + correlation[0] * size[0]) * variance / n), 1 / n)
        near = mean + error * _NEAR
        far = np.geomspace(min(near[-1], 1.0), 1.0, _FAR)
        means = np.unique(np.concatenate([near[(near > 0) & (near < 1)], far]))
        logs = np.zeros((len(FRACTIONS), len(means)))
        reference = cls(n, mean, float(size[0]), float(correlation[0]), means, logs, len(shards))
        for shard in shards:
            reference = reference.after(shard)
        return reference

    def after(self, shard: ShardShares) -> "Reference":
        """With the rows of one more shard: the second bettor has prod (1 - f (D_i - m) / (1 - m)) times as much.

        Of a shard that is larger than the reference's, less, for its rows are more alike.
        """
        power = min(1.0, self.design_effect(self.size) / self.design_effect(shard.n))
        lower = np.concatenate([[0.0], self.means[:-1]])
        odds = (lower - shard.values[:, None]) / (1 - lower)
        gains = np.array([shard.counts @ np.log1p(bet * odds) for bet in FRACTIONS])
        return replace(self, logs=self.logs + power * gains)

    def design_effect(self, rows: float) -> float:
        """phi of a shard of so many rows."""
        return float(design_effect(rows, self.correlation))

    @property
    def known(self) -> Losses:
        """The logarithm of what the second bettor has, shape (G,)."""
        bets: Losses = np.logaddexp.reduce(self.logs, axis=0) - math.log(len(FRACTIONS))
        known: Losses = np.logaddexp(0.0, np.minimum(bets, bets / self.design_effect(self.size))) - math.log(2)
        return known


@dataclass(frozen=True, eq=False)
class Side:
    """The evidence after some shards that the mean is above that of the rows before.

    `staked`, shape (K, G), are the logarithms of what the first bettor has by each of `FRACTIONS` in each interval of
    m, None before the first of the `shards`.
    """

    reference: Reference
    shards: int = 0
    staked: Losses | None = None

    def after(self, shares: Losses) -> "Side":
        """The evidence after one more shard."""
        shard, reference = ShardShares.of(shares), self.reference
        odds = np.divide.outer(shard.values, reference.means) - 1  # (u, G)
        gains = np.array([shard.counts @ np.log1p(bet * odds) for bet in FRACTIONS]) / reference.design_effect(shard.n)
        started = reference.known + math.log((waiting(self.shards) - waiting(self.shards + 1)) / len(FRACTIONS))
        staked = gains + (started if self.staked is None else np.logaddexp(self.staked, started))
        return Side(reference.after(ShardShares.of(shares, of_reference=True)), self.shards + 1, staked)

    @cached_property
    def log(self) -> float:
        """The logarithm of the evidence."""
        wealth = self.reference.known + math.log(waiting(self.shards))
        if self.staked is not None:
            wealth = np.logaddexp(np.logaddexp.reduce(self.staked, axis=0), wealth)
        return float(np.min(wealth))


@dataclass(frozen=True, eq=False)
class Alarm:
    """The evidence that the rows of some shards disagree `more` or `less` than those of the reference.

    Examples
    --------
    >>> quiet, drift = np.repeat([0.0, 1.0], [95, 5]), np.repeat([0.0, 1.0], [60, 40])
    >>> alarm = Alarm.of([quiet] * 4).after(quiet)
    >>> alarm.raised(0.05), alarm.after(drift).raised(0.05), alarm.after(drift).rises
    (False, True, True)
    """

    more: Side
    less: Side

    @classmethod
    def of(cls, reference: Sequence[ArrayLike]) -> Self:
        """From the disagreement of each row, each in [0, 1], of the shards of the reference, at least one."""
        more = [ShardShares.of(shares, of_reference=True) for shares in reference]
        less = [ShardShares.of(1 - np.asarray(shares), of_reference=True) for shares in reference]
        return cls(Side(Reference.of(more)), Side(Reference.of(less)))

    def after(self, shares: ArrayLike) -> "Alarm":
        """The evidence after one more shard, with the disagreement of each of its rows, shape (n,)."""
        rows = np.asarray(shares, dtype=np.float64)
        return Alarm(self.more.after(rows), self.less.after(1 - rows))

    @property
    def log(self) -> float:
        """The logarithm of the evidence, the mean of both sides."""
        return float(np.logaddexp(self.more.log, self.less.log)) - math.log(2)

    @property
    def value(self) -> float:
        """The evidence; of more than 1e300, 1e300."""
        return math.exp(min(self.log, 300 * math.log(10)))

    @property
    def rises(self) -> bool:
        """Whether the evidence is that the half models disagree more, and not less."""
        return self.more.log >= self.less.log

    def raised(self, delta: float) -> bool:
        """Whether the evidence has reached 1 / delta; without drift it ever does so with probability delta at most."""
        return self.log >= -math.log(delta)


@dataclass(frozen=True)
class RunningMean:
    """The mean of the rows of all shards so far, and a band around it that holds at every shard at once.

    Target: the mean, over these rows, of each row's expectation given all shards before its own; so it may drift. The
    band is that of `heldout.intervals.confidence_sequence`, with one prediction for all rows of a shard: the mean
    before it, `guess` before the first. `squares` is the sum of the squared distances from the predictions, `effect`
    the largest design effect of a shard so far, by the `correlation` of the rows of a shard.

    Examples
    --------
    >>> mean = RunningMean(guess=0.05, correlation=0.0).after(np.repeat([0.0, 1.0], [950, 50]))
    >>> [round(bound, 3) for bound in mean.bounds(0.95)]
    [0.022, 0.078]
    """

    guess: float
    correlation: float
    rows: int = 0
    total: float = 0.0
    squares: float = 0.0
    effect: float = 1.0

    def after(self, shares: ArrayLike) -> "RunningMean":
        """The mean after one more shard, with the disagreement of each of its rows, shape (n,)."""
        new = np.asarray(shares, dtype=np.float64)
        predicted = self.total / self.rows if self.rows else self.guess
        squares = self.squares + float(((new - predicted) ** 2).sum())
        effect = max(self.effect, 1 + (len(new) - 1) * self.correlation)
        total = self.total + float(new.sum())
        return replace(self, rows=self.rows + len(new), total=total, squares=squares, effect=effect)

    def bounds(self, level: float) -> tuple[float, float]:
        """The band, where there is a row."""
        width = self.effect * float(reach(np.array([self.squares / self.effect]), level)[0]) / self.rows
        mean = self.total / self.rows
        return max(mean - width, 0.0), min(mean + width, 1.0)


def waiting(shards: int) -> float:
    """The share of the wealth that was not staked in the first `shards`."""
    return 1 / (1 + math.log2(1 + shards))
