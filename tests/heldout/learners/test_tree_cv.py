"""TreeCV and the progressive pass: the hypotheses of every fold and step, by few updates."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier

from heldout.errors import BadArgument
from heldout.learners import tree_cv

# of sums: GaussianNB without its smoothing, which partial_fit takes from each block and fit from all rows
COUNTS = {
    "multinomial": MultinomialNB(),
    "complement": ComplementNB(),
    "bernoulli": BernoulliNB(binarize=1.5),
    "categorical": CategoricalNB(min_categories=4),
}
GAUSSIAN = GaussianNB(var_smoothing=0)


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of whole numbers and of others, classes, weights, and parts; each training part has two rows of a class."""

    counts: np.ndarray
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    parts: list[np.ndarray]

    @classmethod
    def draw(cls, seed: int, steps: bool) -> "Problem":
        rng = np.random.default_rng(seed)
        n, p, classes = int(rng.integers(16, 50)), int(rng.integers(1, 6)), int(rng.integers(2, 4))
        y = rng.permutation(np.arange(n) % classes)
        k = int(rng.choice([2, 3, 5, 6, 7, 10, n]))
        counts = rng.integers(0, 4, size=(n, p)).astype(float)
        X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-3, 3, p) + 10.0 ** rng.uniform(-2, 2) + y[:, None]
        if steps:  # 2 classes rows are learned first
            order = np.concatenate(
                [[row for c in range(classes) for row in np.flatnonzero(y == c)[:3]], rng.permutation(n)]
            )
            order = order[np.sort(np.unique(order, return_index=True)[1])]
            ends = np.sort(rng.choice(np.arange(3 * classes + 1, n), size=min(k, n - 3 * classes - 1), replace=False))
            parts = np.split(order, [3 * classes, *ends])
        else:
            while True:
                fold = rng.permutation(np.arange(n) % k)
                if all(np.bincount(y[fold != one], minlength=classes).min() > 1 for one in range(k)):
                    break
            parts = [np.flatnonzero(fold == one) for one in range(k)]
        return cls(counts, X, y, rng.integers(1, 5, n).astype(float), parts)

    def refits(self, learner, X, steps: bool, **further):
        every = np.concatenate(self.parts)
        for number, part in enumerate(self.parts[1:] if steps else self.parts, start=steps):
            train = np.concatenate(self.parts[:number]) if steps else np.setdiff1d(every, part)
            own = {name: values[train] for name, values in further.items()}
            yield clone(learner).fit(X[train], self.y[train], **own).predict_proba(X[part])

    def updates(self, learner, X, steps: bool, **further):
        def ask(hypothesis, rows):
            return hypothesis.predict_proba(X[rows])

        if steps:
            return tree_cv.blocks(learner, X, self.y, self.parts[0], self.parts[1:], ask, **further)
        return tree_cv.folds(learner, X, self.y, self.parts, ask, **further)


@pytest.mark.parametrize("steps", [False, True], ids=["folds", "steps"])
@pytest.mark.draws(quick=2, of=30)
@pytest.mark.parametrize("learner", COUNTS.values(), ids=COUNTS)
def test_learners_of_counts_have_the_answers_of_their_refits(learner, seed, steps):
    problem = Problem.draw(seed, steps)
    further = {"sample_weight": problem.weights} if seed % 2 else {}
    got = problem.updates(learner, problem.counts, steps, **further)
    for one, refit in zip(got, problem.refits(learner, problem.counts, steps, **further), strict=True):
        np.testing.assert_array_equal(refit, one)  # sums of whole numbers, to the bit


@pytest.mark.parametrize("steps", [False, True], ids=["folds", "steps"])
@pytest.mark.draws(of=30)
def test_so_has_gaussian_naive_bayes_to_rounding(seed, steps):
    problem = Problem.draw(seed, steps)
    further = {"sample_weight": problem.weights} if seed % 2 else {}
    got = problem.updates(GAUSSIAN, problem.X, steps, **further)
    for one, refit in zip(got, problem.refits(GAUSSIAN, problem.X, steps, **further), strict=True):
        np.testing.assert_allclose(one, refit, rtol=0, atol=1e-9)


def replayed(learner, X, y, parts, number, classes):
    """The hypothesis of one fold by updates of its own, without a copy: down the halves, each time the other one."""
    hypothesis, first, end = clone(learner), 0, len(parts)
    while end - first > 1:
        middle = (first + end) // 2
        inside = number < middle
        rows = np.concatenate(parts[middle:end] if inside else parts[first:middle])
        hypothesis.partial_fit(X[rows], y[rows], **classes)
        first, end = (first, middle) if inside else (middle, end)
    return hypothesis


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 7, 10, 40])
@pytest.mark.parametrize(
    "learner",
    [
        SGDClassifier(random_state=3),
        SGDClassifier(shuffle=False, learning_rate="constant", eta0=0.1),
        SGDRegressor(random_state=3),
        MLPClassifier((4,), random_state=3),
    ],
    ids=["shuffled", "in order", "numbers", "network"],
)
def test_learners_whose_updates_depend_on_order_are_updated_down_the_tree(learner, k):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(40, 3))
    signal = X @ [1.0, -1.0, 0.0] + rng.normal(size=40)
    numbers = isinstance(learner, SGDRegressor)
    y = signal if numbers else (signal > 0).astype(int)
    classes = {} if numbers else {"classes": [0, 1]}
    fold = rng.permutation(np.arange(40) % k)
    parts = [np.flatnonzero(fold == one) for one in range(k)]
    got = tree_cv.folds(learner, X, y, parts, lambda hypothesis, rows: hypothesis.predict(X[rows]))
    for number, one in enumerate(got):
        hypothesis = replayed(learner, X, y, parts, number, classes)
        np.testing.assert_array_equal(hypothesis.predict(X[parts[number]]), one)
    assert number + 1 == k
    assert not hasattr(learner, "coef_")


class Counting(ClassifierMixin, BaseEstimator):
    """Answers how often it was shown each row, which is its first feature; and counts all updates."""

    shown = 0

    def partial_fit(self, X, y, classes=None):
        self.classes_ = getattr(self, "classes_", classes)
        self.seen_ = [*getattr(self, "seen_", []), *X[:, 0].astype(int)]
        Counting.shown += len(X)
        return self


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 10, 31, 32, 33, 100])
def test_each_fold_has_learned_all_other_rows_once_and_all_in_few_passes(k):
    n = 100
    fold = np.random.default_rng(k).permutation(np.arange(n) % k)
    parts = [np.flatnonzero(fold == one) for one in range(k)]
    Counting.shown = 0
    X, y = np.arange(n)[:, None], np.arange(n) % 2
    for number, seen in enumerate(tree_cv.folds(Counting(), X, y, parts, lambda h, *_: (h.seen_, h.classes_.tolist()))):
        assert (sorted(seen[0]), seen[1]) == (np.flatnonzero(fold != number).tolist(), [0, 1])
    assert Counting.shown <= n * math.ceil(math.log2(k))
    if math.log2(k).is_integer():
        assert n * math.log2(k) == Counting.shown


def test_steps_are_learned_in_one_pass_in_their_order():
    order = np.random.default_rng(0).permutation(30)
    parts = np.split(order, [12, 13, 20])
    Counting.shown = 0
    got = list(
        tree_cv.blocks(
            Counting(), np.arange(30)[:, None], np.arange(30) % 2, parts[0], parts[1:], lambda h, *_: list(h.seen_)
        )
    )
    assert [order[:end].tolist() for end in (12, 13, 20)] == got
    assert 20 == Counting.shown  # the rows of the last block are never learned


@pytest.mark.parametrize("parts", [[], [np.arange(4)]])
def test_fewer_than_two_folds_are_refused(parts):
    with pytest.raises(BadArgument, match="at least 2 are needed"):
        list(tree_cv.folds(GAUSSIAN, np.eye(4), np.arange(4) % 2, parts, lambda *_: None))
