"""Forests on small parts of the rows, grown without what scikit-learn does around each tree: the same fits.

A random forest's fit to 300 rows grows its trees in a seventh of the time. The rest makes generators of random
numbers, copies parameters and checks what was checked before, for each tree again. Here scikit-learn fits a forest of
one tree, which is checked and knows its classes and columns as ever; its own builder grows the others.

The builder is no public part, and may change: so the first tree is grown here as well, and unless it is scikit-learn's
own to the last bit, the whole forest is left to scikit-learn.
"""

import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.fitting import take
from heldout.learners import seeded
from heldout.records import Rows
from heldout.shortcuts import asked as given
from heldout.shortcuts.shortcut import Declined
from heldout.together.group import steps

_TYPES = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
_MOST_ROWS = 10_000  # whose trees take all the time that there is
# settings under which a tree is given, or is left with, something else
_PLAIN: dict[str, tuple[Any, ...]] = {
    "ccp_alpha": (0,),
    "class_weight": (None,),
    "max_leaf_nodes": (None,),
    "monotonic_cst": (None,),
    "n_jobs": (None, 1),
    "oob_score": (False,),
    "verbose": (0,),
    "warm_start": (False,),
}
_SEEDS = np.iinfo(np.int32).max  # below which scikit-learn draws the random state of a tree


def known(learner: Any) -> bool:
    """Whether learners of this very type, or pipelines that end with one, may be grown here."""
    kind = type(steps(learner)[-1])
    return kind.__name__ in _TYPES and kind.__module__ == "sklearn.ensemble._forest"


class Forests:
    """What a forest, or a pipeline that ends with one, becomes on parts of N rows."""

    def __init__(self, learner: Any, table: Any, y: NDArray[np.generic]) -> None:
        self._learner, self._table, self._y = learner, table, y

    @classmethod
    def of(cls, learner: Any, table: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Self:
        """Of an unfitted learner, rows of shape (N, p), labels or outcomes y of shape (N,). Raises Declined."""
        from sklearn import ensemble

        forest = steps(learner)[-1]
        given.exactly(forest, *(getattr(ensemble, name) for name in _TYPES))
        with given.refit_to_blame():  # a setting may be an array, which is not compared so
            for name, values in _PLAIN.items():
                if getattr(forest, name, values[0]) not in values:
                    raise Declined(f"was told another {name} than {values[0]}")
        if not all(isinstance(getattr(forest, name), Integral) for name in ("min_samples_leaf", "min_samples_split")):
            raise Declined("counts the rows of its leaves and splits as shares")
        if weights is not None:
            raise Declined("was given weights, by which its rows would be drawn")
        if table.shape[0] > _MOST_ROWS:
            raise Declined(f"was given more than {_MOST_ROWS} rows, whose trees take all the time")
        return cls(learner, table, y)

    def fitted(self, train: Rows, state: int) -> Any:
        """The hypothesis that the learner, its open randomness set to `state`, becomes on the rows `train`, to the bit.

        Raises Declined for a fit that fails or warns, for rows with gaps, and for trees that are grown otherwise.
        """
        hypothesis = seeded(self._learner, state)
        forest, y = steps(hypothesis)[-1], self._y[train]
        if not isinstance(forest.random_state, Integral):
            raise Declined("draws from a generator that others draw from")
        with given.refit_to_blame():
            rows = take(self._table, train)
            if forest is not hypothesis:
                rows = hypothesis[:-1].fit_transform(rows, y)
            values = _singles(rows)
            wanted = forest.n_estimators
            forest.set_params(n_estimators=1).fit(rows, y).set_params(n_estimators=wanted)
            classes = getattr(forest, "classes_", None)
            outcomes = y if classes is None else np.searchsorted(classes, y)
            grow = _Grower(forest, values, np.ascontiguousarray(outcomes, dtype=np.float64)[:, None])
            seeds = np.random.RandomState(int(forest.random_state)).randint(_SEEDS, size=wanted).tolist()
            first = forest.estimators_[0]
            if first.random_state != seeds[0] or not _same(grow.tree(seeds[0]), first.tree_):
                raise Declined("is grown otherwise by this scikit-learn")
            forest.estimators_ += [grow.estimator(seed) for seed in seeds[1:]]
        return hypothesis

    def pays(self, _hypothesis: Any) -> bool:
        """Always: at worst one tree is grown twice."""
        return True


class _Grower:
    """Grows trees like the one that `forest` has, on its rows in single precision, (m, p), and outcomes, (m, 1)."""

    def __init__(self, forest: Any, values: NDArray[np.float32], outcomes: NDArray[np.float64]) -> None:
        first = forest.estimators_[0]
        if first.n_outputs_ != 1:
            raise Declined("was given several outcomes")
        self._values, self._outcomes = values, outcomes
        self._drawn = forest._n_samples_bootstrap if forest.bootstrap else None
        self._bare = copy.copy(first)
        del self._bare.tree_
        self._random = np.random.RandomState(0)  # seeded for each tree: to make one takes fifty times as long
        self._counted = hasattr(first, "classes_")
        self._classes = np.array([first.n_classes_ if self._counted else 1], dtype=np.intp)

    def estimator(self, seed: int) -> Any:
        """The tree of one random state, as scikit-learn's estimator."""
        estimator = copy.copy(self._bare)
        if self._counted:  # each has its own, so that what is stored is the same too
            estimator.classes_, estimator.n_classes_ = self._bare.classes_.copy(), self._classes[0]
        estimator.random_state, estimator.tree_ = seed, self.tree(seed)
        return estimator

    def tree(self, seed: int) -> Any:
        """The tree of one random state, as `BaseDecisionTree._fit` grows it."""
        from sklearn.tree._classes import CRITERIA_CLF, CRITERIA_REG, DENSE_SPLITTERS
        from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

        bare, (m, p) = self._bare, self._values.shape
        weights, least, random = None, bare.min_weight_fraction_leaf * m, self._random
        if self._drawn is not None:
            random.seed(seed)
            weights = np.bincount(random.randint(0, m, self._drawn), minlength=m).astype(np.float64)
            least = bare.min_weight_fraction_leaf * weights.sum()
        kind = (CRITERIA_CLF if self._counted else CRITERIA_REG)[bare.criterion]
        criterion = kind(1, self._classes if self._counted else m)
        leaf = bare.min_samples_leaf
        random.seed(seed)
        splitter = DENSE_SPLITTERS[bare.splitter](criterion, bare.max_features_, leaf, least, random, None)
        depth = np.iinfo(np.int32).max if bare.max_depth is None else bare.max_depth
        split = max(bare.min_samples_split, 2 * leaf)
        tree = Tree(p, self._classes, 1)
        builder = DepthFirstTreeBuilder(splitter, split, leaf, least, depth, bare.min_impurity_decrease)
        builder.build(tree, self._values, self._outcomes, weights, None)
        return tree


def _singles(rows: Any) -> NDArray[np.float32]:
    """The rows as a tree sees them; Declined for sparse ones, and for gaps."""
    if hasattr(rows, "toarray"):
        raise Declined("is to be trained on sparse rows")
    values = np.asarray(rows, dtype=np.float32)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise Declined("is to be trained on rows with gaps")
    return values


def _same(one: Any, other: Any) -> bool:
    """Whether two trees have the same nodes and leaves, to the bit."""
    mine, theirs = one.__getstate__(), other.__getstate__()
    return bool(np.array_equal(mine["nodes"], theirs["nodes"]) and np.array_equal(mine["values"], theirs["values"]))
