"""All candidates compared with one another at once: what is said of a winner rests on these intervals alone.

Claim. For many rows, with probability `level`, the interval of every pair of candidates holds the difference of their
true errors. The intervals are mean(d) +- t sqrt(V) of `heldout.selection.paired_differences`, each at the level
1 - (1 - level) / P for the P = M (M - 1) / 2 pairs (Bonferroni), so that any of them fails with probability 1 - level
at most, however the candidates depend on one another. The baseline is no candidate: the M intervals against it are a
family of their own, each at the level 1 - (1 - level) / M.

So two things may be said of a candidate w, whichever it is and however it was chosen from the same rows:

- *w is shown to err less than c*, where the interval of E(w) - E(c) lies below 0. With probability `level` every such
  sentence is true, of all pairs.
- *the candidates that are not shown to err more than w* (`alike`) hold the candidate b of least true error, with
  probability `level`. Proof: if all intervals hold, that of E(w) - E(b) has an upper end of at least
  E(w) - E(b) >= 0. So it does not lie below 0, and b is not left out.

Both are read from one interval for each c, so that c is among the `alike` if and only if the interval of w against c
does not lie below 0. It may lie above 0, where w is no candidate of least error (as with `one_standard_error`): then c
is shown to err less than w.

Why all pairs: the M - 1 comparisons with the best (S. S. Gupta, Technometrics 7, 1965; J. C. Hsu, Annals of Statistics
9, 1981) hold for the candidate of least true error, which is unknown. The candidate of least estimate is another one
in most samples where errors are close, and has the least estimate because it was lucky: of M equal candidates the
difference of the least from the others is a range, J. W. Tukey's statistic for all pairs.

Asymptotic in the number of rows or clusters, as V and t are. The cost is that of M differences, for any M.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from heldout.fits import baseline
from heldout.losses.tested_losses import Tested
from heldout.records import Difference
from heldout.selection.margin import word
from heldout.selection.paired_differences import paired_differences

Seen = TypeVar("Seen", bound=Tested)
OF_SUBSAMPLES, OF_ROWS = "corrected t, all pairs", "corrected t of rows, all pairs"


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

    def differences(self, name: str) -> list[Difference]:
        """The error of `name` less that of each other, in their order.

        Without an interval where there is a single row or cluster, in which nothing is ever shown.
        """
        seen, others = list(self.observed.values()), list(self.observed)
        found, most = paired_differences(seen, others.index(name), self.folds), seen[0].loss.limit
        candidates = len(others) - (baseline.NAME in others) + self.dropped
        level_of_pairs = 1 - (1 - self.level) / max(candidates * (candidates - 1) / 2, 1)
        level_of_baseline = 1 - (1 - self.level) / candidates
        constant = np.array(others) == baseline.NAME
        reach = np.where(constant, found.reach(level_of_baseline), found.reach(level_of_pairs))
        interval = OF_SUBSAMPLES if found.of_subsamples else OF_ROWS
        records = []
        for other, error, by in zip(others, found.error.tolist(), reach.tolist(), strict=True):
            record = Difference(name, other, error)
            if math.isfinite(by):
                low, high = max(error - by, -most), min(error + by, most)
                record = replace(record, low=low, high=high, level=self.level, interval=interval)
            records.append(record)
        if self.margin is not None:
            of_both = [found.closer_than(self.margin, level) for level in (level_of_baseline, level_of_pairs)]
            close = np.where(constant, *of_both).tolist()
            records = [
                replace(one, by_margin=word(one.low, one.high, self.margin, close=near))
                for one, near in zip(records, close, strict=True)
            ]
        return [record for record in records if record.against != name]

    def alike(self, name: str) -> tuple[str, ...]:
        """`name`, and the candidates that are not shown to err more than it; in their order, without the baseline."""
        worse = {record.against for record in self.differences(name) if record.shown_less}
        return tuple(other for other in self.observed if other not in worse and other != baseline.NAME)


def in_same_clusters(seen: Mapping[str, Seen]) -> dict[str, Seen]:
    """With the clusters of the candidate whose batches in time are the longest: they serve the losses of all."""
    cluster = min(seen.values(), key=lambda rows: rows.units).cluster
    return {name: replace(rows, cluster=cluster) for name, rows in seen.items()}
