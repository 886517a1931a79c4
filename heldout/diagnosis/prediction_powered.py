"""Unlabelled rows narrow the interval: prediction-powered E_val and E_cv for losses of classes.

The controls c of a row say how likely it is to be answered wrongly, and need no label
(`heldout.unlabelled.half_model_controls`). Where the labelled rows happen to be easier than the population, their
controls show it next to those of n unlabelled rows. With the losses L_i of the N tested rows the powered estimate is
    mean_i (L_i - lambda_i . (c_i - mean_u c_u)),
lambda_i from the rows outside the part of row i, which is every tenth row: `SHARE` of the least-squares coefficients of
a row's mean loss in the halves on its controls, times n / (N + n), which is best for the noise of the unlabelled mean.
For any lambda that does not depend on row i, c_i and c_u have the same expectation, so the estimate has the target of
the plain one, and its bias. Nothing is assumed of the model or of the controls; poor controls give a lambda near 0 and
no gain.

The interval is that of the plain estimate's method about the new value, each row `worth` more than a plain one
(`heldout.intervals.moved_interval`): by the variance of the losses over that of the powered losses, with the noise of
the unlabelled mean in the second. The worth is at most (N + n) / N, as if each unlabelled row had got its label, and
not so small that the interval would be more than `WIDEST` times as wide as the plain one. For E_val, which has few
rows, it comes from the rows of E_cv, where that was computed. A value outside the plain interval is moved to its end.

Rows train each other's half models and fold models, so that the losses and the controls of two rows are not
independent, and least squares over rows promises too much. Over samples, `SHARE` of its lambda was best, and half of
the reduction was there: that much is `counted`. (60 samples of 300 rows in eight cells: the best multiple was .75 for
E_cv and .66 for E_val, and the standard deviation .97 of the plain one where least squares promised .94.)

lambda is fitted on no more than one control for each `EVENTS` rows that carry the loss, and not at all on fewer: with a
handful of errors it is noise, and what these rows' models have learned from one another counts too much (at least 10
events for each variable: P. Peduzzi et al., J. Clin. Epidemiol. 49, 1996).

Numbers gain nothing: how far half models differ says little about the noise of a residual, and no line is given.
Labelled and unlabelled rows must be of one population: a Kolmogorov-Smirnov test of each control between the two, at
`populations.DIFFER` over the number of controls, refuses others. It sees what changes the controls, not a change of the
labels of given features. Rows with groups, times or weights are refused, as the unlabelled rows have none.

Source: A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, Prediction-powered inference (Science 382,
2023); with a fitted lambda: A. N. Angelopoulos, J. C. Duchi, T. Zrnic, PPI++ (arXiv 2311.01453, 2023); cross-fitted:
T. Zrnic, E. J. Candes, Cross-prediction-powered inference (PNAS 121, 2024).
"""

from collections.abc import Sequence

import numpy as np

from heldout.estimates import scheme_of
from heldout.intervals import METHODS
from heldout.intervals.moved_interval import can_move, moved
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate, PredictionPowered
from heldout.schemes.design import Design, Evidence, cross_validated, half_losses, tested
from heldout.splits.split import Rows
from heldout.unlabelled import populations
from heldout.unlabelled.half_model_controls import NAMES, Controls

ESTIMATES = ("E_val", "E_cv")
WIDEST = 1.02  # times the plain interval
EVENTS = 10  # rows that carry the loss, for each control
SHARE = 0.7  # of the fitted lambda, and half of the reduction of the variance: what was found over samples
_PARTS = 10  # of the rows: the coefficients of a part come from the others
_RIDGE = 1e-6  # of controls with variance 1: controls that hardly differ share their coefficient, and no rounding grows


def prediction_powered(
    design: Design, evidence: Evidence, records: Sequence[Estimate], controls: Controls | str
) -> list[PredictionPowered]:
    """The powered E_val and E_cv of a candidate, as far as `records`, its estimates, have them.

    `controls` may be the reason why there are none. The lines have a reason and no value where the unlabelled rows
    cannot be used. Empty for a loss of numbers.
    """
    by_name = {record.estimate: record for record in records}
    if not design.loss.of_classes:
        return []
    refused = controls if isinstance(controls, str) else differ(controls)
    lines = []
    for record in (by_name[name] for name in ESTIMATES if name in by_name):
        found: PredictionPowered | str | None = refused or _no_interval(design, record)
        if found is None and not isinstance(controls, str):
            found = _line(design, evidence, record, controls)
        if isinstance(found, PredictionPowered):
            lines.append(found)
        else:
            n = 0 if isinstance(controls, str) else len(controls.unlabeled)
            lines.append(PredictionPowered(record.candidate, record.estimate, unlabeled=n, reason=str(found)))
    return lines


def differ(controls: Controls) -> str | None:
    """Why the unlabelled rows are not of the population of the labelled rows; None where they may be."""
    return populations.differ(controls.labeled, controls.unlabeled, [f"{name} of the half models" for name in NAMES])


def coefficients(losses: Losses, controls: Losses) -> Losses:
    """The least-squares coefficients of `losses`, shape (N,), on `controls`, shape (N, q), outside each row's part.

    The shape is (N, q); a control that does not vary has the coefficient 0.
    """
    part = np.arange(len(losses)) % min(_PARTS, len(losses))
    scale = controls.std(axis=0)
    scale = np.where(scale > _RIDGE, scale, np.inf)
    Z = np.column_stack([(controls - controls.mean(axis=0)) / scale, losses])
    rest = len(losses) - np.bincount(part).astype(np.float64)
    sums, products = np.zeros((len(rest), Z.shape[1])), np.zeros((len(rest), Z.shape[1], Z.shape[1]))
    np.add.at(sums, part, Z)
    np.add.at(products, part, Z[:, :, None] * Z[:, None, :])
    means = (Z.sum(axis=0) - sums) / rest[:, None]
    covariance = (Z.T @ Z - products) / rest[:, None, None] - means[:, :, None] * means[:, None, :]
    q = controls.shape[1]
    found = np.linalg.solve(covariance[:, :q, :q] + _RIDGE * np.eye(q), covariance[:, :q, q:])[:, :, 0]
    made: Losses = (found / scale)[part]
    return made


def powered_losses(losses: Losses, controls: Losses, reference: Losses, multiples: Losses) -> Losses:
    """L_i - lambda_i . (c_i - mean_u c_u), shape (N,).

    `controls`, shape (N, q), are the c_i, `reference`, shape (n, q), the c_u, `multiples`, shape (N, q), the lambda_i.
    """
    made: Losses = losses - ((controls - reference.mean(axis=0)) * multiples).sum(axis=1)
    return made


def worth(losses: Losses, controls: Losses, reference: Losses, multiples: Losses, tested_rows: int) -> float:
    """How many rows a powered row is worth in a mean over `tested_rows` of them, at most 1 + n / `tested_rows`."""
    plain, n = float(np.var(losses, ddof=1)), len(reference)
    of_rows = float(np.var(powered_losses(losses, controls, reference, multiples), ddof=1))
    of_mean = tested_rows / n * float(np.var(reference @ multiples.mean(axis=0)))
    most = 1 + n / tested_rows
    return min(plain / (of_rows + of_mean), most) if of_rows + of_mean > 0 else most


def counted(times: float) -> float:
    """What a row is taken to be worth: by half of the reduction of the variance, where it is one."""
    return 2 / (1 + 1 / times) if times > 1 else times


def carrying(losses: Losses) -> float:
    """How many rows carry the loss, (sum L)^2 / sum L^2: the number of errors, or as many of equal size."""
    squares = float(losses @ losses)
    return float(losses.sum()) ** 2 / squares if squares > 0 else 0.0


def _line(design: Design, evidence: Evidence, record: Estimate, controls: Controls) -> PredictionPowered | str:
    observed = {name: _observed(design, evidence, name) for name in ESTIMATES if scheme_of(name) in evidence.losses}
    here, rows = observed[record.estimate]
    many, of_many = observed.get("E_cv", (here, rows))
    n, method, events = here.n, design.methods[record.estimate], carrying(many.losses)
    if events < EVENTS:
        return f"{events:.3g} of {many.n} rows carry the loss; at least {EVENTS} are needed"
    used = slice(0, int(events // EVENTS))
    labeled, reference = controls.labeled[:, used], controls.unlabeled[:, used]
    halves = half_losses(design, evidence.losses["covalidation"], on_training_half=False).mean(axis=0)
    multiples = SHARE * coefficients(halves, labeled) * (len(reference) / (n + len(reference)))
    value, times, gained, low, high = record.value, 1.0, 0.0, float(record.low or 0), float(record.high or 0)
    width = high - low
    if np.any(multiples) and np.ptp(many.losses) > 0 and width > 0:
        value = float(powered_losses(here.losses, labeled[rows], reference, multiples[rows]).mean())
        value = min(max(value, low), high)
        times = counted(worth(many.losses, labeled[of_many], reference, multiples[of_many], n))
        gained = n * (times - 1)
        low, high = moved(method, here, value, times, design.level)
        while high - low > WIDEST * width:
            times *= max((high - low) / (WIDEST * width), 1.001) ** 2
            low, high = moved(method, here, value, times, design.level)
    return PredictionPowered(
        record.candidate,
        record.estimate,
        value,
        low,
        high,
        record.level,
        record.interval,
        width=(high - low) / width if width > 0 else 1.0,
        labels_gained=gained,
        unlabeled=len(reference),
    )


def _observed(design: Design, evidence: Evidence, estimate: str) -> tuple[Tested, Rows]:
    """What the interval of E_val or E_cv looks at, and the rows of its losses."""
    if estimate == "E_cv":
        return cross_validated(design, evidence), np.arange(len(design.y))
    return tested(design, evidence, "holdout"), design.splits("holdout")[0].validation


def _no_interval(design: Design, record: Estimate) -> str | None:
    """Why the plain estimate has no interval that can be moved; None where it has one."""
    if record.low is None:
        return f"{record.estimate} has no interval"
    method = design.methods[record.estimate]
    if can_move(method):
        return None
    fitting = [
        one.name for one in METHODS if can_move(one) and record.estimate in one.covers and one.admits(design.loss)
    ]
    return f"intervals: {method.name} is for the plain {record.estimate} alone; use {', '.join(fitting)}"
