"""Of 1 - a metric of a set: a difference of two candidates that few rows show, or none.

The terms of two candidates whose metrics no row tells apart are equal, and so are those of two that rank every row
right; the variance of their difference is 0 then, and it is too small where a single row has shown one. The metric
counts a wrong answer as one of R rows at most (`SetMetric.rows`, `ByMetric.rows`). So its difference is taken as that
of losses of 0 and 1 on R rows, and the rows that did not come up are counted as for these
(`heldout.selection.paired_differences`). t has R - 1 degrees of freedom at most, or those of fewer rows that the metric
weighs as (`SetMetric.size`). R counts for less where hypotheses share their training rows, and of groups, as the
variance counts for more.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.schemes.set_metrics import CrossValidatedSets, TestedSet

if TYPE_CHECKING:
    from heldout.selection.paired_differences import PairedDifferences


def of_metric(found: "PairedDifferences", observed: Sequence[Tested], factor: float) -> "PairedDifferences":
    """What was `found` of M candidates from what was `observed` of each, as a difference of R rows.

    `factor` is that of a variance by hypotheses that share training rows. The same for losses of rows, and for a metric
    of which nobody knows what a row changes.
    """
    parts = [of for of in observed if isinstance(of, TestedSet | CrossValidatedSets)]
    if not parts or not parts[0].of_answers or found.degrees <= 0:
        return found
    share = parts[0].units / parts[0].n / factor
    rows = max(min(of.of_answers for of in parts) * share, 2.0)
    degrees = min(found.degrees, max(min(rows, *(of.size * share for of in parts)) - 1, 1.0))
    return replace(
        found, of_rows=found.variance, rows=np.full_like(found.error, rows), degrees=degrees, loss=ZERO_ONE, limit=1.0
    )
