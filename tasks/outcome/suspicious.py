"""A winner whose error is too low to be believed, and the columns that carry it (`heldout.diagnosis.too_good`)."""

from typing import Any

from heldout.diagnosis import too_good
from heldout.schemes.design import cross_validated
from tasks.outcome.estimate import Results
from tasks.outcome.suspicious_record import Suspicious
from tasks.storage import files


def look(results: Results, winner: str, g_minus: Any, of_baseline: float) -> Suspicious | None:
    """What carries an E_cv below a hundredth of the baseline's, by the hold-out hypothesis of the winner; else None."""
    design = results.design
    E_cv = cross_validated(design, results.evidence[winner]).error
    if not too_good.is_too_low(E_cv, of_baseline):
        return None
    X, _ = files.read_table(files.LABELED)
    (split,) = design.splits("holdout")
    return Suspicious(E_cv, too_good.carriers(g_minus, X, design, split, of_baseline))
