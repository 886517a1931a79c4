"""Would more rows help? The error after training on all N rows, and on 2N, from the fits that are there anyway.

The half models are trained on N/2 rows (E_2cv) and the fold hypotheses on N - N/k (E_cv), and both test all N rows. So
the gain G = E_2cv - E_cv is a mean of paired differences: of the row's mean loss in the halves less its loss in its
fold. Its target is the true error of the half models less that of the k-fold hypothesis.

From there to more rows an assumption is needed: **each doubling of the training rows lowers the error, and by no more
than the one before**: the error falls, and is convex in the logarithm of the number of rows. Every power law
a + b n^-c with b, c > 0 is such a curve, whatever a is. Let there be d doublings from N/2 to n_cv = N - N/k rows, and t
from n_cv to n. Convexity then gives, for the mean errors e(n) and w = t / d,
    e(n_cv) - w (e(N/2) - e(n_cv)) <= e(n) <= e(n_cv).
The interval at n has the lower limit of the left side, E_cv - w G = (1 + w) E_cv - w E_2cv, which is a mean over rows
again, and the upper limit of E_cv, each at (1 + level) / 2: so it holds at `level` for every curve of this kind, as
far as the limits do. For k = 10, w is .18 at n = N and 1.36 at n = 2N. No exponent is fitted: it would rest on three
points. The value between the ends is that of the power laws with c = 1/2, E_cv - r max(G, 0) with
r = (n_cv^-c - n^-c) / ((N/2)^-c - n_cv^-c), whatever a and b are; where their a would be below 0, that of the power law
with a = 0, E_cv (E_cv / E_2cv)^w. It is a convention.

E_N is the error of one hypothesis, g, which may be far from the mean error of such where the learner is unstable. What
the half models of different repeats err, on the same rows, shows how far: t times the standard deviation of one of them
is added to the reach of both limits of E_N, in squares. E_2N remains the mean error of such retrainings.

The limits of G and of E_cv - w G are mean +- t sqrt(V), V of the corrected t on the paired means of the subsamples that
E_cv's interval needs anyway (`heldout.intervals.corrected_t`), not less than that of N independent rows; without
subsamples as `heldout.selection.paired_differences` has it. Rows in groups have values without limits, as E_2cv has
none, and rows in time order no half models at all.

Not every learner is so: at least 15 % of the learning curves of 28 learners on 265 tables are not falling and convex
(C. Yan, F. Mohr, T. Viering, LCDB 1.1, NeurIPS 38, 2025). A gain whose interval lies below 0 shows such a curve.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from heldout.intervals.method import two_sided_t
from heldout.losses import Losses
from heldout.losses.ratio import Ratio, error_of
from heldout.losses.tested_losses import CrossValidated
from heldout.records import Estimate, MoreRows
from heldout.schemes.design import Design, Evidence, cross_validated, half_losses
from heldout.selection.paired_differences import paired_differences
from heldout.splits.split import tested_sizes, trained_sizes

GAIN, AT_N, AT_2N = "gain", "E_N", "E_2N"
CONVEX = "each doubling of the training rows lowers the error, and by no more than the one before"
_EXPONENT = 0.5
_PARTS = 5  # of the steps of progressive validation: points of the learning curve


def missing(design: Design) -> str | None:
    """Why nothing can be said about more rows; None where it can."""
    if design.dependence.time is not None:
        return "rows in time order have no E_2cv, whose half models would be tested on rows before their training rows"
    for name in ("E_2cv", "E_cv"):
        if name not in design.estimates:
            return f"{name} was not computed; estimates must contain both E_2cv and E_cv"
    folds = len(design.splits("cross_validation")) // design.fold_repeats
    if folds < 3:
        return f"there are {folds} folds, which train on as many rows as E_2cv does; use at least 3"
    return None


def more_rows(
    design: Design, evidence: Mapping[str, Evidence], estimates: Mapping[str, Sequence[Estimate]]
) -> list[MoreRows]:
    """The errors of each candidate at N/2, N - N/k, N and 2N rows, from its `evidence` and its `estimates`.

    Empty where they are `missing`; of a candidate whose half models failed there is none.
    """
    if missing(design) is not None:
        return []
    known = {name: of for name, of in evidence.items() if "covalidation" in of.losses}
    return [line for name, of in known.items() for line in _curve(design, of, estimates[name])]


def _curve(design: Design, evidence: Evidence, records: Sequence[Estimate]) -> Iterator[MoreRows]:
    by_name = {record.estimate: record for record in records}
    E_2cv, E_cv = by_name["E_2cv"], by_name["E_cv"]
    rows = float(np.mean(trained_sizes(design.splits("cross_validation"))))
    yield _line(E_2cv, len(design.y) // 2)
    if "E_prog" in by_name:
        yield from _steps(design, evidence, E_cv.candidate)
    yield _line(E_cv, round(rows))
    by_repeat = half_losses(design, evidence.losses["covalidation"], on_training_half=False)
    if (weights := design.weights_of()) is not None:
        by_repeat = Ratio.of(by_repeat.mean(axis=0), weights).terms(by_repeat, weights)
    pairs = _Pairs(design, cross_validated(design, evidence), by_repeat.mean(axis=0), E_2cv, E_cv, rows)
    yield pairs.gain()
    yield pairs.error(AT_N, len(design.y), _reach_of_one(by_repeat, design.level))
    yield pairs.error(AT_2N, 2 * len(design.y))


def further_gains(half: float, folds: float, rows: float) -> tuple[float, float]:
    """What `rows` training rows gain over `folds`, in units of what these gain over `half`: for the power laws of
    exponent 1/2, and at most for an error that is convex in the logarithm of the number of rows."""
    at_half, at_folds, at_rows = (size**-_EXPONENT for size in (half, folds, rows))
    return (at_folds - at_rows) / (at_half - at_folds), math.log(rows / folds) / math.log(folds / half)


def _reach_of_one(by_repeat: Losses, level: float) -> float:
    """How far the error of one hypothesis may lie from the mean error of such: t times its standard deviation.

    The R means over the rows of `by_repeat`, shape (R, N), are each of two half models. Their variance is that of two
    such errors' mean, and that of N losses about the rows' means over repeats. 0 for a single repeat, which shows none.
    """
    repeats, n = by_repeat.shape
    if repeats < 2:
        return 0.0
    of_rows = by_repeat.var(axis=0, ddof=1).mean() / n
    variance = 2 * max(float(by_repeat.mean(axis=1).var(ddof=1) - of_rows), 0.0)
    return two_sided_t(level, repeats - 1) * math.sqrt(variance)


def _line(record: Estimate, rows: int) -> MoreRows:
    shared = ("candidate", "estimate", "value", "low", "high", "level", "interval", "assumption")
    return MoreRows(rows=rows, **{name: getattr(record, name) for name in shared})


def _steps(design: Design, evidence: Evidence, candidate: str) -> Iterator[MoreRows]:
    """E_prog in parts of consecutive blocks: the mean error of hypotheses on so many training rows on average."""
    splits = design.splits("progressive")
    sizes, trained = tested_sizes(splits), trained_sizes(splits)
    losses, weights = evidence.losses["progressive"], [design.weights_of(split.validation) for split in splits]
    part = ((np.cumsum(sizes) - sizes / 2) * _PARTS / sizes.sum()).astype(np.int64)
    for number in np.unique(part):
        these = part == number
        rows = round(float(np.average(trained[these], weights=sizes[these])))
        blocks = np.flatnonzero(these).tolist()
        counted = None if weights[0] is None else np.concatenate([weights[block] for block in blocks])
        if counted is None or counted.any():
            error = error_of(np.concatenate([losses[block] for block in blocks]), counted)
            yield MoreRows(candidate, rows, "E_prog", error)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """A loss of each row in its fold, and its mean loss in the halves, shape (N,): after training on `rows` and N/2."""

    design: Design
    folds: CrossValidated
    halves: Losses
    E_2cv: Estimate
    E_cv: Estimate
    rows: float

    def gain(self) -> MoreRows:
        """G, from N/2 to `rows`."""
        gain = self.E_2cv.value - self.E_cv.value
        record = MoreRows(self.E_cv.candidate, round(self.rows), GAIN, gain)
        if not self._has_limits:
            return record
        most, reach = self.design.loss.limit, self._reach(-1.0, 1.0)
        low, high = max(gain - reach, -most), min(gain + reach, most)
        return self._limited(record, low, high, self._method, self.E_cv.assumption)

    def error(self, name: str, rows: int, of_one: float = 0.0) -> MoreRows:
        """The error after training on more than `self.rows` rows: the mean of such hypotheses, or one, that may lie
        `of_one` from it."""
        gain = self.E_2cv.value - self.E_cv.value
        likely, weight = further_gains(len(self.design.y) / 2, self.rows, rows)
        value = self.E_cv.value
        if gain > 0:
            value = max(value - likely * gain, value * (value / self.E_2cv.value) ** weight)
        record = MoreRows(self.E_cv.candidate, rows, name, value)
        if not self._has_limits or self.E_cv.low is None or self.E_cv.high is None:
            return record
        E_cv, further = self.E_cv.value, self._reach(1 + weight, -weight)
        low = E_cv - max(weight * gain + math.hypot(further, of_one), math.hypot(E_cv - self.E_cv.low, of_one))
        high = E_cv + math.hypot(self.E_cv.high - E_cv, of_one)
        method = f"{self._method} below, {self.E_cv.interval} above"
        assumption = f"{self.E_cv.assumption}; {CONVEX}"
        return self._limited(record, max(low, 0.0), min(high, self.design.loss.limit), method, assumption)

    @property
    def _has_limits(self) -> bool:
        return self.E_2cv.low is not None and self.E_cv.low is not None

    @property
    def _method(self) -> str:
        return "corrected t of rows" if self.folds.subsample_errors is None else "corrected t"

    def _reach(self, of_folds: float, of_halves: float) -> float:
        """t sqrt(V) of the mean of these multiples of both losses of a row."""
        errors, of_subsamples = self.folds.subsample_errors, None
        if errors is not None:
            halves = [self.halves[split.validation].mean() for split in self.design.splits("subsamples")]
            errors, of_subsamples = of_folds * errors, -of_halves * np.array(halves)
        folds = replace(self.folds, losses=of_folds * self.folds.losses, subsample_errors=errors)
        halves_of_rows = replace(self.folds, losses=-of_halves * self.halves, subsample_errors=of_subsamples)
        found = paired_differences([folds, halves_of_rows], 0, folds.folds)
        return float(found.reach(self.design.level)[1])

    def _limited(self, record: MoreRows, low: float, high: float, method: str, assumption: str | None) -> MoreRows:
        return replace(record, low=low, high=high, level=self.design.level, interval=method, assumption=assumption)
