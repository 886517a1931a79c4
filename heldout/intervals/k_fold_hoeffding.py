"""Theorem 3's interval for k-fold cross-validation.

Target: the true error of the k-fold hypothesis, which answers with one of the k hypotheses drawn
uniformly; not the error of the model retrained on all rows.
Kind: finite-sample, for any learner and any loss in [0, 1]; as wide as a hold-out of N/k.
Source: Blum, Kalai, Langford (COLT 1999), Thm 3; METHOD, section 3.

Pr(E_true - E_cv > a) <= exp(-2 a^2 N/k), and likewise for the other side, so that Hoeffding's
interval holds with N/k examples in place of N. Folds of unequal size: the smallest fold counts,
floor(N/k) examples, since the proof holds for each fold's hold-out.
"""

from heldout.intervals.hoeffding import two_sided_reach
from heldout.intervals.method import IntervalMethod
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """The bounds about the mean of N losses in [0, 1], in k folds."""
    reach = two_sided_reach(observed.n // observed.folds, level)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="k-fold Hoeffding",
    covers={"E_cv": "independent examples, loss of known limit, any learner (Thm 3)"},
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    keeps_width=True,
)
