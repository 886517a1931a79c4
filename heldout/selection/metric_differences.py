"""Of 1 - a metric of a whole part: a difference of two candidates that few rows show, or none.

The terms of two candidates whose metrics no row tells apart are equal, and so are those of two that rank every row
right; the variance of their difference is 0 then, and it is too small where a single row has shown one. As for losses
of 0 and 1 (`heldout.selection.paired_differences`) the variance V is therefore not less than with one more row on which
the two differ, half of it where each is the better one (A. Agresti, Y. Min, Statistics in Medicine 24, 2005). The
metric counts a wrong answer as one of R rows at most (`PartLoss.rows`, `ByMetric.rows`), so this is

    (R^2 V + 1) / (R + 2)^2,

and t has R - 1 degrees of freedom at most, or those of fewer rows that it weighs as (`PartLoss.size`). R counts for
less where hypotheses share their training rows, and of groups, as the variance counts for more.

That two differ by less than a margin is read from the score test of `heldout.selection.margin`, for the two numbers of
R rows, on which the one and the other errs alone, that have the difference D and the variance V: their sum is R^2 V +
R D^2, and R |D| at least.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.losses.tested_losses import Tested
from heldout.schemes.whole_parts import CrossValidatedParts, TestedPart

if TYPE_CHECKING:
    from heldout.selection.paired_differences import PairedDifferences


def with_one_more_row(found: "PairedDifferences", observed: Sequence[Tested], factor: float) -> "PairedDifferences":
    """What was `found` of M candidates from what was `observed` of each, with one more row on which two differ.

    `factor` is that of a variance by hypotheses that share training rows. The same for losses of rows, and for a metric
    of which nobody knows what a row changes.
    """
    parts = [of for of in observed if isinstance(of, TestedPart | CrossValidatedParts)]
    if not parts or not parts[0].rows or found.degrees <= 0:
        return found
    share = parts[0].units / parts[0].n / factor
    rows = max(parts[0].rows * share, 2.0)
    variance = np.maximum(found.variance, (rows**2 * found.variance + 1) / (rows + 2) ** 2)
    degrees = min(found.degrees, max(min(rows, *(of.size * share for of in parts)) - 1, 1.0))
    both = np.maximum(rows**2 * found.variance + rows * found.error**2, rows * np.abs(found.error))
    alone = np.stack([both + rows * found.error, both - rows * found.error]) / 2
    return replace(found, variance=variance, degrees=degrees, errs_alone=alone, limit=1.0, units=rows)
