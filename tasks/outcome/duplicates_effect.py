"""The effect of duplicate rows: E_cv of the winner with copies on both sides of a split, and on one side."""

import logging
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from heldout.losses.ratio import error_of
from heldout.notebook.result import Validation
from heldout.schemes import SCHEMES, SchemeName
from heldout.schemes.design import cross_validated
from heldout.splits.split import tested_rows
from tasks.data import duplicates
from tasks.fits.run_schemes import fit_all
from tasks.params import Candidate, Settings
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")


@dataclass(frozen=True)
class DuplicatesEffect:
    """The labelled rows that have a copy, how many of them have a copy with another label, and E_cv both ways.

    `E_cv` has copies on both sides of folds, `E_cv_kept_together` on one; one of them is that of the run, and the other
    is None where its folds cannot be fitted.
    """

    rows: int
    differing: int
    E_cv: float | None
    E_cv_kept_together: float | None

    def described(self) -> dict[str, Any]:
        """The entry of selection.json."""
        return {"duplicates": asdict(self)}


def compare(settings: Settings, validation: Validation, winner: Candidate) -> DuplicatesEffect | None:
    """Both errors; None where no two rows are copies. The k further fits are stored like all others."""
    design = validation.design
    if design.copies is None:
        return None
    scheme: SchemeName = "copies_apart" if design.keeps_copies_together else "copies_together"
    here, other = cross_validated(design, validation.evidence[winner.name]).error, None
    try:
        finished, _ = fit_all(settings.model_copy(update={"candidates": [winner]}), [scheme])
        losses = np.concatenate([*finished[scheme][winner.name].losses])
        other = error_of(losses, design.weights_of(tested_rows(design.splits(scheme))))
    except UserError as error:
        log.warning("copies: E_cv of %s with %s cannot be computed: %s", winner.name, SCHEMES[scheme].fit_label, error)
    rows, differing = duplicates.count(design.copies, design.y)
    apart, together = (other, here) if scheme == "copies_apart" else (here, other)
    return DuplicatesEffect(rows, differing, apart, together)
