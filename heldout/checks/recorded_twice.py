"""Rows with equal features: recorded twice, or naturally equal, as draws of few values are by chance.

Rows are taken for recorded twice where both hold, each with a chance below one in two hundred otherwise:

1. Their labels agree far more often than the error allows. Labels that are drawn independently, given the features,
   differ at least as often as the best answer errs (for numbers: half the mean square of their difference is the least
   squared error), and the nearest neighbour, a simple rule, errs at most twice as often as the best (Cover and Hart,
   Nearest neighbor pattern classification, IEEE Transactions on Information Theory 1967). So copies that differ less
   than half as often as a quick forest errs on these rows, without having seen a copy, are no such draws. A forest may
   be far from the best where features are mere names of cells; so at least half of the pairs must also agree exactly,
   as those of numbers that are drawn do not.
2. The forest errs clearly more with all copies of a row in one fold than with copies on both sides.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks import cuts, equal_rows
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.findings.words import percent

_FEWEST_ROWS, _FEWEST_SETS = 100, 10
_LEVEL = 0.005  # chance of a false limit
_LEAST_AGREEMENT = 0.5
_NEIGHBOUR = 0.5  # the least error over that of the nearest neighbour, in large tables


@dataclass(frozen=True)
class RecordedTwice:
    """The share of the pairs of copies whose labels agree, and the forest's error both ways.

    `draws` is the share of pairs that would agree at most if their labels were independent draws; None for numbers.
    """

    agree: float
    draws: float | None
    apart: float
    together: float

    def asked(self, copies: Finding) -> Finding:
        """The finding that says how many copies there are, with what shows that rows were recorded twice."""
        classes = self.draws is not None
        apart, together = (percent(error) if classes else f"{error:.4g}" for error in (self.apart, self.together))
        than = "" if self.draws is None else f", those of independent draws in at most {percent(self.draws)}"
        return replace(
            copies,
            text=f"{copies.text}; the labels of copies agree in {percent(self.agree)} of the pairs{than}; a quick "
            f"forest errs {apart} with copies on both sides of a cut, {together} with copies together"
            f"{'' if classes else ' (squared error)'}",
            decide="were they recorded twice? Then keep the proposed split.duplicates: keep_together; if each is a "
            "draw of its own, set it to allow",
            undone="care",
            asked="were they recorded twice? Then set split.duplicates: keep_together",
            asked_by=("split.duplicates",),
            code=checks.TWICE.code,
            in_python="were they recorded twice? Then give groups, the same for equal rows; if each is a draw of its "
            "own, give none",
        )


def look(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> RecordedTwice | None:
    """What shows that rows were recorded twice; None where nothing does. `target` has no gaps."""
    sets = equal_rows.sets(features) if len(target) >= _FEWEST_ROWS else None
    if sets is None or sets.max() < _FEWEST_SETS:
        return None
    random, along, y, group = cuts.losses_by_groups(features, target, pd.Series(sets), classes=classes)
    has_copy = np.bincount(group)[group] > 1
    copies, errs = group[has_copy], along[0][has_copy]
    if len(np.unique(copies)) < _FEWEST_SETS:
        return None
    other = _differences(y, group, classes=True)[has_copy]
    differ = other if classes else _differences(y, group, classes=False)[has_copy]
    agree = 1 - float(other.mean())
    often = agree >= _LEAST_AGREEMENT and _lower_limit(_NEIGHBOUR * errs - differ, copies) > 0
    cut = cuts.compared(random, along, y, group, classes)
    if not (often and cut.differs and _lower_limit(along[0] - random[0], group) > 0):
        return None
    return RecordedTwice(agree, 1 - _NEIGHBOUR * float(errs.mean()) if classes else None, cut.random, cut.along)


def _differences(y: NDArray[np.float64], group: cuts.Rows, classes: bool) -> NDArray[np.float64]:
    """For each row the mean over the other rows of its group: 1 for another class, or half the squared difference."""
    size = np.bincount(group)[group]
    others = np.maximum(size - 1, 1)
    if classes:
        same = pd.Series(y).groupby([group, y]).transform("size").to_numpy()
        return np.asarray((size - same) / others, dtype=np.float64)
    centred = y - y.mean()
    sums, squares = (np.bincount(group, weights=values)[group] for values in (centred, centred**2))
    return np.asarray((size * centred**2 - 2 * centred * sums + squares) / (2 * others), dtype=np.float64)


def _lower_limit(values: NDArray[np.float64], group: cuts.Rows) -> float:
    """The lower limit of the mean of `values`, whose groups are independent, by Student's t over the groups."""
    from scipy.stats import t

    number = pd.factorize(group)[0]
    sizes = np.bincount(number)
    residuals = np.bincount(number, weights=values - values.mean())
    groups = len(sizes)
    error = np.sqrt(groups / (groups - 1) * (residuals**2).sum()) / len(values)
    return float(values.mean() - t.ppf(1 - _LEVEL, groups - 1) * error)
