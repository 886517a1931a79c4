"""Whether a winner beats the baseline (`heldout.fits.baseline`), by the interval of their difference on the same rows.

The interval is that of `differences.csv` (`heldout.selection.comparison`), which counts that the winner was chosen. A
winner beats the baseline if it lies below 0, and does not if no part of it does; else it cannot be told
(docs/decisions/0018).
"""

from collections.abc import Mapping

import numpy as np

from heldout.fits import baseline
from heldout.fits.baseline import NAME
from heldout.schemes.design import Design, Evidence
from heldout.selection.comparison import Comparison
from heldout.selection.differences import compared_by


def is_beaten(design: Design, evidence: Mapping[str, Evidence], winner: str, estimate: str = "E_cv") -> bool | None:
    """Whether a `winner` among all candidates is shown to err less, by the losses of E_cv, or else of E_val.

    By an `estimate` that is 1 - a metric: the baseline answers the class that is best by the metric on the training
    rows, and ranks as a random order does.

    None where it cannot be told, or neither was computed. It has to err less than two constants: that of the training
    rows of each fold, and that of all labelled rows. The first suffers from ties: in leave-one-out of two classes of
    equal size it is always the other class.
    """
    of_metric = estimate in design.set_metrics
    if not of_metric:
        estimate = next((name for name in ("E_cv", "E_val") if name in design.estimates), "")
    constants = [baseline.evidence(design)]
    if not of_metric:
        constants.append(baseline.evidence_of_all(design, constants[0].losses))
    compared = [compared_by(design, evidence, estimate, constant=constant) for constant in constants]
    verdicts = [None if one is None else beats(one, winner) for one in compared]
    return False if False in verdicts else None if None in verdicts else True


def beats(compared: Comparison, winner: str) -> bool | None:
    """Whether the `winner` is shown to err less than the baseline, both of which are `compared`.

    None where the interval of the difference contains 0, or there is none; False for the same answers on every row.
    """
    ours, constant = (compared.observed[name].losses for name in (winner, NAME))
    if np.allclose(ours, constant, rtol=1e-9, atol=1e-12 * float(constant.max())):
        return False
    [apart] = [one for one in compared.differences(winner) if one.against == NAME]
    if apart.low is None or apart.high is None:
        return None
    return True if apart.high < 0 else False if apart.low >= 0 else None
