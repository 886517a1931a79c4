"""The limit of a loss that a user states (`loss_max`), held against the losses that turn up.

A limit is a statement about every answer of every hypothesis to every row, those of the population too. No losses can
show that it holds; a single loss above it shows that it does not, whoever's loss it is. So a loss above it ends the
whole validation, and not a candidate alone: a candidate left out for its largest loss would leave the limit of the
others as true as before, which is not at all.
"""

import numpy as np

from heldout.fits import baseline
from heldout.schemes.design import Design, Evidence
from heldout.splits.split import joined_losses, tested_rows


def check_baseline(design: Design) -> None:
    """Raise BadArgument where the best constant answer has a loss above the limit, which is known before any fit."""
    if not design.loss.limit_is_stated:
        return
    rows = np.arange(len(design.y))
    whose = f"{baseline.NAME}, which answers {design.loss.constant.says},"
    design.loss.check_losses(baseline.final_losses(design, design.y), rows, whose)
    check_evidence(design, whose, baseline.evidence(design))


def check_evidence(design: Design, whose: str, evidence: Evidence) -> None:
    """Raise BadArgument for a loss of a candidate above the limit, on tested rows or on training rows."""
    if not design.loss.limit_is_stated:
        return
    for scheme, parts in evidence.losses.items():
        design.loss.check_losses(joined_losses(parts), tested_rows(design.splits(scheme)), whose)
    for number, losses in enumerate(evidence.training):
        design.loss.check_losses(losses, design.splits("covalidation")[number].train, whose)
