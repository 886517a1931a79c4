"""What is known of the winner on one data set: its estimates, its error on the test set, and that of two peers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, geometric_mean

import pandas as pd

JUDGES = ("E_cv", "E_val")
_NORMAL = NormalDist().inv_cdf(0.975)  # half the width of an interval at 95 %, in standard errors


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The winner on one set; `estimates` are value, low, high, rows tested.

    `peer_error` is the test error of gradient boosting with its defaults, trained on all rows outside the test set;
    `baseline` is the error of the best constant answer, and `beats_baseline` None where it cannot be told.
    """

    name: str
    of_classes: bool
    selected: str
    estimates: dict[str, list[float]]
    test_error: float
    test_rows: int
    baseline: float
    beats_baseline: bool | None
    peer_error: float

    @property
    def inside(self) -> list[str]:
        """The estimates whose interval contains the error on the test set."""
        return [name for name in JUDGES if self.estimates[name][1] <= self.test_error <= self.estimates[name][2]]

    def chance(self, judge: str) -> float:
        """Probability that the test error is inside of an estimate's interval, if that is right for the tested model.

        Let e be the true error of the tested model. A right interval is v ± z s, where the estimate v = e + s A and
        z = 1.96; the test error is t = e + n B. A and B are independent and standard normal, since no row of the test
        part has a share in the estimate. t is inside if |t - v| = |n B - s A| <= z s, and n B - s A is normal with
        variance n² + s²: the probability is 2 Φ(z s / sqrt(n² + s²)) - 1. Without noise of the test set this is 95 %,
        and 83 % if the test set has the noise of the estimate.

        s is a 2 z-th of the interval's width. n² is the variance of the mean of T losses of one model; E_val is the
        mean of K such losses, so that n² = s²(E_val) K / T. For E_val itself, only K and T remain.
        """
        _, lowest, highest, held_out = self.estimates["E_val"]
        noise = (highest - lowest) / (2 * _NORMAL) * math.sqrt(held_out / self.test_rows)
        _, low, high, _ = self.estimates[judge]
        own = (high - low) / (2 * _NORMAL)
        return 2 * NormalDist().cdf(_NORMAL * own / math.hypot(noise, own)) - 1

    @property
    def to_peer(self) -> float:
        """The winner's test error as a multiple of boosting's; of classes half a row is added, as either may be 0."""
        half = 0.5 / self.test_rows if self.of_classes else 0.0
        return (self.test_error + half) / (self.peer_error + half)


def numbers_of(estimates: pd.DataFrame) -> dict[str, list[float]]:
    """Value, low, high and rows tested of both estimates, from the winner's lines of estimates.csv, by estimate."""
    numbers = estimates.loc[list(JUDGES), ["value", "low", "high", "n_tested"]].to_numpy(dtype=float)
    return dict(zip(JUDGES, numbers.tolist(), strict=True))


def mean_to_peer(outcomes: Sequence[Outcome]) -> float:
    """The geometric mean of the multiples of boosting's error."""
    return geometric_mean(outcome.to_peer for outcome in outcomes)
