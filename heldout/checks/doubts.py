"""What of a table speaks against a verdict: the checks that need no fit of a candidate, before anything is shipped.

They are those of `heldout.audit` and `init`, by the same functions, without what is only worth a note. Where a column
may hold groups or a time, a quick forest on a sample decides, as there: no finding rests on a name alone.
"""

from collections.abc import Collection

import pandas as pd

from heldout.checks.examination import examine
from heldout.errors import BadArgument
from heldout.findings import checks
from heldout.findings.finding import Finding


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
