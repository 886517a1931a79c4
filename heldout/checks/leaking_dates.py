"""Dates whose difference is the target: the day of discharge, less that of admission, says who stays long.

Neither date says it alone, and a tree hardly subtracts; a model that is given their difference errs nowhere.
"""

from dataclasses import replace
from itertools import combinations

import pandas as pd

from heldout.checks import leakage
from heldout.checks.leakage import Leak
from heldout.findings import checks

_MOST_DATES = 8  # whose pairs are tried
_MICROSECONDS = 1e6


def of_dates(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> list[Leak]:
    """The later date of each pair whose difference predicts the target as a leak does.

    The limits are those of a single column, in the rows that have both, which must be half. The earlier date, which is
    known first, stays. `target` has no gaps.
    """
    dates = features.select_dtypes("datetime").iloc[:, :_MOST_DATES]
    if dates.shape[1] < 2:
        return []
    dates, target = leakage.sampled(dates, target)
    found: dict[str, Leak] = {}
    for pair in combinations(map(str, dates.columns), 2):
        both = dates[[*pair]].dropna()
        if len(both) < leakage.ROWS_WITH_A_VALUE * len(dates):
            continue
        microseconds = both[pair[1]].astype("int64") - both[pair[0]].astype("int64")
        earlier, later = pair if microseconds.median() >= 0 else pair[::-1]
        difference = (microseconds / _MICROSECONDS).to_frame("difference")
        for leak in leakage.of_single_columns(difference, target.loc[both.index], classes=classes):
            why = f"{later} - {earlier} gives the target: {leak.why}"
            found.setdefault(later, replace(leak, columns=(later,), why=why, code=checks.TOGETHER.code))
    return list(found.values())
