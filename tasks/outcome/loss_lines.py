"""losses.parquet of the contract: a line for each candidate, scheme, unit and tested row."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.notebook.result import Validation
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, half_losses
from heldout.splits.split import Rows, joined_losses, tested_rows, tested_sizes

_SCHEMES: tuple[SchemeName, ...] = ("holdout", "cross_validation", "progressive", "covalidation")
_LINES_AT_ONCE = 1_000_000


def loss_lines(validation: Validation) -> Iterator[pd.DataFrame]:
    """The lines in pieces of one candidate and scheme; with the weight of the row where rows have weights.

    The unit is the split, the step of progressive validation, or the repeat of co-validation.
    """
    design = validation.design
    # rows in time test no half model
    for scheme in _SCHEMES if design.dependence.time is None else _SCHEMES[:-1]:
        for name, evidence in validation.evidence.items():
            if scheme in evidence.losses:
                yield from _pieces(design, name, scheme, *_lines(design, evidence, scheme))


def _pieces(
    design: Design, candidate: str, scheme: SchemeName, units: NDArray[np.int64], rows: Rows, losses: Losses
) -> Iterator[pd.DataFrame]:
    for first in range(0, len(losses), _LINES_AT_ONCE):
        some = slice(first, first + _LINES_AT_ONCE)
        lines = {"candidate": candidate, "scheme": scheme, "unit": units[some], "row": rows[some], "loss": losses[some]}
        weight = {} if design.weights is None else {"weight": design.weights.values[rows[some]]}
        yield pd.DataFrame({**lines, **weight})


def _lines(design: Design, evidence: Evidence, scheme: SchemeName) -> tuple[NDArray[np.int64], Rows, Losses]:
    """The unit, the row and the loss of each line."""
    if scheme == "covalidation":
        losses = half_losses(design, evidence.losses[scheme], on_training_half=False)
        repeats, n = losses.shape
        return np.repeat(np.arange(repeats), n), np.tile(np.arange(n), repeats), losses.ravel()
    splits = design.splits(scheme)
    rows, losses = tested_rows(splits), joined_losses(evidence.losses[scheme])
    if scheme == "progressive":
        step = design.partition.step[rows]
        order = np.argsort(step, kind="stable")
        return step[order], rows[order], losses[order]
    return np.repeat(np.arange(len(splits)), tested_sizes(splits)), rows, losses
