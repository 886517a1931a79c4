"""The error of a quick learner under random cuts, next to its error under cuts along a column.

Both cuts train on equally many rows of a sample and test the same rows, with the same features, of which the column is
none. Where the rows of a value, or rows near each other in time, share more than the features say, random cuts put what
is shared on both sides, and err less.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks.column_kind import kind_of_dtype

_ROWS, _LEAST_OF_A_VALUE = 2000, 10  # of a sample
_FOLDS, _CHUNKS, _BLOCKS = 5, 40, 5
_MOST_COLUMNS, _WORDS = 300, 64
_TREES = 10
_LEAF = 5  # rows of one, where errors are compared: their noise hides what is alike
_ROUNDING = 1e-12
_LEAST_RATIO, _LEAST_RISE = 1.1, 0.01

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Cut:
    """Both errors, that of a constant, and the chance of so much more loss along the column where it does not matter.

    For classes the errors are shares of wrong rows, and the chance is that of the Brier loss, which says more of a row.
    """

    random: float
    along: float
    constant: float
    chance: float

    @property
    def differs(self) -> bool:
        """Whether the error rises by a tenth, and by a hundredth of the error of a constant, or more."""
        return self.along >= max(_LEAST_RATIO * self.random, self.random + _LEAST_RISE * self.constant)


def by_groups(
    features: pd.DataFrame, target: pd.Series, values: pd.Series, *, classes: bool, remembered: bool = False
) -> Cut:
    """Random folds, and folds of whole values of `values`. All have the rows with a label; `values` has no gaps."""
    return compared(*losses_by_groups(features, target, values, classes=classes, remembered=remembered), classes)


def losses_by_groups(
    features: pd.DataFrame, target: pd.Series, values: pd.Series, *, classes: bool, remembered: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], Rows]:
    """The losses of the rows of a sample under random cuts and along `values`, shape (2, n) each, of the errors and of
    finer losses; their labels, and the number of the value of each.

    With `remembered` a row whose value has other rows among those trained on is given the mean of their labels, as a
    learner gives it that has the values among its features.
    """
    group = pd.factorize(values)[0]
    rows = _sample_of_groups(group)
    X, y, group = as_numbers(features.iloc[rows]), _labels(target.iloc[rows], classes), pd.factorize(group[rows])[0]
    rng = np.random.default_rng(0)
    fold = _folds_of_groups(group, rng)
    shuffled = rng.permutation(fold)  # of the same sizes
    random, along = np.empty((2, len(y))), np.empty((2, len(y)))
    for number in range(_FOLDS):
        for losses, of_row in ((along, fold), (random, shuffled)):
            tested = of_row == number
            losses[:, tested] = _losses(X, y, np.flatnonzero(~tested), np.flatnonzero(tested), classes)
            if remembered:
                known = tested & np.isin(group, group[~tested])
                losses[:, known] = _remembered_losses(y, group, np.flatnonzero(~tested), np.flatnonzero(known), classes)
    return random, along, y, group


@dataclass(frozen=True)
class Together:
    """How alike the errors of rows of one value are, under random cuts by a learner that has not the values.

    `correlation` is that of two rows of a value, `of_neighbours` that of rows of values next to each other, which is
    near 0 for values without an order; `chance` is that of so much where rows of a value have nothing in common, and
    `error` the mean loss.
    """

    correlation: float
    of_neighbours: float
    chance: float
    error: float


def together(features: pd.DataFrame, target: pd.Series, values: pd.Series, *, classes: bool) -> Together:
    """Whether rows of one of the `values`, which have no gaps, err together. All have the rows with a label."""
    from scipy.stats import norm

    group = pd.factorize(values, sort=True)[0]
    rows = _sample_of_groups(group)
    X, y = as_numbers(features.iloc[rows]), _labels(target.iloc[rows], classes)
    group = np.unique(group[rows], return_inverse=True)[1]
    fold = np.random.default_rng(0).permutation(np.arange(len(y)) % _FOLDS)
    tested = [np.flatnonzero(fold == number) for number in range(_FOLDS)]
    errors = [_residuals(X, y, np.flatnonzero(fold != number), tested[number], classes) for number in range(_FOLDS)]
    residuals = np.concatenate(errors)[np.argsort(np.concatenate(tested), kind="stable")]
    sizes = np.bincount(group)
    sums = np.stack([np.bincount(group, weights=column) for column in residuals.T], axis=1)
    squares = (residuals**2).sum(axis=1)
    of_one = (sums**2).sum(axis=1) - np.bincount(group, weights=squares)  # of the pairs of rows of a value
    of_next = (sums[1:] * sums[:-1]).sum(axis=1)
    mean, spread = float(squares.mean()), float(np.sqrt((of_one**2).sum()))
    if not mean or not spread:
        return Together(0.0, 0.0, 1.0, mean)
    return Together(
        float(of_one.sum()) / (mean * float((sizes * (sizes - 1)).sum())),
        float(of_next.sum()) / (mean * float((sizes[1:] * sizes[:-1]).sum())),
        float(norm.sf(of_one.sum() / spread)),
        mean,
    )


def forward(features: pd.DataFrame, target: pd.Series, time: pd.Series, *, classes: bool) -> Cut:
    """Random rows, and the rows before the tested rows. `time`, which sorts the rows, has no gaps."""
    chunk, rows = _chunks(time)
    X, y = as_numbers(features.iloc[rows]), _labels(target.iloc[rows], classes)
    rng = np.random.default_rng(0)
    block = chunk * _BLOCKS // (chunk.max() + 1)
    random, along, tested_rows = [], [], []
    for number in range(1, _BLOCKS):
        earlier, here = np.flatnonzero(block < number), np.flatnonzero(block == number)
        tested = np.sort(rng.permutation(here)[: (len(here) + 1) // 2])
        others = np.setdiff1d(np.arange(len(y)), tested)
        drawn = np.sort(rng.permutation(others)[: len(earlier)])
        along.append(_losses(X, y, earlier, tested, classes))
        random.append(_losses(X, y, drawn, tested, classes))
        tested_rows.append(tested)
    tested = np.concatenate(tested_rows)
    return compared(np.hstack(random), np.hstack(along), y[tested], chunk[tested], classes)


def as_numbers(features: pd.DataFrame) -> NDArray[np.float64]:
    """Each column as one number, a column of text as counts of hashed words; shape (n, p), NaN for a gap."""
    from sklearn.feature_extraction.text import HashingVectorizer

    names = list(features.columns)
    step = -(-len(names) // _MOST_COLUMNS)
    columns = []
    for name in names[:: max(step, 1)]:
        column = features[name]
        kind = kind_of_dtype(column.dtype)
        if kind == "text":
            words = HashingVectorizer(n_features=_WORDS, alternate_sign=False, norm=None)
            columns += list(words.transform(column.fillna("").astype(str).str[:1000]).toarray().T)
        elif kind == "category":
            columns.append(column.cat.codes.to_numpy(dtype=np.float64))
        elif kind == "date":
            columns.append(column.astype("int64").where(column.notna()).to_numpy(dtype=np.float64))
            columns.append(column.dt.hour.to_numpy(dtype=np.float64))
        else:
            columns.append(np.clip(column.to_numpy(dtype=np.float64, na_value=np.nan), -1e30, 1e30))
    return np.column_stack(columns)


def _labels(target: pd.Series, classes: bool) -> NDArray[np.float64]:
    return pd.factorize(target)[0].astype(np.float64) if classes else target.to_numpy(dtype=np.float64)


def _losses(
    X: NDArray[np.float64], y: NDArray[np.float64], train: Rows, tested: Rows, classes: bool
) -> NDArray[np.float64]:
    """The errors of the tested rows, and finer losses, shape (2, n): wrong or not and Brier's, or twice the square."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    if not classes:
        forest = ExtraTreesRegressor(_TREES, max_features="sqrt", random_state=0).fit(X[train], y[train])
        squares = (forest.predict(X[tested]) - y[tested]) ** 2
        return np.stack([squares, squares])
    forest = ExtraTreesClassifier(_TREES, max_features="sqrt", random_state=0).fit(X[train], y[train])
    shares = forest.predict_proba(X[tested])
    is_class = y[tested][:, None] == forest.classes_
    brier = ((shares - is_class) ** 2).sum(axis=1) + ~is_class.any(axis=1)
    return np.stack([forest.classes_[shares.argmax(axis=1)] != y[tested], brier])


def _residuals(
    X: NDArray[np.float64], y: NDArray[np.float64], train: Rows, tested: Rows, classes: bool
) -> NDArray[np.float64]:
    """The labels less the answers, a column for each class; shape (n, C), or (n, 1) for numbers."""
    from sklearn.ensemble import ExtraTreesRegressor

    kinds = np.eye(int(y.max()) + 1)[y.astype(np.intp)] if classes else y[:, None]
    forest = ExtraTreesRegressor(_TREES, max_features="sqrt", min_samples_leaf=_LEAF, random_state=0)
    labels = kinds if classes else y
    answers = forest.fit(X[train], labels[train]).predict(X[tested]).reshape(len(tested), -1)
    residuals: NDArray[np.float64] = kinds[tested] - answers
    residuals -= residuals.mean(axis=0)
    return residuals


def _remembered_losses(
    y: NDArray[np.float64], group: Rows, train: Rows, tested: Rows, classes: bool
) -> NDArray[np.float64]:
    """As `_losses`, where each tested row is given the mean label of the trained rows of its group, which has some."""
    kinds = np.eye(int(y.max()) + 1)[y.astype(np.intp)] if classes else y[:, None]
    sums = np.zeros((int(group.max()) + 1, kinds.shape[1]))
    np.add.at(sums, group[train], kinds[train])
    means = sums[group[tested]] / np.bincount(group[train], minlength=len(sums))[group[tested], None]
    squares = ((means - kinds[tested]) ** 2).sum(axis=1)
    return np.stack([means.argmax(axis=1) != y[tested], squares]) if classes else np.stack([squares, squares])


def compared(
    random: NDArray[np.float64], along: NDArray[np.float64], y: NDArray[np.float64], unit: Rows, classes: bool
) -> Cut:
    """The mean errors, and the signed-rank test (Wilcoxon, 1945) of the mean difference of losses in each unit."""
    from scipy.stats import wilcoxon

    sizes = np.bincount(unit)
    differences = np.bincount(unit, weights=along[1] - random[1])[sizes > 0] / sizes[sizes > 0]
    differences = differences[np.abs(differences) > _ROUNDING]
    chance = float(wilcoxon(differences, alternative="greater").pvalue) if len(differences) else 1.0
    constant = 1 - np.bincount(y.astype(np.intp)).max() / len(y) if classes else np.var(y)
    return Cut(float(random[0].mean()), float(along[0].mean()), float(constant), chance)


def _sample_of_groups(group: Rows) -> Rows:
    """Rows of whole groups in random order, of a large group some rows."""
    rng = np.random.default_rng(0)
    most = max(_LEAST_OF_A_VALUE, _ROWS // (int(group.max()) + 1))
    order = rng.permutation(len(group))
    place = rng.permutation(int(group.max()) + 1)[group[order]]
    order = order[np.argsort(place, kind="stable")]
    place = np.sort(place)
    first = np.searchsorted(place, place)  # where the group of each row begins
    return np.sort(order[np.arange(len(order)) - first < most][:_ROWS])


def _folds_of_groups(group: Rows, rng: np.random.Generator) -> Rows:
    """The fold of each row: groups in random order, each to the smallest fold."""
    sizes = np.bincount(group)
    fold_of, filled = np.empty(len(sizes), dtype=np.intp), np.zeros(_FOLDS)
    for number in sorted(rng.permutation(len(sizes)), key=lambda number: -sizes[number]):
        fold_of[number] = filled.argmin()
        filled[fold_of[number]] += sizes[number]
    return fold_of[group]


def _chunks(time: pd.Series) -> tuple[Rows, Rows]:
    """The chunk, 0, 1, …, of each row of a sample in the order of time, and the rows: neighbours stay neighbours."""
    order = np.argsort(time.to_numpy(), kind="stable")
    values = time.to_numpy()[order]
    rank = np.cumsum(np.append(False, values[1:] != values[:-1]))
    if rank[-1] >= _CHUNKS:  # rows of a time stay in one chunk
        rank = pd.factorize(_begins(rank) * _CHUNKS // len(rank))[0]
    first = _begins(rank)
    kept = np.arange(len(rank)) - first < max(1, _ROWS // (int(rank.max()) + 1))
    return rank[kept], order[kept]


def _begins(rank: Rows) -> Rows:
    """Where the values that are equal to each one begin, of numbers in order."""
    return np.flatnonzero(np.append(True, rank[1:] != rank[:-1]))[pd.factorize(rank)[0]]
