"""The baseline: the best constant answer, estimated on the same splits as the candidates.

It answers the same for every row, from the labels of its training rows alone: what is best by the loss
(`heldout.losses.constant`). A learner that does not beat it has learned nothing from the features. It has the intervals
of the candidates, cannot win, and does not count among them: not for a bound, nor for a correction of the choice.

Whether a winner beats it: d is the paired difference of their losses on the n tested rows, with the interval
mean(d) +- t sqrt(f V); V is the variance of a mean of independent rows or clusters (`heldout.intervals.clustered_t`),
f the factor for hypotheses that share training rows (`heldout.selection.paired_differences.variance_factor`; Nadeau,
Bengio, Machine Learning 52, 2003). The level is 1 - (1 - level) / M, because the winner was chosen among M candidates
(union bound). Asymptotic in the number of rows or clusters. A winner beats it if the interval lies below 0, and does
not if no part of it does; else it cannot be told (docs/decisions/0018).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heldout import holdout
from heldout.design import Design, Evidence, cross_validated, tested
from heldout.intervals import clustered_t
from heldout.intervals.method import two_sided_t
from heldout.losses import Loss, Losses
from heldout.observed import CrossValidated, Tested, effective_number
from heldout.records import Difference, Rows, Split
from heldout.schemes import SchemeName
from heldout.selection.paired_differences import variance_factor
from heldout.splits import SplitLosses, tested_rows, tested_sizes
from heldout.training_labels import SplitLabels
from heldout.weights import Weights

NAME = "baseline"
_SCHEME_OF: Mapping[str, SchemeName] = {"E_val": "holdout", "E_cv": "cross_validation"}  # of its estimates
_CELLS = 8_000_000  # of answers at once: 64 MB


class Labelled(Protocol):
    """Labelled rows: their labels, of shape (N,), the loss that judges them, and their weights."""

    @property
    def y(self) -> NDArray[np.generic]: ...

    @property
    def loss(self) -> Loss: ...

    @property
    def weights(self) -> Weights | None: ...


def reserved(what: str) -> str:
    """Why no candidate may be called so, for a message that begins with `what`."""
    return f"{what} {NAME!r}, which is the name of the best constant answer in every table; take another name"


def evidence(design: Design) -> Evidence:
    """The losses behind E_val and E_cv, and behind their intervals, as far as the design asks for them."""
    wanted = [scheme for estimate, scheme in _SCHEME_OF.items() if estimate in design.estimates]
    if "E_cv" in design.estimates and design.further_for_e_cv is not None:
        wanted.append(design.further_for_e_cv)
    if "E_val" in design.estimates and design.methods["E_val"].needs_cv and "cross_validation" not in wanted:
        wanted.append("cross_validation")
    return Evidence({scheme: _scheme_losses(design, scheme) for scheme in wanted})


def final_losses(labelled: Labelled, y: NDArray[np.generic]) -> Losses:
    """The losses, without weights, of the best constant of all labelled rows at the labels `y`, shape (n,)."""
    return _losses(labelled, [holdout.final_split(len(labelled.y))], np.zeros(len(y), dtype=np.intp), y)


def is_beaten(design: Design, winner: Evidence, constant: Evidence, candidates: int) -> bool | None:
    """Whether a winner among `candidates` is shown to err less, by the losses of E_cv, or else of E_val.

    `constant` is the `evidence` of the baseline.

    None where it cannot be told, or neither was computed. It has to err less than two constants: that of the training
    rows of each fold, and that of all labelled rows. The first suffers from ties: in leave-one-out of two classes of
    equal size it is always the other class.
    """
    estimate = next((name for name in ("E_cv", "E_val") if name in design.estimates), None)
    if estimate is None:
        return None
    scheme = _SCHEME_OF[estimate]
    observed = _tested(design, winner.losses[scheme], scheme)
    rows, folds = tested_rows(design.splits(scheme)), None
    if isinstance(observed, CrossValidated):
        rows, folds = np.flatnonzero(design.partition.fold >= 0), observed.folds
    of_splits = _tested(design, constant.losses[scheme], scheme).losses
    of_all = _weighted(design, final_losses(design, design.y[rows]), rows)
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


def _scheme_losses(design: Design, scheme: SchemeName) -> SplitLosses:
    splits = design.splits(scheme)
    rows, sizes = tested_rows(splits), tested_sizes(splits)
    losses = _losses(design, splits, np.repeat(np.arange(len(splits)), sizes), design.y[rows])
    return SplitLosses(_weighted(design, losses, rows), sizes)


def _losses(labelled: Labelled, splits: Sequence[Split], number: Rows, y: NDArray[np.generic]) -> Losses:
    """The losses at labels `y`, shape (n,), of the best constants of the splits `number`, shape (n,)."""
    weights = np.ones(len(labelled.y)) if labelled.weights is None else labelled.weights.values
    answers: NDArray[Any] = labelled.loss.constant.answers(SplitLabels(labelled.y, weights, splits))
    at_once = max(_CELLS * len(answers) // answers.size, 1)
    pieces = [slice(first, first + at_once) for first in range(0, len(y), at_once)]
    return np.concatenate([labelled.loss.pointwise(y[piece], answers[number[piece]]) for piece in pieces])


def _weighted(design: Design, losses: Losses, rows: Rows) -> Losses:
    return losses if design.weights is None else losses * design.weights.relative[rows]
