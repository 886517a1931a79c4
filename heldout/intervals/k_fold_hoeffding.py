"""Theorem 3's interval for k-fold cross-validation.

Target: the true error of the k-fold hypothesis, which answers with one of the k hypotheses drawn
uniformly; not the error of the model retrained on all rows.
Kind: finite-sample, for any learner and any loss in [0, 1]; as wide as a hold-out of N/k.
Source: Blum, Kalai, Langford (COLT 1999), Thm 3; METHOD, section 3.

Pr(E_true - E_cv > a) <= exp(-2 a^2 N/k), and likewise for the other side, so that Hoeffding's
interval holds with N/k examples in place of N. Folds of unequal size: the smallest one counts,
floor(N/k) examples, since the proof holds for each fold's hold-out.
"""

from heldout.errors import BadArgument
from heldout.intervals import hoeffding
from heldout.records import Interval

METHOD = "k-fold Hoeffding (Thm 3)"


def interval(error: float, n: int, folds: int, level: float) -> Interval:
    """The interval about E_cv = `error` of n examples in `folds` folds. Raises as Hoeffding's."""
    if not 1 <= folds <= n:
        raise BadArgument("folds", f"folds is {folds}; it must lie between 1 and {n}, the number of examples")
    return hoeffding.interval(
        error, n // folds, level, method=METHOD, assumption="independent examples, loss in [0, 1], any learner"
    )
