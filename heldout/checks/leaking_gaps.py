"""Columns whose gaps give the target away: whether a value is there predicts the target nearly as a leak does.

A column that is filled in after the event (the reason of a cancellation) is filled for most rows of one class and for
hardly another. Noise hides it from the search for leaks, which looks at values and asks for hardly an error. Honest
gaps, as those of the number of a passenger's cabin, err nearly as much as a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks import leakage
from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.findings.words import known_before, leave_out, percent

_FEWEST_ROWS, _FEWEST_OF_EACH = 100, 10  # rows, and rows with and without a value
_SHARE_OF_BASE_ERROR = 1 / 3
_MOST_NAMES = 5  # in one line


@dataclass(frozen=True)
class LeakingGaps:
    """Columns with the same gaps, the out-of-fold error of these alone, and a finding if it gives the target away."""

    names: tuple[str, ...]
    error: float
    finding: Finding | None


@dataclass(frozen=True)
class _Measured:
    """The out-of-fold error of 'missing or not' alone, and that of a constant."""

    error: float
    constant: float

    @property
    def gives_away(self) -> bool:
        return self.error < _SHARE_OF_BASE_ERROR * self.constant


def of_gaps(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> list[LeakingGaps]:
    """Each set of columns with the same gaps, with a finding if these alone err less than a third of a constant.

    The error is that of each half's most frequent class, or of its mean, out of fold. `target` has no gaps.
    """
    if len(target) < _FEWEST_ROWS:
        return []
    features, target = leakage.sampled(features, target)
    alike: dict[bytes, list[str]] = {}
    for name, gaps in features.isna().items():
        if _FEWEST_OF_EACH <= gaps.sum() <= len(gaps) - _FEWEST_OF_EACH:
            alike.setdefault(gaps.to_numpy().tobytes(), []).append(str(name))
    found = []
    for pattern, names in alike.items():
        filled = ~np.frombuffer(pattern, dtype=np.bool_)
        measured = _of_classes(filled, target) if classes else _of_numbers(filled, target)
        finding = _finding(names, filled, target, measured, classes=classes) if measured.gives_away else None
        found.append(LeakingGaps(tuple(names), measured.error, finding))
    return found


def _of_classes(filled: NDArray[np.bool_], target: pd.Series) -> _Measured:
    codes = pd.factorize(target)[0]
    predicted = np.full(len(codes), -1)
    for trained, tested in leakage.folds(codes):
        predicted[tested] = leakage.most_frequent(filled[trained].astype(np.intp), codes[trained], 2)[
            filled[tested].astype(np.intp)
        ]
    return _Measured(*leakage.errors(predicted, codes))


def _of_numbers(filled: NDArray[np.bool_], target: pd.Series) -> _Measured:
    y = target.to_numpy(dtype=np.float64)
    return _Measured(leakage.left_by_means(filled.astype(np.intp), y), 1.0)


def _finding(
    names: Sequence[str], filled: NDArray[np.bool_], target: pd.Series, measured: _Measured, *, classes: bool
) -> Finding:
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {len(names) - _MOST_NAMES} more" if names[_MOST_NAMES:] else "")
    filled_for = f"{shown} {'is' if len(names) == 1 else 'are'} filled for"
    name = target.name
    if classes:
        kind, share, others = _most_apart(filled, target)
        what = f"{filled_for} {percent(share)} of the rows with {name} = {kind} and for {percent(others)} of the others"
        errs = f"that alone errs {percent(measured.error)}, the constant {percent(measured.constant)}"
        evidence = {"error out of fold": measured.error, "error of a constant": measured.constant}
    else:
        means = [f"{target[rows].mean():.4g}" for rows in (filled, ~filled)]
        what = f"{filled_for} {percent(filled.mean())} of the rows, with a mean {name} of {means[0]} against {means[1]}"
        errs = f"that alone leaves {percent(measured.error)} of the variance"
        evidence = {"share of the variance that is left": measured.error}
    return Finding(
        "leak",
        f"{what}: {errs}",
        severity="stop",
        columns=tuple(names),
        evidence=evidence,
        done="it stays" if len(names) == 1 else "they stay",
        decide=known_before(names),
        keys=("data.known_after",),
        in_python=leave_out(names),
        code=checks.GAPS.code,
    )


def _most_apart(filled: NDArray[np.bool_], target: pd.Series) -> tuple[object, float, float]:
    """The class whose rows have a value most often, compared with the others, and both shares."""
    found = []
    for kind in sorted(target.unique(), key=str):
        is_kind = (target == kind).to_numpy()
        found.append((float(filled[is_kind].mean()), float(filled[~is_kind].mean()), kind))
    share, others, kind = max(found, key=lambda one: one[0] - one[1])
    return kind, share, others
