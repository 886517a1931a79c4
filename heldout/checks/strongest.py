"""The columns, and the gaps, that alone say most about the target: always said, however honest they are.

No table shows when its columns were known. A leak with noise is no stronger than a good feature, and a person who sees
the strongest columns knows at once which of them was filled in afterwards.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks import leakage
from heldout.checks.leaking_gaps import LeakingGaps
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.findings.words import percent

_FEWEST_ROWS = 100
_COLUMNS, _GAPS = 3, 2  # that are said
_BETTER = 0.99  # times the error of a constant
_BINS, _ROWS_A_BIN = 30, 20  # of a column of numbers
_LONGEST, _LONGEST_NAMES = 200, (40, 25, 16)  # letters of the text, and of a name: the first that fits
Names = tuple[str, ...]
_ASK = "known before the label? If not: data.known_after"
_ASK_IN_PYTHON = "known before the label? If not, leave it out of X"


def look(features: pd.DataFrame, gaps: Sequence[LeakingGaps], target: pd.Series, *, classes: bool) -> Finding | None:
    """A note with the errors out of fold of the strongest columns, of the strongest gaps and of a constant.

    Of numbers the error is the share of the variance of ranks that is left. `features` have no texts and no finding of
    their own, `target` has no gaps. None without features, and for fewer than a hundred rows.
    """
    if len(target) < _FEWEST_ROWS or features.empty:
        return None
    features, target = leakage.sampled(features, target)
    if classes:
        codes = pd.factorize(target)[0]
        what, constant = "error out of fold", leakage.errors(codes, codes)[1]
        errors = _of_classes(features, codes)
    else:
        what, constant = "variance of ranks that each leaves out of fold", 1.0
        ranks = np.asarray(target.rank(), dtype=np.float64)
        errors = {(str(name),): leakage.left_by_means(_values(column), ranks) for name, column in features.items()}
    columns = _least(errors, constant, _COLUMNS)
    missing = _least({one.names: one.error for one in gaps if one.finding is None}, constant, _GAPS)
    said = bool(columns or missing)
    none = f"no column of numbers or categories alone is better than a constant ({what}: {percent(constant)})"
    texts = [
        f"strongest alone, by the {what}: {_listed(columns, missing, longest)}; a constant {percent(constant)}"
        for longest in _LONGEST_NAMES
    ]
    return Finding(
        "found",
        next((text for text in texts if len(text) <= _LONGEST), texts[-1]) if said else none,
        columns=tuple(dict.fromkeys(name for names in (*columns, *missing) for name in names)),
        evidence={
            **{f"{name} alone": error for (name,), error in columns.items()},
            **{f"gaps of {names[0]}": error for names, error in missing.items()},
            "a constant": constant,
        },
        decide=_ASK if said else "",
        keys=("data.known_after",) if said else (),
        in_python=_ASK_IN_PYTHON if said else "",
        code=checks.STRONGEST.code,
    )


def _of_classes(features: pd.DataFrame, codes: NDArray[np.intp]) -> dict[Names, float]:
    """The errors of the columns that lead when each value, or part of a column of numbers, has its own class.

    They are measured as those of a leak are; a tree for each of many columns would take long.
    """
    parts = leakage.folds(codes)
    quick = {name: _of_values(_values(column), codes, parts) for name, column in features.items()}
    leading = sorted(quick, key=quick.__getitem__)[: 2 * _COLUMNS]
    alone = {(str(name),): leakage.error_alone(features[name], codes) for name in leading}
    return {name: error for name, error in alone.items() if error is not None}


def _of_values(values: NDArray[np.intp], codes: NDArray[np.intp], folds: leakage.Folds) -> float:
    """The error out of fold of the most frequent class of each value; 1 where most values occur once."""
    kinds, number = int(codes.max()) + 1, int(values.max()) + 1
    if number > len(values) / 2:
        return 1.0
    wrong = 0
    for trained, tested in folds:
        counts = np.bincount(values[trained] * kinds + codes[trained], minlength=number * kinds)
        wrong += int((counts.reshape(number, kinds).argmax(axis=1)[values[tested]] != codes[tested]).sum())
    return wrong / len(codes)


def _values(column: pd.Series) -> NDArray[np.intp]:
    """The number of each row's value; numbers of many kinds in parts of about equally many rows."""
    if not leakage.is_of_numbers(column):
        values: NDArray[np.intp] = pd.factorize(column, use_na_sentinel=False)[0]
        return values
    numbers = leakage.as_float(column)
    there = np.sort(numbers[~np.isnan(numbers)])
    bins = min(_BINS, len(numbers) // _ROWS_A_BIN)
    kinds = there[np.r_[True, there[1:] != there[:-1]]] if len(there) else there
    # a value that is an edge, as the zeros of a column of mostly zeros, is a part of its own
    edges = kinds if len(kinds) <= bins else np.unique(there[np.linspace(0, len(there) - 1, bins + 1).astype(np.intp)])
    places = np.searchsorted(edges, numbers, "left") + np.searchsorted(edges, numbers, "right")
    return np.where(np.isnan(numbers), 2 * len(edges) + 1, places)


def _least(errors: Mapping[Names, float], constant: float, most: int) -> dict[Names, float]:
    """The least errors that are clearly below that of a constant, at most so many."""
    better = [(names, error) for names, error in errors.items() if error < _BETTER * constant]
    better.sort(key=lambda one: one[1])
    return dict(better[:most])


def _listed(columns: Mapping[Names, float], missing: Mapping[Names, float], longest: int) -> str:
    """The columns and the gaps, each with its error; names have at most so many letters."""

    def short(name: str) -> str:
        return name if len(name) <= longest else f"{name[:longest]}…"

    said = [f"{short(name)} {percent(error)}" for (name,), error in columns.items()]
    for (first, *others), error in missing.items():
        more = f" (and {len(others)} more)" if others else ""
        said.append(f"gaps of {short(first)}{more} {percent(error)}")
    return ", ".join(said)
