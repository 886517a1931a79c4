"""In which order people see candidates: by the criterion, the best first."""

import math
from collections.abc import Sequence

from tasks.report.summary import Summary


def ranked(summary: Summary) -> Sequence[str]:
    """The candidates that did not fail, the least value of the criterion first; a tie stays in their order."""
    names = [name for name in summary.selection["candidates"] if name not in summary.failures]
    parts = [part for part in _PARTS if part in summary.selection["criterion"]]

    def by(name: str) -> float:
        return max((value for part in parts if (value := summary.value(name, part)) is not None), default=math.inf)

    return sorted(names, key=by)


_PARTS = ("E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt")  # of a criterion, which may be the largest of two
