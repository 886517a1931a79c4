"""The evidence, valid whenever one looks, that questions are answered yes more or less often than in a fixed reference.

Null hypothesis: the rows of every new shard are draws from the population of the reference. Kind: finite-sample, at all
shards at once, whatever the shares are.
Source: universal inference: L. Wasserman, A. Ramdas, S. Balakrishnan, Universal inference, PNAS 117 (2020); along a
stream: A. Ramdas, J. Ruf, M. Larsson, W. M. Koolen, Testing exchangeability, Int. J. Approx. Reason. 141 (2022). The
mean of such evidence: V. Vovk, R. Wang, E-values, Ann. Statist. 49 (2021).

A question that is asked of a row has the answer yes or no. Under the null hypothesis the answers are independent, yes
with an unknown probability p, that of the reference too. For each question:

1. The evidence is a ratio. Above is the chance of all answers, those of the reference too, under a law that was fixed
   before they were seen; below is the greatest chance that any p gives to them. At the true p the chance above over
   that of p is expected to be 1, and goes on as a martingale; with the greatest chance below, the ratio is smaller.
   So it ever reaches 1 / delta with probability delta at most (Ville), although the reference is a sample.
2. The law above: up to some shard the share of yes is drawn once from Beta(1/2, 1/2); from this shard on it is one of
   `OFFSETS` (in logits) away from the share in the reference. The drift begins at shard t + 1 with the chance
   w(t) - w(t + 1), w = `waiting`. So the reference that a drift is compared with is never that of the drifted shards.
3. Rows of a shard may be alike: the chances of its answers are taken to the power of one over the design effect, which
   is at least 1 and known before the shard (`alike_rows`). Such a power is expected to be 1 at most (Jensen). The
   reference's answers are counted both in full, for which the proof holds, and divided by the design effect of its
   shards; the lesser evidence counts.

A weighted mean of evidence is evidence, however the questions depend on each other. Nothing here depends on the order
of the rows of a shard; what is kept are K + 1 numbers for a question, however many shards came.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, logit, xlog1py, xlogy

from heldout.losses import Losses
from heldout.monitoring.alarm import waiting
from heldout.monitoring.alike_rows import design_effect, size_and_correlation

OFFSETS = np.outer([-1, 1], 0.125 * 2.0 ** np.arange(7)).ravel()  # of the share after a drift, in logits


@dataclass(frozen=True, eq=False)
class ShareAlarm:
    """The evidence after some shards, for J questions.

    `share`, shape (J,), is the share of yes in the reference, moved a little away from 0 and 1; `correlation`, shape
    (J,), that of the rows of a shard. `yes` and `no`, shape (2, J), count all answers before the next shard, with the
    reference in full and divided by its design effect; `staked`, shape (2, K, J), are the logarithms of the chance of
    all answers, for drifts that have begun, by each of `OFFSETS`.

    Examples
    --------
    >>> alarm = ShareAlarm.of(np.full((4, 1), 60), np.full((4, 1), 300))
    >>> quiet, drift = alarm.after([20], [100]), alarm.after([60], [100])
    >>> [bool(one.logs[0] >= math.log(20)) for one in (quiet, drift)]
    [False, True]
    """

    share: Losses
    correlation: Losses
    yes: Losses
    no: Losses
    staked: Losses | None = None
    shards: int = 0

    @classmethod
    def of(cls, yes: ArrayLike, asked: ArrayLike) -> Self:
        """From the reference: how many rows of each shard answered yes, and were asked, both of shape (S, J)."""
        counts, rows = np.asarray(yes, dtype=np.float64), np.asarray(asked, dtype=np.float64)
        share = (counts.sum(axis=0) + 0.5) / (rows.sum(axis=0) + 1)
        mean = counts.sum(axis=0) / np.maximum(rows.sum(axis=0), 1)
        means = np.divide(counts, rows, out=np.zeros_like(rows), where=rows > 0)
        size, correlation = size_and_correlation(rows, means, mean * (1 - mean))
        weights = np.stack([np.ones_like(size), 1 / design_effect(size, correlation)])
        return cls(share, correlation, weights * counts.sum(axis=0), weights * (rows - counts).sum(axis=0))

    def after(self, yes: ArrayLike, asked: ArrayLike) -> Self:
        """The evidence after one more shard, of which so many rows answered yes and were asked, both of shape (J,)."""
        rows = np.asarray(asked, dtype=np.float64)
        weight = 1 / design_effect(rows, self.correlation)
        more = weight * np.asarray(yes, dtype=np.float64)
        less = weight * rows - more
        drifted = logit(self.share) + OFFSETS[:, None]
        gains = -more * np.log1p(np.exp(-drifted)) - less * np.log1p(np.exp(drifted))  # (K, J)
        begins = math.log((waiting(self.shards) - waiting(self.shards + 1)) / len(OFFSETS))
        started = np.broadcast_to(self._quiet[:, None] + begins, (2, *gains.shape))
        staked = gains + (started if self.staked is None else np.logaddexp(self.staked, started))
        return replace(self, yes=self.yes + more, no=self.no + less, staked=staked, shards=self.shards + 1)

    @property
    def _quiet(self) -> Losses:
        """The logarithm of the chance of all answers without a drift, shape (2, J)."""
        chance: Losses = betaln(self.yes + 0.5, self.no + 0.5) - betaln(0.5, 0.5)
        return chance

    @property
    def logs(self) -> Losses:
        """The logarithm of the evidence of each question, shape (J,)."""
        chance = self._quiet + math.log(waiting(self.shards))
        if self.staked is not None:
            chance = np.logaddexp(np.logaddexp.reduce(self.staked, axis=1), chance)
        p = self.yes / np.maximum(self.yes + self.no, 1e-300)
        greatest = xlogy(self.yes, p) + xlog1py(self.no, -p)
        return np.asarray((chance - greatest).min(axis=0))
