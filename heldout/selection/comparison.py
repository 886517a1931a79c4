"""All candidates compared with one another at once: what is said of a winner rests on these intervals alone.

Claim. All sentences "w errs less than c" that the intervals of a candidate w show are true with probability `level`,
whichever candidate it is, for many rows. The intervals are mean(d) +- t sqrt(V) of
`heldout.selection.paired_differences`, each at the level 1 - (1 - level) / P for the P = M (M - 1) / 2 pairs
(Bonferroni), however the candidates depend on one another. The baseline is no candidate: the M intervals against it are
a family of their own, each at the level 1 - (1 - level) / M.

The winner and the baseline. Where a bootstrap can repeat the choice, that of the candidate w of least estimate, without
a race and out of time, its interval against the baseline is a single one at `level`, whose upper end counts the choice
by what that bootstrap corrects (`heldout.selection.bbc`): mean(d) - t sqrt(V) to mean(d) + E_bbc - E_cv + t sqrt(V).
At the lower end a choice of the least costs nothing: with b the candidate of least true error, E(w) is below mean(d_w)
less a reach only if E(b) is below mean(d_b) less the same, since E(b) <= E(w) and mean(d_w) <= mean(d_b); and b is one
candidate. The upper end is a heuristic, as E_bbc is; it is measured (docs/decisions/0018, `studies/verdicts.py`).

Step down. Where candidates are shown to err more than the one of least estimate, w, its intervals against the s - 1
others that are left are made once more, with P = M (s - 1) / 2, until nobody else is shown to err more. Nothing is paid
for it. Let w be the candidate that it is, by chance, and let a sentence about it be false. The first step with one such
sentence has s at least the number g of candidates that err no more than w in truth, since all that left before do err
more. So a false sentence about w = k is an interval of one of g_k - 1 candidates that fails on one side with chance
(1 - level) / (M (g_k - 1)) at most; the M candidates that w may be sum up to 1 - level. That all intervals of w hold is
measured, not proved. A step with P = s (s - 1) / 2 would leave out more, but its intervals hold too seldom
(docs/decisions/0054).

So two things may be said of a candidate w, whichever it is and however it was chosen from the same rows:

- *w is shown to err less than c*, where the interval of E(w) - E(c) lies below 0. With probability `level` every such
  sentence is true.
- *the candidates that are not shown to err more than w* (`alike`) hold the candidate b of least true error, with
  probability `level`, since "b errs more" is false. Where w is shown to err less than the baseline, by this one
  comparison at `level`, those whose estimate is no lower than the baseline's are not among them: for b to be left out
  so, w would have to pass the baseline by its quantile, and b, which errs no more in truth, to fall behind it.

Both are read from one interval for each c, so that c is among the `alike` if and only if the interval of w against c
does not lie below 0. It may lie above 0, where w is no candidate of least error (as with `one_standard_error`): then c
is shown to err less than w.

Why all pairs: the M - 1 comparisons with the best (S. S. Gupta, Technometrics 7, 1965; J. C. Hsu, Annals of Statistics
9, 1981) hold for the candidate of least true error, which is unknown. The candidate of least estimate is another one
in most samples where errors are close, and has the least estimate because it was lucky: of M equal candidates the
difference of the least from the others is a range, J. W. Tukey's statistic for all pairs. Why in steps: S. Holm
(Scandinavian J. Statistics 6, 1979); P. R. Hansen, A. Lunde, J. M. Nason (Econometrica 79, 2011) for a set of the best.

Asymptotic in the number of rows or clusters, as V and t are. The cost is that of 2 M differences, for any M.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.fits import baseline
from heldout.losses.tested_losses import Tested
from heldout.records import Difference
from heldout.selection import bbc
from heldout.selection.margin import word
from heldout.selection.paired_differences import PairedDifferences, paired_differences

Seen = TypeVar("Seen", bound=Tested)
OF_SUBSAMPLES, OF_ROWS = "corrected t, all pairs", "corrected t of rows, all pairs"
OF_ORIGINS = "Diebold-Mariano, all pairs"
_MOST_TIED = 8  # of the least estimate and other losses; with more there is a single step


@dataclass(frozen=True, eq=False)
class Comparison:
    """What was `observed` of each candidate, and of the baseline if it is compared too, on the same rows and clusters.

    `folds` is the number of folds whose hypotheses share training rows, None for none. `dropped` candidates were left
    out before, by losses on the same rows: the level is shared among the pairs of all, whoever is left. With a
    `margin`, in units of the loss, each difference has a word (`heldout.selection.margin`).
    """

    observed: Mapping[str, Tested]
    folds: int | None
    level: float
    dropped: int = 0
    margin: float | None = None
    seed: int | None = None

    def differences(self, name: str) -> list[Difference]:
        """The error of `name` less that of each other, in their order.

        Without an interval where there is a single row or cluster, in which nothing is ever shown.
        """
        others, most = list(self.observed), self.observed[name].loss.limit
        found, level = self._found(name), self._levels(name)
        reach = found.reach(level)
        interval = OF_SUBSAMPLES if found.of_subsamples else OF_ROWS
        if self.observed[name].origins is not None:
            interval = OF_ORIGINS
        close = None if self.margin is None else found.closer_than(self.margin, level).tolist()
        records = []
        for place, (other, error, by) in enumerate(zip(others, found.error.tolist(), reach.tolist(), strict=True)):
            record = Difference(name, other, error)
            if math.isfinite(by):
                chosen = self._optimism if self._is_corrected(name) and other == baseline.NAME else 0.0
                low, high = max(error - by, -most), min(error + chosen + by, most)
                record = replace(record, low=low, high=high, level=self.level, interval=interval)
            if self.margin is not None and close is not None:
                said = word(record.low, record.high, self.margin, close=close[place])
                record = replace(record, by_margin=said)
            records.append(record)
        return [record for record in records if record.against != name]

    def alike(self, name: str) -> tuple[str, ...]:
        """`name`, and the candidates that are not shown to err more than it; in their order, without the baseline.

        A candidate that errs no less than the baseline is none of them, where `name` is shown to err less than that.
        """
        useless = self._useless(name)
        worse = {one.against for one in self.differences(name) if one.shown_less or one.difference <= useless}
        return tuple(other for other in self.observed if other not in worse and other != baseline.NAME)

    def _useless(self, name: str) -> float:
        """The error of `name` less that of the baseline, where it is shown to be below 0; else nothing is below it."""
        if baseline.NAME not in self.observed or name == baseline.NAME:
            return -math.inf
        found, place = self._found(name), list(self.observed).index(baseline.NAME)
        error, reach = found.error[place], found.reach(self.level)[place]
        return float(error) if error + reach < 0 else -math.inf

    def _found(self, name: str) -> PairedDifferences:
        if name not in self._known:
            place = list(self.observed).index(name)
            self._known[name] = paired_differences(list(self.observed.values()), place, self.folds)
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, PairedDifferences]:
        """The differences of each candidate that was asked about: of many rows they take long."""
        return {}

    def _levels(self, name: str) -> NDArray[np.float64]:
        """The level of the interval of `name` against each, shape (M,), the same as that of each against `name`."""
        others = list(self.observed)
        against, left = np.array(others), np.full(len(others), self._candidates)
        if name in self._least:
            left = self._left
        elif name != baseline.NAME:
            left[np.isin(against, self._least)] = self._left[others.index(name)]
        of_baseline = 1 if self._is_corrected(name) else self._candidates
        pairs = np.where((against == baseline.NAME) | (name == baseline.NAME), of_baseline, self._pairs(left))
        return 1 - (1 - self.level) / pairs

    def _is_corrected(self, name: str) -> bool:
        """Whether the difference of `name` from the baseline counts the choice by a bootstrap of it; what was left out
        before did not take part in that."""
        return self.seed is not None and self.dropped == 0 and name in self._least

    @cached_property
    def _optimism(self) -> float:
        """By how much the least estimate is too low, since it is the least."""
        seen = [of for name, of in self.observed.items() if name != baseline.NAME]
        if self.seed is None or len(seen) == 1:
            return 0.0
        losses = np.stack([of.losses for of in seen])
        corrected = bbc.corrected(losses, self.seed, seen[0].cluster).error
        return max(corrected - min(of.error for of in seen), 0.0)

    @cached_property
    def _left(self) -> NDArray[np.int64]:
        """How many candidates were left in the step that compares the one of least estimate with each, shape (M,).

        Where several have the least estimate, those leave that are shown to err more than each of them.
        """
        is_candidate = np.array([*self.observed]) != baseline.NAME
        unlike = {self.observed[name].losses.tobytes(): name for name in self._least}
        found = [self._found(name) for name in unlike.values()] if len(unlike) <= _MOST_TIED else []
        left, out = np.full(len(is_candidate), self._candidates), ~is_candidate
        while found:
            level = 1 - (1 - self.level) / self._pairs(left)
            shown = np.all([is_candidate & (of.error + of.reach(level) < 0) for of in found], axis=0)
            if not (shown & ~out).any():
                break
            out |= shown
            left = np.where(out, left, self._candidates - int((out & is_candidate).sum()))
        return left

    def _pairs(self, left: NDArray[np.int64]) -> NDArray[np.float64]:
        pairs: NDArray[np.float64] = np.maximum(self._candidates * (left - 1) / 2, 1.0)
        return pairs

    @cached_property
    def _least(self) -> tuple[str, ...]:
        """The candidates of least estimate."""
        errors = {name: seen.error for name, seen in self.observed.items() if name != baseline.NAME}
        least = min(errors.values(), default=0.0)
        return tuple(name for name, error in errors.items() if error == least)

    @property
    def _candidates(self) -> int:
        """M, with those that were left out before."""
        return len(self.observed) - (baseline.NAME in self.observed) + self.dropped


def in_same_clusters(seen: Mapping[str, Seen]) -> dict[str, Seen]:
    """With the clusters of the candidate whose batches in time are the longest: they serve the losses of all."""
    cluster = min(seen.values(), key=lambda rows: rows.units).cluster
    return {name: replace(rows, cluster=cluster) for name, rows in seen.items()}
