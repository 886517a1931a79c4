"""What of a table speaks against a verdict: the checks that need no fit of a candidate, before anything is shipped.

They are those of `heldout.audit` and `init`, by the same functions, without what is only worth a note. Where a column
may hold groups or a time, a quick forest on a sample decides, as there: no finding rests on a name alone.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks import typed_rows
from heldout.checks.examination import examine
from heldout.errors import BadArgument
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.rows.texts import Texts


def look(
    table: pd.DataFrame,
    y: pd.Series,
    *,
    classes: bool,
    dependent: bool,
    skipped: Collection[str] = (),
    unlabeled: pd.DataFrame | None = None,
) -> tuple[Finding, ...]:
    """The findings about a table with an undone severity of care or stop; none where nothing can be learned from it.

    `table` are the features of the rows with labels `y`, in the dtypes of their kinds and in the order of the file.
    With `dependent` somebody said already how rows depend on one another, and nothing more is asked about it.
    """
    every = {*skipped, *checks.NOTES, *(checks.OF_DEPENDENCE if dependent else ())}
    try:
        found = examine(table, y, classes=classes, unlabeled=unlabeled, skipped=every).findings
    except BadArgument:  # no feature is left
        return ()
    return tuple(one for one in found if one.not_done().severity != "note")


def of_rows(
    X: Any,
    y: NDArray[Any],
    *,
    unlabeled: Any,
    classes: bool,
    dependent: bool,
    skipped: Collection[str],
    folds: Sequence[NDArray[np.int64]] = (),
) -> tuple[Finding, ...]:
    """The same of rows X, shape (N, p), as a notebook gives them; a column without a kind is not looked at.

    `folds`, each of shape (N,), are partitions that somebody gave: groups that they keep together are no finding.
    Raises BadArgument for rows that cannot be read.
    """
    X, unlabeled = (pd.DataFrame({"text": rows.values}) if isinstance(rows, Texts) else rows for rows in (X, unlabeled))
    table = typed_rows.without_infinities(typed_rows.table_of(X, "X", usable=True))[0]
    others = None if unlabeled is None else typed_rows.unlabeled_of(unlabeled, table, usable=True)
    found = look(
        table,
        typed_rows.labels_of(y, table),
        classes=classes,
        dependent=dependent,
        skipped=skipped,
        unlabeled=others,
    )
    return tuple(
        one for one in found if not (folds and one.code == checks.GROUPS.code and _are_whole(one, table, folds))
    )


def _are_whole(finding: Finding, table: pd.DataFrame, folds: Sequence[NDArray[np.int64]]) -> bool:
    """Whether each of the `folds` has all rows of a value of the finding's column."""
    values = pd.factorize(table[finding.columns[0]])[0]
    return all(pd.Series(fold).groupby(values).nunique().max() == 1 for fold in folds)
