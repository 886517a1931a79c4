"""How much less the selected candidate errs than each other candidate, and than the baseline: no further fit.

d is the difference of two candidates' held-out losses on the same N rows, by hypotheses trained on the same rows; its
mean is the difference of their E_cv, with the interval mean(d) +- t sqrt(V). V is the variance of the corrected
resampled t on the differences of the J shared subsamples, but not less than that of N independent rows
(`heldout.intervals.corrected_t`), with J - 1 degrees of freedom. Without subsamples V is the variance of a mean of
independent rows or clusters times the factor for hypotheses that share training rows
(`heldout.selection.confidence_set.variance_factor`), with one degree less than there are rows or clusters. For losses
of 0 and 1, V is also not less than with one more row on which the two differ, or candidates that agree on every row
would seem to have one error (A. Agresti, Y. Min, Statistics in Medicine 24, 2005).

The intervals hold at the same time for the best against the rest (J. C. Hsu, Annals of Statistics 9, 1981): with
probability `level`, each interval between the candidate of least true error and another holds. Each of the M - 1 has
the level 1 - (1 - level) / (M - 1), M with the baseline (Bonferroni). Which candidate was selected does not matter: if
it is the best, all of its intervals hold, and if not, its interval against the best does, and cannot lie below 0.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from heldout import baseline
from heldout.design import Design, Evidence, cross_validated
from heldout.intervals import clustered_t, corrected_t
from heldout.intervals.method import two_sided_t
from heldout.observed import CrossValidated
from heldout.records import Difference
from heldout.selection.confidence_set import variance_factor

OF_SUBSAMPLES, OF_ROWS = "corrected t, Bonferroni", "corrected t of rows, Bonferroni"


def differences(design: Design, evidence: Mapping[str, Evidence], selected: str) -> list[Difference]:
    """E_cv of `selected` less that of each other candidate, in their order, and of the baseline.

    Empty where E_cv was not computed; without an interval where there is a single row or cluster.
    """
    if "E_cv" not in design.estimates:
        return []
    every = {**evidence, baseline.NAME: baseline.evidence(design)}
    observed = {name: cross_validated(design, of) for name, of in every.items()}
    return [
        _difference(selected, name, observed[selected], other, design.level, len(every) - 1)
        for name, other in observed.items()
        if name != selected
    ]


def _difference(
    name: str, against: str, one: CrossValidated, other: CrossValidated, level: float, comparisons: int
) -> Difference:
    errors = None if one.subsample_errors is None else one.subsample_errors - np.asarray(other.subsample_errors)
    paired = replace(one, losses=one.losses - other.losses, subsample_errors=errors)
    record = Difference(name, against, paired.error)
    if paired.units < 2:
        return record
    reach = two_sided_t(1 - (1 - level) / comparisons, degrees(paired)) * math.sqrt(variance(paired))
    most = 1.0 if one.loss.bounded else math.inf
    low, high = max(paired.error - reach, -most), min(paired.error + reach, most)
    return replace(record, low=low, high=high, level=level, interval=OF_ROWS if errors is None else OF_SUBSAMPLES)


def degrees(paired: CrossValidated) -> float:
    """The degrees of freedom of `variance`."""
    return paired.units - 1 if paired.subsample_errors is None else corrected_t.degrees(paired)


def variance(paired: CrossValidated) -> float:
    """V of the mean of the paired differences, which `paired` has in place of losses."""
    if paired.subsample_errors is None:
        spread = variance_factor(paired.folds) * clustered_t.variance(paired.losses, paired.cluster)
    else:
        spread = corrected_t.variance_or_pooled(paired)
    if not paired.loss.binary:
        return spread
    squares = float(paired.losses @ paired.losses) + 1  # the number of rows on which two losses of 0 and 1 differ
    rows = paired.n + 2
    return max(spread, (squares - float(paired.losses.sum()) ** 2 / rows) / rows**2)
