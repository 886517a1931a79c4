"""Whether a winner beats the baseline (`heldout.fits.baseline`), on the same rows.

d is the paired difference of their losses on the n tested rows, with the interval
mean(d) +- t sqrt(f V); V is the variance of a mean of independent rows or clusters (`heldout.intervals.clustered_t`),
f the factor for hypotheses that share training rows (`heldout.selection.paired_differences.variance_factor`; Nadeau,
Bengio, Machine Learning 52, 2003). The level is 1 - (1 - level) / M, because the winner was chosen among M candidates
(union bound). Asymptotic in the number of rows or clusters. A winner beats it if the interval lies below 0, and does
not if no part of it does; else it cannot be told (docs/decisions/0018).
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from heldout.fits.baseline import NAME, SCHEME_OF, final_losses
from heldout.intervals import clustered_t
from heldout.intervals.method import two_sided_t
from heldout.losses import Losses
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import CrossValidated, Tested, effective_number
from heldout.parts.splits import tested_rows
from heldout.records import Difference
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, cross_validated, tested
from heldout.schemes.whole_parts import cross_validated_by
from heldout.selection.paired_differences import variance_factor


def is_beaten(
    design: Design, winner: Evidence, constant: Evidence, candidates: int, estimate: str = "E_cv"
) -> bool | None:
    """Whether a winner among `candidates` is shown to err less, by the losses of E_cv, or else of E_val.

    `constant` is the `evidence` of the baseline. By an `estimate` that is 1 - a metric: the baseline answers the class
    that is best by the metric on the training rows, and ranks as a random order does.

    None where it cannot be told, or neither was computed. It has to err less than two constants: that of the training
    rows of each fold, and that of all labelled rows. The first suffers from ties: in leave-one-out of two classes of
    equal size it is always the other class.
    """
    if estimate in design.part_losses:
        of_winner, of_constant = (cross_validated_by(design, of, estimate) for of in (winner, constant))
        level = 1 - (1 - design.level) / candidates
        return beats(of_winner.losses, of_constant.losses, level, of_winner.folds, of_winner.cluster)
    estimate = next((name for name in ("E_cv", "E_val") if name in design.estimates), "")
    if not estimate:
        return None
    scheme = SCHEME_OF[estimate]
    observed = _tested(design, winner.losses[scheme], scheme)
    rows, folds = tested_rows(design.splits(scheme)), None
    if isinstance(observed, CrossValidated):
        rows, folds = np.flatnonzero(design.partition.fold >= 0), observed.folds
    of_splits = _tested(design, constant.losses[scheme], scheme).losses
    of_all = weighed(final_losses(design, design.y[rows]), design.weights_of(rows))
    level = 1 - (1 - design.level) / candidates
    verdicts = [beats(observed.losses, losses, level, folds, observed.cluster) for losses in (of_splits, of_all)]
    return False if False in verdicts else None if None in verdicts else True


def beats(
    losses: Losses,
    baseline: Losses,
    level: float,
    folds: int | None = None,
    cluster: NDArray[np.int64] | None = None,
) -> bool | None:
    """Whether `losses` are shown to be less than the baseline's on the same rows, both of shape (n,).

    None where the interval of the difference contains 0, or there is a single row, or two clusters at most. `folds` is
    the number of folds whose hypotheses share training rows, None for a single hypothesis.
    """
    if np.allclose(losses, baseline, rtol=1e-9, atol=1e-12 * float(baseline.max())):
        return False  # the same answers
    apart = difference(losses, baseline, level, folds, cluster)
    if apart.low is None or apart.high is None:
        return None
    return True if apart.high < 0 else False if apart.low >= 0 else None


def difference(
    losses: Losses,
    baseline: Losses,
    level: float,
    folds: int | None = None,
    cluster: NDArray[np.int64] | None = None,
    winner: str = "",
) -> Difference:
    """The mean of `losses` less that of the baseline's on the same rows; arguments as in `beats`.

    Without an interval for a single row, or two clusters at most.
    """
    apart = losses - baseline
    middle = float(apart.mean())
    record = Difference(winner, NAME, middle)
    units = len(losses) if cluster is None else effective_number(cluster)
    if units <= (1 if cluster is None else clustered_t.METHOD.units_above):
        return record
    reach = two_sided_t(level, units - 1) * math.sqrt(variance_factor(folds) * clustered_t.variance(apart, cluster))
    return replace(
        record,
        low=middle - reach,
        high=middle + reach,
        level=level,
        interval="paired t" if cluster is None else clustered_t.METHOD.name,
    )


def _tested(design: Design, losses: Sequence[Losses], scheme: SchemeName) -> Tested:
    alone = Evidence({scheme: losses})  # without the fits that the interval of E_cv needs
    return cross_validated(design, alone) if scheme == "cross_validation" else tested(design, alone, scheme)
