"""E_boot: the bootstrap .632+ estimate of the error of the final hypothesis.

B. Efron, R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method (J. Amer. Statist. Assoc. 92,
1997), section 3; the interval is by their section 5 with the correction of C. Nadeau, Y. Bengio (2003).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.estimates.definition import Definition
from heldout.intervals import log_t, wilson
from heldout.intervals.method import Default, IntervalMethod, estimate_with, two_sided_t
from heldout.losses import Losses
from heldout.losses.ratio import Ratio, error_of
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes import Scheme, holdout
from heldout.schemes.design import Design, Evidence, tested
from heldout.schemes.resampling import Folds, Groups, Resampling
from heldout.splits.partition import Labels
from heldout.splits.split import Rows, Split

DRAWS = 50
DRAWN = 1 - math.exp(-1)  # the share of rows that a draw of N has, in the limit: .632
_TRIES = 1000


def draw(y: Labels, _fold: Folds, stratify: bool, seed: int, group: Groups = None) -> Resampling:
    """Draws of N rows with replacement, by class if `stratify`; each tests the rows that it left out.

    They are tested twice: with their own labels, and with these labels in random order.
    """
    splits = []
    for number in range(DRAWS):
        rng = np.random.default_rng(seeds.named(seed, "bootstrap", number))
        train = _drawn(y, stratify, group, rng)
        left = np.setdiff1d(np.arange(len(y)), train)
        splits.append(Split(train, np.tile(left, 2), np.concatenate([left, rng.permutation(left)])))
    return Resampling(splits, _no_fields)


def _no_fields(_losses: Sequence[Losses]) -> dict[str, Any]:
    """Its losses are no fields of what an interval of E_cv reads."""
    return {}


def _drawn(y: Labels, stratify: bool, group: Groups, rng: np.random.Generator) -> NDArray[np.intp]:
    """The rows of a draw, ascending, some of them several times; whole groups, and every class that has two rows."""
    codes = np.arange(len(y)) if group is None else group
    strata = y if stratify and group is None else np.zeros(len(y), dtype=np.int64)
    needed = [label for label in np.unique(y) if len(np.unique(codes[y == label])) > 1]
    for _ in range(_TRIES):
        counts = np.zeros(len(y), dtype=np.int64)
        for stratum in np.unique(strata):
            units = np.unique(codes[strata == stratum])
            times = np.bincount(rng.choice(units, len(units)), minlength=int(codes.max()) + 1)
            counts[strata == stratum] = times[codes[strata == stratum]]
        if (counts == 0).any() and all((counts[y == label] > 0).any() for label in needed):
            break
    return np.repeat(np.arange(len(y)), counts)


@dataclass(frozen=True, eq=False)
class Bootstrapped(Tested):
    """The mean loss of each row over the draws that left it out, shape (N,), and the errors of the draws, shape (B,).

    `training_error` is that of the final hypothesis, `no_information` the error where labels do not depend on features.
    """

    by_draw: Losses = None  # type: ignore[assignment]  # always given: fields before it have defaults
    training_error: float = 0.0
    no_information: float = 0.0

    @property
    def left_out(self) -> float:
        """The leave-one-out bootstrap, which is too high: a draw has .632 of the rows."""
        return float(np.mean(self.losses))

    @property
    def error(self) -> float:
        """(1 - w) training error + w left-out error; w is .632 without overfitting, and 1 where nothing is learned.

        w = .632 / (1 - .368 R), with R the relative overfitting (left out - training) / (no information - training).
        """
        trained, nothing = self.training_error, self.no_information
        out = min(self.left_out, nothing)
        overfit = (out - trained) / (nothing - trained) if out > trained and nothing > trained else 0.0
        weight = DRAWN / (1 - (1 - DRAWN) * overfit)
        return (1 - weight) * trained + weight * out

    @property
    def variance(self) -> float:
        """The variance of the left-out error.

        The errors of B draws correlate: S^2 (1/B + left out per row drawn), and never less than s^2 / N of the rows.
        """
        corrected = float(np.var(self.by_draw, ddof=1)) * (1 / len(self.by_draw) + (1 - DRAWN) / DRAWN)
        return max(corrected, float(np.var(self.losses, ddof=1)) / self.n)

    def reach(self, level: float) -> float:
        """The quantile of t with B - 1 degrees of freedom."""
        return two_sided_t(level, len(self.by_draw) - 1)


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The estimate from the losses of all draws, and from the training error of g."""
    observed = bootstrapped(design, evidence)
    target, method = holdout.TARGET_FINAL, design.methods.get("E_boot")
    return estimate_with(candidate, "E_boot", observed, target, len(design.y), method, design.level)


def bootstrapped(design: Design, evidence: Evidence) -> Bootstrapped:
    """What the draws of a design show of a candidate."""
    splits, losses = design.splits("bootstrap"), evidence.losses["bootstrap"]
    own, shuffled = ([part.reshape(2, -1)[place] for part in losses] for place in range(2))
    rows = np.concatenate([split.validation[: len(split.validation) // 2] for split in splits])
    times = np.bincount(rows, minlength=len(design.y))
    by_row = np.bincount(rows, weights=np.concatenate(own), minlength=len(design.y))[times > 0] / times[times > 0]
    left, labels = np.flatnonzero(times), np.concatenate([_labels(split) for split in splits])
    weights = design.weights_of(left)
    if weights is not None:
        ratio = Ratio.of(by_row, weights)
        of_draws = [design.weights_of(split.validation[: len(part)]) for split, part in zip(splits, own, strict=True)]
        own = [ratio.terms(part, of) for part, of in zip(own, of_draws, strict=True)]  # type: ignore[arg-type]
        by_row = ratio.terms(by_row, weights)
    return Bootstrapped(
        by_row,
        design.loss,
        design.seed,
        design.dependence.clusters(left, by_row),
        weights=weights,
        by_draw=np.array([part.mean() for part in own]),
        training_error=tested(design, evidence, "final").error,
        no_information=error_of(np.concatenate(shuffled), design.weights_of(labels)),
    )


def _labels(split: Split) -> Rows:
    """The rows whose labels, in random order, the rows that a draw left out are compared with."""
    rows = split.validation if split.labels is None else split.labels
    return rows[len(rows) // 2 :]


def wilson_bounds(observed: Bootstrapped, level: float) -> tuple[float, float]:
    """Wilson's roots for as many rows as the variance says: the lower at E_boot, the upper at the left-out error."""

    def roots(error: float, variance: float) -> tuple[float, float]:
        variance += wilson.of_one_more(observed)
        size = error * (1 - error) / variance if variance > 0 else observed.rows
        return wilson.roots_at(error, max(size, 1.0), observed.reach(level))

    return _from_either(observed, roots)


def log_t_bounds(observed: Bootstrapped, level: float) -> tuple[float, float]:
    """The same by t on the scale of logarithms."""
    return _from_either(
        observed, lambda error, variance: log_t.about(error, observed.reach(level) * math.sqrt(variance))
    )


def _from_either(observed: Bootstrapped, bounds: Callable[[float, float], tuple[float, float]]) -> tuple[float, float]:
    """From the lower bound at E_boot to the upper bound at the left-out error.

    A learner that repeats its training rows makes E_boot too low, and draws of .632 N rows make the left-out error too
    high. The variance of E_boot is that of the left-out error times the square of their ratio, as for a constant one.
    """
    out, error = observed.left_out, observed.error
    ratio = error / out if out > 0 else 0.0
    low, high = bounds(error, observed.variance * ratio**2)
    return low, max(high, bounds(min(out, max(observed.no_information, error)), observed.variance)[1])


_SECTION = """\
## `E_boot`: the bootstrap .632+ error

N rows are drawn with replacement, 50 times; the rows that a draw left out, about .368 of them, test the hypothesis that
it trained. The mean of these losses, $L$, is too high, since .632 N rows teach less than N; `E_in` is too low. `E_boot`
lies between them:

```math
E_{\\mathrm{boot}} = (1 - w) E_{\\mathrm{in}} + w \\min(L, c), \\qquad w = \\frac{0.632}{1 - 0.368 R}, \\qquad
R = \\frac{\\min(L, c) - E_{\\mathrm{in}}}{c - E_{\\mathrm{in}}}
```

where $c$ is the error if labels do not depend on features: that of each draw's hypothesis with the labels in random
order. $R$ is 0 where $L$, or $c$, is not above `E_in`.

**Target.** The error of the final hypothesis, trained on all N rows.

**Interval and assumption.** Classes: `bootstrap Wilson`. Numbers: `bootstrap log t`. Both under "independent examples;
correlation of draws taken to be that of subsamples, constant weights". From the lower end about `E_boot`, which may be
too low, to the upper end about $L$, which is too high ([study](studies/bootstrap_632.md)). With `groups` no interval is
claimed; for rows in time there is no `E_boot`.

**Cost.** 50 fits more for each candidate, without shortcuts.

**Use it when** rows are few, some ten to a hundred, and the noise of folds matters more than a little bias.
`further_estimates: [E_boot]`, or name it in `heldout.validate(estimates=...)`.

**Do not read it as** unbiased: a single nearest neighbour or a full tree has an `E_in` of 0, and $w$ goes only a part
of the way. No candidate is chosen by it.

Source: B. Efron, R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method (J. Amer. Statist. Assoc.
92, 1997). Code: `heldout/estimates/e_boot.py`.
"""
_ASSUMPTION = "independent examples; correlation of draws taken to be that of subsamples, constant weights"
_WILSON = IntervalMethod(
    name="bootstrap Wilson",
    covers={"E_boot": _ASSUMPTION},
    losses="0/1",
    validity="asymptotic",
    bounds=wilson_bounds,
    with_weights=True,
    least=4,
    keeps_width=True,
)
_LOG_T = IntervalMethod(
    name="bootstrap log t",
    covers={"E_boot": _ASSUMPTION},
    losses="any",
    validity="asymptotic",
    bounds=log_t_bounds,
    with_weights=True,
    least=4,
)
_STUDIED = "its coverage is that of docs/studies.md, bootstrap_632"
ESTIMATE = Definition(
    name="E_boot",
    meaning="The bootstrap .632+ error: between the training error and the error on rows that draws with replacement "
    "left out.",
    about="g, retrained on all rows of the estimates",
    trained_on="all N",
    kind="error",
    column=35,
    scheme="final",
    further=("bootstrap",),
    own_schemes={"bootstrap": Scheme("draw", draw=draw, repeats_rows=True)},
    of_candidate=of_candidate,
    default=Default(_WILSON, _LOG_T, _STUDIED, _STUDIED),
    methods=(_WILSON, _LOG_T),
    in_time=False,
    on_request=True,
    section=_SECTION,
)
