"""Columns that give the target away: found by predicting it from one column alone, out of fold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_FOLDS = 3
_MOST_VALUES, _FEWEST_SAMPLED, _ROWS_TO_SCREEN = 400_000, 2000, 500  # of a sample: a leak shows in any
_FEWEST_ROWS = 20
# below these a column is not strong but the target itself, written another way
_SHARE_OF_BASE_ERROR = 0.01  # of the error of guessing the most frequent class
_UNEXPLAINED = 0.001  # of the variance of the ranks
# an honest feature may separate a few rows by chance; one value for each class is a code of it in however few
_ROWS_TO_TELL = 300
_NAMES_ITS_LABEL, _NAMES_ANOTHER, _SHORTEST_NAME = 0.95, 0.5, 3
_HEADER = re.compile(r"([A-Z][\w-]*):[ \t]")


@dataclass(frozen=True)
class Leak:
    """A column, how it tells the target, and whether that is sure enough to leave it out."""

    column: str
    why: str
    sure: bool = True


def of_single_columns(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> list[Leak]:
    """The columns that alone predict the target almost without error, each with the error measured.

    Classes: the out-of-fold error of a small tree (numbers) or of each value's most frequent class (all else) is at
    most a hundredth of that of guessing the most frequent class. Numbers: at most a thousandth of the
    variance is left by Spearman's correlation with a column of numbers, or out of fold by the mean of each value of any
    other. A column of more values than classes is sure from 300 rows on. `target` has no gaps.
    """
    if len(target) < _FEWEST_ROWS:
        return []
    most = max(_FEWEST_SAMPLED, _MOST_VALUES // features.shape[1]) if features.shape[1] else len(target)
    if len(target) > most:
        target = target.sample(most, random_state=0)
        features = features.loc[target.index]
    codes = pd.factorize(target)[0]
    found: list[Leak | None] = []
    for name in features.columns:
        column = features[name]
        if classes:
            found.append(_tells_class(column, codes, str(name)))
        else:
            found.append(_tells_number(column, target.to_numpy(dtype=np.float64), str(name)))
    return [leak for leak in found if leak is not None]


def of_indicators(features: pd.DataFrame, target: pd.Series) -> list[Leak]:
    """Columns of 0 and 1 that together spell the class: one of its own for each of three classes or more.

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
            own = (target == kind).to_numpy()
            if on[own].mean() >= 0.995 and on[~own].mean() <= 0.05:
                marks[kind].append((float(on[~own].mean()), str(name)))
    best = {kind: min(found) for kind, found in marks.items() if found}
    pure = all(others <= 0.005 for others, _ in best.values())
    if len({name for _, name in best.values()}) < len(kinds) - pure:
        return []
    return [
        Leak(
            name,
            f"leak: one of {len(best)} columns of 0 and 1 that mark a class each; this is 1 in class {kind!r} and in "
            f"{percent(others)} of the other rows",
        )
        for kind, (others, name) in best.items()
    ]


def of_texts(features: pd.DataFrame, target: pd.Series, names: Sequence[str]) -> list[Leak]:
    """The columns of text (`names`) in which each row's class is written out, while others seldom are."""
    labels = target.astype(str).str.lower()
    kinds = sorted(labels.unique())
    if not kinds or len(kinds) > 50 or any(len(kind) < _SHORTEST_NAME for kind in kinds):
        return []
    found = []
    for name in names:
        texts = features[name].fillna("").astype(str)
        small = texts.str.lower()
        holds = np.column_stack([small.str.contains(kind, regex=False).to_numpy() for kind in kinds])
        own = labels.to_numpy()[:, None] == np.array(kinds)[None, :]
        if holds[own].mean() >= _NAMES_ITS_LABEL and holds[~own].mean() <= _NAMES_ANOTHER:
            why = f"leak: the text of {percent(holds[own].mean())} of the rows has the name of their own class in it"
            found.append(Leak(name, why + _header_that_names(texts, labels)))
    return found


def _header_that_names(texts: pd.Series, labels: pd.Series) -> str:
    """The header lines, as those of a message, in which the class is written."""
    counts: dict[str, int] = {}
    for text, label in zip(texts, labels, strict=True):
        for line in text.split("\n\n", 1)[0].splitlines():
            header = _HEADER.match(line)
            if header and label in line.lower():
                counts[header[1]] = counts.get(header[1], 0) + 1
    most = [name for name, count in sorted(counts.items(), key=lambda item: -item[1]) if count >= 0.1 * len(texts)]
    return f" (header lines {', '.join(f'{name}:' for name in most[:4])})" if most else ""


def _tells_class(column: pd.Series, codes: NDArray[np.intp], name: str) -> Leak | None:
    base = float(1 - np.bincount(codes).max() / len(codes))
    numeric = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
    predicted = np.full(len(codes), -1)
    if numeric:
        numbers = _as_float(column)
        if _least_error(numbers[:_ROWS_TO_SCREEN], codes[:_ROWS_TO_SCREEN]) > 3 * _SHARE_OF_BASE_ERROR * base:
            return None
        for trained, tested in _folds(codes):
            predicted[tested] = _predicted(numbers[trained], codes[trained], numbers[tested])
    else:
        values = pd.factorize(column, use_na_sentinel=False)[0]
        for trained, tested in _folds(codes):
            predicted[tested] = _most_frequent(values[trained], codes[trained], values.max() + 1)[values[tested]]
    seen = predicted >= 0
    if seen.mean() < 0.5:  # values that hardly return: nothing is told of them
        return None
    error = float((predicted[seen] != codes[seen]).mean())
    if error > _SHARE_OF_BASE_ERROR * base:
        return None
    distinct = column.nunique(dropna=False)
    why = (
        f"leak: it alone predicts the target with an error of {percent(error)} out of fold, where the most frequent "
        f"class errs {percent(base)}"
    )
    return Leak(name, why, sure=distinct <= len(np.unique(codes)) or len(codes) >= _ROWS_TO_TELL)


def _tells_number(column: pd.Series, y: NDArray[np.float64], name: str) -> Leak | None:
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if column.nunique() < 2:
        return None
    if numeric:
        present = column.notna().to_numpy()
        if present.mean() < 0.5:
            return None
        ranks = pd.Series(y[present]).rank()
        left = 1 - float(column[present].rank().reset_index(drop=True).corr(ranks)) ** 2
    else:
        left = _left_by_means(pd.factorize(column, use_na_sentinel=False)[0], y)
    if not left <= _UNEXPLAINED:
        return None
    why = f"leak: it alone tells the target, up to {left:.2g} of its variance" + (" (of ranks)" if numeric else "")
    return Leak(name, why, sure=len(y) >= _ROWS_TO_TELL or left < 1e-9)


def _left_by_means(values: NDArray[np.intp], y: NDArray[np.float64]) -> float:
    """The share of the variance that each value's mean leaves, out of fold, where the value was seen."""
    predicted = np.full(len(y), np.nan)
    for trained, tested in _folds(np.zeros(len(y), dtype=np.intp)):
        counts = np.bincount(values[trained], minlength=values.max() + 1)
        sums = np.bincount(values[trained], weights=y[trained], minlength=values.max() + 1)
        with np.errstate(invalid="ignore"):
            predicted[tested] = (sums / counts)[values[tested]]
    seen = ~np.isnan(predicted)
    if seen.mean() < 0.5:
        return 1.0
    return float(np.mean((predicted[seen] - y[seen]) ** 2) / np.var(y))


def _folds(codes: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    order = np.random.default_rng(0).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]  # dealt out class by class: each fold has its share
    fold = np.empty(len(codes), dtype=np.intp)
    fold[order] = np.arange(len(codes)) % _FOLDS
    return [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(_FOLDS)]


def _as_float(column: pd.Series) -> NDArray[np.float64]:
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype("int64").where(column.notna())
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _least_error(numbers: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """No tree of so few leaves errs less on these very rows: a row left out joins at most two runs of one class."""
    along = codes[np.lexsort((codes, numbers))]
    runs = 1 + np.count_nonzero(along[1:] != along[:-1])
    return float((runs - _leaves(codes)) / (2 * len(codes)))


def _leaves(codes: NDArray[np.intp]) -> int:
    """Enough for any code of the classes by intervals, too few to learn rows by heart."""
    return 4 * max(2, len(np.unique(codes)))


def _predicted(known: NDArray[np.float64], codes: NDArray[np.intp], asked: NDArray[np.float64]) -> NDArray[np.intp]:
    """The classes that a small tree gives to the numbers `asked`, trained on those `known`."""
    from sklearn.tree import DecisionTreeClassifier

    # a tree holds 32 bits of a number: it is given places among the known values, which are as good
    values = np.unique(known[~np.isnan(known)])
    places = np.arange(len(values), dtype=np.float64)
    if not len(values):
        return np.full(len(asked), np.bincount(codes).argmax())
    inside = [np.where(np.isnan(one), np.nan, np.interp(one, values, places))[:, None] for one in (known, asked)]
    tree = DecisionTreeClassifier(max_leaf_nodes=_leaves(codes), random_state=0)
    predicted: NDArray[np.intp] = tree.fit(inside[0], codes).predict(inside[1])
    return predicted


def _most_frequent(values: NDArray[np.intp], codes: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """The most frequent code of each value, -1 for a value that is not among them."""
    table = np.full(count, -1)
    pairs, sizes = np.unique(np.stack([values, codes]), axis=1, return_counts=True)
    order = np.argsort(sizes, kind="stable")  # the largest is written last
    table[pairs[0][order]] = pairs[1][order]
    return table


def _is_mark(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column):
        return True
    return pd.api.types.is_numeric_dtype(column) and bool(column.isin((0, 1)).all())


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.3g} %"
