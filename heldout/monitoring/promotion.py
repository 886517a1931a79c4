"""Evidence over nights that a challenger errs less than the champion: an e-process, valid whenever one looks.

Null hypothesis: on no night is the mean error of the challenger's hypothesis below that of the champion's.
Kind: finite-sample, for losses in [0, limit], on rows that neither hypothesis was trained on or chosen by.
Source: G. Shafer, Testing by betting, J. R. Stat. Soc. A 184 (2021); J. Ville (1939); I. Waudby-Smith, A. Ramdas,
Estimating means of bounded random variables by betting, J. R. Stat. Soc. B 86 (2024).

D_i = (loss of the champion - loss of the challenger) / limit of row i lies in [-1, 1]. Both hypotheses of a night are
fixed before its rows are looked at, so that under the null hypothesis the mean of D_i, given all that came before, is
at most 0. Then the wealth prod (1 + l D_i) of someone who stakes the share l on every row is never expected to grow
(a supermartingale), and neither is the mean wealth over several l. It ever reaches 1 / delta with probability delta at
most, over all nights together (Ville). The hypotheses may be other ones every night.

The l are fixed, not chosen from the rows before, as in the betting interval: the order of a night's rows has no
meaning, and so it changes nothing. The mean over eight l costs at most a factor of eight, and wins like the best.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses

# the betting fractions. Best is about mean(D) / mean(D^2): from rows that nearly all say the same to one of 150
FRACTIONS = 0.9 * 0.5 ** np.arange(8)


@dataclass(frozen=True)
class EProcess:
    """An e-process after some rows: the wealth of a bettor who began with 1.

    `logs` are the logarithms of the wealth of each of `FRACTIONS`, `rows` their number, `total` the sum of the D_i.

    Examples
    --------
    >>> night = EProcess().after(np.array([1.0, 0.0, 1.0, -1.0, 1.0]))
    >>> round(night.wealth, 2), night.shown(0.95), night.mean
    (1.15, False, 0.4)
    >>> night.after(np.ones(9)).shown(0.95)
    True
    """

    logs: tuple[float, ...] = (0.0,) * len(FRACTIONS)
    rows: int = 0
    total: float = 0.0

    def after(self, differences: Losses) -> "EProcess":
        """The wealth after further rows, `differences` of shape (n,): their D_i, in any order."""
        gained = np.log1p(np.multiply.outer(FRACTIONS, differences)).sum(axis=1)
        logs = tuple((np.array(self.logs) + gained).tolist())
        return EProcess(logs, self.rows + len(differences), self.total + float(differences.sum()))

    @property
    def log(self) -> float:
        """The logarithm of the wealth: of the mean over the bets."""
        return _log_mean(np.array(self.logs))

    @property
    def wealth(self) -> float:
        """The wealth; of more than 1e300, 1e300."""
        return math.exp(min(self.log, 300 * math.log(10)))

    @property
    def mean(self) -> float:
        """The mean D_i: how much less the challenger errs, as a share of the limit. 0 without a row."""
        return self.total / self.rows if self.rows else 0.0

    def shown(self, level: float) -> bool:
        """Whether the challenger is shown to err less: the wealth has reached 1 / delta."""
        return self.log >= needed(level)

    def rows_needed(self, level: float) -> int | None:
        """How many further rows the wealth needs if each bet goes on as so far; None if it is not won then."""
        if self.shown(level):
            return 0
        if max(self.logs) <= 0:
            return None
        logs, low, high = np.array(self.logs), 1.0, 2.0
        while _log_mean(high * logs) < needed(level):
            low, high = high, 2 * high
        while (high - low) * self.rows > 0.5:
            middle = (low + high) / 2
            low, high = (low, middle) if _log_mean(middle * logs) >= needed(level) else (middle, high)
        return math.ceil((high - 1) * self.rows)


def needed(level: float) -> float:
    """The logarithm of 1 / delta, delta = 1 - level."""
    return -math.log(1 - level)


def _log_mean(logs: Losses) -> float:
    """The logarithm of the mean of the numbers whose logarithms are `logs`."""
    return float(np.logaddexp.reduce(logs)) - math.log(len(logs))


def differences(
    champion: Losses, challenger: Losses, limit: float, cluster: NDArray[Any] | None = None, hidden: float = 0.0
) -> Losses:
    """The D_i of both losses, shape (n,), on the same rows; a loss above `limit` counts as `limit`.

    With the `cluster` of each row, shape (n,), a cluster is one observation, the mean over its rows.

    `hidden` is the share of new rows that are not among these, because they cannot be told from earlier rows. On them
    D is -1 at least: with (1 - hidden) D - hidden in place of D the wealth stays a fair game, whatever they are.
    """
    found = (np.minimum(champion, limit) - np.minimum(challenger, limit)) / limit
    if cluster is not None:
        places = np.unique(cluster, return_inverse=True)[1]
        found = np.bincount(places, found) / np.bincount(places)
    shown: Losses = (1 - hidden) * found - hidden
    return shown
