"""The effect of duplicate rows: E_cv of the winner with copies on both sides of a split, and on one side."""

import logging
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from heldout.design import cross_validated
from tasks.data import duplicates
from tasks.fits.run_schemes import fit_all
from tasks.outcome.estimate import Results
from tasks.params import Candidate, Settings
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


@dataclass(frozen=True)
class DuplicatesEffect:
    """The labelled rows that have a copy, how many of them have a copy with another label, and E_cv both ways.

    `E_cv_kept_together` is None where those folds cannot be fitted.
    """

    rows: int
    differing: int
    E_cv: float
    E_cv_kept_together: float | None

    def described(self) -> dict[str, Any]:
        """The entry of selection.json."""
        return {"duplicates": asdict(self)}


def compare(settings: Settings, results: Results, winner: Candidate) -> DuplicatesEffect | None:
    """Both errors; None where no two rows are copies. The k further fits are stored like all others."""
    design = results.design
    if design.copies is None:
        return None
    E_cv_kept_together = None
    try:
        finished, _ = fit_all(settings.model_copy(update={"candidates": [winner]}), ["copies_together"])
        E_cv_kept_together = float(np.concatenate([*finished["copies_together"][winner.name].losses]).mean())
    except UserError as error:
        log.warning("copies: E_cv of %s with copies on one side cannot be computed: %s", winner.name, error)
    rows, differing = duplicates.count(design.copies, design.y)
    E_cv = cross_validated(design, results.evidence[winner.name]).error
    return DuplicatesEffect(rows, differing, E_cv, E_cv_kept_together)
