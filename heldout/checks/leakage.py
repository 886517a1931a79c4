"""Columns that give the target away: each column alone predicts the target out of fold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.findings import checks
from heldout.findings.words import percent

_FOLDS = 3
_MOST_VALUES, _FEWEST_SAMPLED, _ROWS_TO_SCREEN = 400_000, 2000, 500  # of a sample: a leak shows in any sample
FEWEST_ROWS = 20
# below these limits a column is the target itself in another form, not a strong feature
SHARE_OF_BASE_ERROR = 0.01  # of the error of always answering the most frequent class
_UNEXPLAINED, _NOTHING = 0.001, 1e-9  # of the variance of the ranks
OF_IDENTIFIERS = 5.0  # times these limits: identifiers are left out anyway, and err where a class ends
# an honest feature may separate a few rows by chance; one value for each class is a code of the class in any rows
ROWS_TO_BE_SURE = 300
ROWS_WITH_A_VALUE = 0.5  # of a column that is judged

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True)
class Leak:
    """Columns, how they give the target away, and whether that is sure enough to leave them out."""

    columns: tuple[str, ...]
    why: str
    sure: bool = True
    evidence: Mapping[str, float] = field(default_factory=dict)
    code: str = checks.ALONE.code


def of_single_columns(features: pd.DataFrame, target: pd.Series, *, classes: bool, ease: float = 1.0) -> list[Leak]:
    """The columns that alone predict the target almost without error, each with its measured error.

    Classes: the out-of-fold error of a small tree (numbers) or of each value's most frequent class (all other
    columns) is at most a hundredth of the error of always answering the most frequent class. Numbers: at most a
    thousandth of the variance is left by Spearman's correlation with a column of numbers, or by the out-of-fold mean
    of each value of any other column. Both limits are taken `ease` times. A column with more values than classes is
    sure from 300 rows on. `target` has no gaps.
    """
    if len(target) < FEWEST_ROWS:
        return []
    features, target = sampled(features, target)
    codes = pd.factorize(target)[0]
    leaks: list[Leak | None] = []
    for name in features.columns:
        column = features[name]
        if classes:
            leaks.append(_class_leak(column, codes, str(name), ease))
        else:
            leaks.append(_number_leak(column, target.to_numpy(dtype=np.float64), str(name), ease))
    return [leak for leak in leaks if leak is not None]


def sampled(features: pd.DataFrame, target: pd.Series) -> tuple[pd.DataFrame, pd.Series]:
    """Both, or a sample of many rows: what a column alone says shows in any sample."""
    most = max(_FEWEST_SAMPLED, _MOST_VALUES // max(1, features.shape[1]))
    if len(target) <= most:
        return features, target
    rows = drawn_rows(len(target), most)
    return features.iloc[rows], target.iloc[rows]


def drawn_rows(n: int, most: int) -> NDArray[np.intp]:
    """The places of `most` of n rows, drawn without replacement: as `pandas.Series.sample` with the state 0."""
    return _shuffled(n)[:most]


@lru_cache(maxsize=1)  # of a million rows it takes a tenth of a second, and several checks draw
def _shuffled(n: int) -> NDArray[np.intp]:
    return np.random.RandomState(0).permutation(n)


def of_indicators(features: pd.DataFrame, target: pd.Series) -> list[Leak]:
    """Columns of 0 and 1 that together give the class away: one column for each of three classes or more.

    A column marks a class if it is 1 on at least 99.5 % of its rows and on at most 5 % of the others; all classes must
    be marked by different columns, or all but one by columns that are 1 on at most 0.5 % of the others.
    """
    kinds = sorted(target.unique(), key=str)
    if len(kinds) < 3:
        return []
    marks: dict[object, list[tuple[float, str]]] = {kind: [] for kind in kinds}
    for name in features.columns:
        column = pd.to_numeric(features[name], errors="coerce") if _is_mark(features[name]) else None
        if column is None:
            continue
        on = (column == 1).to_numpy()
        for kind in kinds:
            is_kind = (target == kind).to_numpy()
            if on[is_kind].mean() >= 0.995 and on[~is_kind].mean() <= 0.05:
                marks[kind].append((float(on[~is_kind].mean()), str(name)))
    best = {kind: min(columns) for kind, columns in marks.items() if columns}
    pure = all(others <= 0.005 for others, _ in best.values())
    if len({name for _, name in best.values()}) < len(kinds) - pure:
        return []
    kind, (others, name) = max(best.items(), key=lambda item: item[1][0])
    return [
        Leak(
            tuple(name for _, name in best.values()),
            f"{len(best)} columns of 0 and 1 mark a class each: {name} is 1 in class {kind!r} and in {percent(others)} "
            "of the other rows, and no other marks its class worse",
            code=checks.TOGETHER.code,
        )
    ]


def _class_leak(column: pd.Series, codes: NDArray[np.intp], name: str, ease: float) -> Leak | None:
    _, base = errors(codes, codes)
    if is_of_numbers(column):
        numbers = as_float(column[:_ROWS_TO_SCREEN])
        if _least_error(numbers, codes[:_ROWS_TO_SCREEN]) > 3 * ease * SHARE_OF_BASE_ERROR * base:
            return None
    error = error_alone(column, codes)
    if error is None or error > ease * SHARE_OF_BASE_ERROR * base:
        return None
    distinct = column.nunique(dropna=False)
    why = f"it alone predicts the target; {measured(error, base)}"
    sure = distinct <= len(np.unique(codes)) or len(codes) >= ROWS_TO_BE_SURE
    return Leak((name,), why, sure, {"error out of fold": error, "error of a constant": base})


def error_alone(column: pd.Series, codes: NDArray[np.intp]) -> float | None:
    """The error out of fold of a small tree, or of each value's most frequent class; None if most values occur once."""
    predicted = np.full(len(codes), -1)
    if is_of_numbers(column):
        numbers = as_float(column)
        for trained, tested in folds(codes):
            predicted[tested] = _predicted(numbers[trained], codes[trained], numbers[tested])
    else:
        values = pd.factorize(column, use_na_sentinel=False)[0]
        for trained, tested in folds(codes):
            predicted[tested] = most_frequent(values[trained], codes[trained], values.max() + 1)[values[tested]]
    seen = predicted >= 0
    return errors(predicted[seen], codes[seen])[0] if seen.mean() >= ROWS_WITH_A_VALUE else None


def errors(predicted: NDArray[np.intp], codes: NDArray[np.intp]) -> tuple[float, float]:
    """The share of the codes that are not as predicted, and that of the codes that are not the most frequent."""
    return float((predicted != codes).mean()), float(1 - np.bincount(codes).max() / len(codes))


def measured(error: float, base: float) -> str:
    """Both errors as people read them."""
    return f"error {percent(error)} out of fold, {percent(base)} for the most frequent class"


def _number_leak(column: pd.Series, y: NDArray[np.float64], name: str, ease: float) -> Leak | None:
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if column.nunique() < 2:
        return None
    if numeric:
        present = column.notna().to_numpy()
        if present.mean() < ROWS_WITH_A_VALUE:
            return None
        ranks = pd.Series(y[present]).rank()
        unexplained = 1 - float(column[present].rank().reset_index(drop=True).corr(ranks)) ** 2
    else:
        unexplained = left_by_means(pd.factorize(column, use_na_sentinel=False)[0], y)
    if not unexplained <= ease * _UNEXPLAINED:
        return None
    ranks_of = "its ranks" if numeric else "its values"
    left = "nothing" if unexplained < _NOTHING else f"{unexplained:.2g}"
    why = f"it alone predicts the target: {left} of the variance of {ranks_of} is left"
    sure = len(y) >= ROWS_TO_BE_SURE or unexplained < _NOTHING
    return Leak((name,), why, sure, {"share of the variance that is left": unexplained})


def left_by_means(values: NDArray[np.intp], y: NDArray[np.float64]) -> float:
    """The share of the variance that the out-of-fold mean of each value leaves, where the value was seen."""
    predicted = np.full(len(y), np.nan)
    for trained, tested in folds(np.zeros(len(y), dtype=np.intp)):
        counts = np.bincount(values[trained], minlength=values.max() + 1)
        sums = np.bincount(values[trained], weights=y[trained], minlength=values.max() + 1)
        with np.errstate(invalid="ignore"):
            predicted[tested] = (sums / counts)[values[tested]]
    seen = ~np.isnan(predicted)
    if seen.mean() < ROWS_WITH_A_VALUE:
        return 1.0
    return float(np.mean((predicted[seen] - y[seen]) ** 2) / np.var(y))


def folds(codes: NDArray[np.intp]) -> Folds:
    """The rows to train on and the tested rows of each of three folds, by class."""
    order = np.random.default_rng(0).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]  # dealt out by class: each fold has its share
    fold = np.empty(len(codes), dtype=np.intp)
    fold[order] = np.arange(len(codes)) % _FOLDS
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(_FOLDS)]


def is_of_numbers(column: pd.Series) -> bool:
    """Whether the column has an order: numbers, booleans, dates."""
    return pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)


def as_float(column: pd.Series) -> NDArray[np.float64]:
    """The numbers of a column that has an order, NaN for a gap."""
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype("int64").where(column.notna())
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _least_error(numbers: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """A lower limit of the training error of such a small tree: a row left out joins at most two runs of a class."""
    along = codes[np.lexsort((codes, numbers))]
    runs = 1 + np.count_nonzero(along[1:] != along[:-1])
    return float((runs - leaves(codes)) / (2 * len(codes)))


def leaves(codes: NDArray[np.intp]) -> int:
    """Enough leaves for any code of the classes by intervals, too few to memorize rows."""
    return 4 * max(2, len(np.unique(codes)))


def _predicted(train: NDArray[np.float64], codes: NDArray[np.intp], test: NDArray[np.float64]) -> NDArray[np.intp]:
    """The classes that a small tree, trained on the numbers `train`, predicts for the numbers `test`."""
    from sklearn.tree import DecisionTreeClassifier

    # a tree stores 32 bits of a number: it gets places among the training values, with the same splits
    values = np.unique(train[~np.isnan(train)])
    places = np.arange(len(values), dtype=np.float64)
    if not len(values):
        return np.full(len(test), np.bincount(codes).argmax())
    train, test = (np.where(np.isnan(part), np.nan, np.interp(part, values, places))[:, None] for part in (train, test))
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves(codes), random_state=0)
    predicted: NDArray[np.intp] = tree.fit(train, codes).predict(test)
    return predicted


def most_frequent(values: NDArray[np.intp], codes: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """The most frequent code of each value, -1 for a value that does not occur."""
    table = np.full(count, -1)
    pairs, sizes = np.unique(np.stack([values, codes]), axis=1, return_counts=True)
    order = np.argsort(sizes, kind="stable")  # the largest is written last
    table[pairs[0][order]] = pairs[1][order]
    return table


def _is_mark(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column):
        return True
    return pd.api.types.is_numeric_dtype(column) and bool(column.isin((0, 1)).all())
