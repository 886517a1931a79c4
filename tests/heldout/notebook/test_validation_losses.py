"""`heldout.validate` by every loss: recomputed by plain loops over scikit-learn, and chosen by; rare positives."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, mean_pinball_loss
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.selection import bbc
from heldout.splits.class_shares import strata
from heldout.splits.partition import make_halves, make_partition
from tests.variants import some

N, FOLDS, REPEATS = 48, 3, 2
RELATIVE = 1e-9  # the same sums in another order, and predictions of some rows or of all
COSTS = {0: {1: 1, 2: 5}, 1: {0: 2, 2: 0.5}, 2: {0: 3, 1: 4, 2: 0.25}}
SHARES = {"n_classes": 3, "n_clusters_per_class": 1, "weights": [0.6, 0.25], "flip_y": 0.1}
CLASSES = make_classification(80, 4, n_informative=4, n_redundant=0, random_state=1, **SHARES)
NUMBERS = make_regression(n_samples=80, n_features=3, noise=20, random_state=0)
CLASSIFIERS = {"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
REGRESSORS = {"line": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}
OF_CLASSES = {"log": "log", "brier": "brier", "balanced": "balanced", "cost": {"cost": COSTS}, "zero_one": "zero_one"}
OF_NUMBERS = {"pinball": {"pinball": 0.9}, "absolute": "absolute", "squared": "squared"}


class Turned(ClassifierMixin, BaseEstimator):
    """Naive Bayes with `classes_`, and the columns of its probabilities, in descending order."""

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_[::-1]
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)[:, ::-1]


def answer(name, hypothesis, X) -> np.ndarray:
    """What a hypothesis says: probabilities of the classes 0, 1, 2, classes, or numbers."""
    if name not in ("log", "brier"):
        return hypothesis.predict(X)
    found = np.zeros((len(X), 3))
    found[:, hypothesis.classes_] = hypothesis.predict_proba(X)
    return found


def lose(name, y, given, everything) -> list[float]:
    """The loss of each row by scikit-learn, or by the definition where it has none for a row."""
    one = {
        "log": lambda row, said: log_loss([row], [said], labels=[0, 1, 2]),
        "brier": lambda row, said: brier_score_loss([row], [said], labels=[0, 1, 2]),
        "balanced": lambda row, said: (row != said) * N / (3 * np.sum(everything == row)),
        "cost": lambda row, said: COSTS[row].get(said, 0),
        "zero_one": lambda row, said: float(row != said),
        "pinball": lambda row, said: mean_pinball_loss([row], [said], alpha=0.9),
        "absolute": lambda row, said: abs(row - said),
        "squared": lambda row, said: (row - said) ** 2,
    }[name]
    return [one(row, said) for row, said in zip(y, given, strict=True)]


def differ(name, one, other) -> np.ndarray:
    if name == "brier":
        return ((one - other) ** 2).sum(axis=1)
    if name == "log":
        one, other = (np.clip(probabilities, 2.0**-52, 1 - 2.0**-52) for probabilities in (one, other))
        return np.maximum(-np.log(np.sqrt(one * other).sum(axis=1)), 0)
    if name in ("balanced", "cost", "zero_one"):
        return (one != other).astype(float)
    return (one - other) ** 2 if name == "squared" else abs(one - other)


def bound(name, d) -> float:
    """E_dis of each loss, for three classes."""
    of_classes = 2 / 3 * (1 - np.sqrt(1 - min(d, 2 / 3) * 3 / 2))
    return {"zero_one": of_classes, "cost": 0.5 * of_classes, "pinball": 0.05 * d, "log": d}.get(name, d / 2)


def recomputed(name, learner, X, y, U, partition, halves) -> tuple[dict[str, float], np.ndarray, np.ndarray]:
    """Every estimate of one candidate by plain loops, its held-out losses, and those without each pair of folds."""
    rows = np.arange(N)

    def losses(train, tested) -> np.ndarray:
        return np.array(lose(name, y[tested], answer(name, clone(learner).fit(X[train], y[train]), X[tested]), y))

    fold, step = partition.fold, partition.step
    held_out = np.empty(N)
    for number in range(FOLDS):
        held_out[fold == number] = losses(rows[fold != number], rows[fold == number])
    pairs = np.full((FOLDS, N), np.nan)
    for i, j in combinations(range(FOLDS), 2):
        without = rows[(fold != i) & (fold != j)]
        pairs[i, fold == j], pairs[j, fold == i] = losses(without, rows[fold == j]), losses(without, rows[fold == i])
    blocks = [(step >= first) & (step < first + 5) for first in range(0, step.max() + 1, 5)]
    stream = [losses(rows[step < step[block].min()], rows[block]) for block in blocks]
    tested, trained, apart = [], [], []
    for half in halves:
        for side in (0, 1):
            tested.append(losses(rows[half == side], rows[half != side]))
            trained.append(losses(rows[half == side], rows[half == side]).mean())
        both = [answer(name, clone(learner).fit(X[half == side], y[half == side]), U) for side in (0, 1)]
        apart.append(differ(name, *both).mean())
    values = {
        "E_in": losses(rows, rows).mean(),
        "E_val": losses(rows[~partition.validation], rows[partition.validation]).mean(),
        "E_cv": held_out.mean(),
        "E_prog": np.concatenate(stream).mean(),
        "E_2cv": np.concatenate(tested).mean(),
        "E_train": np.mean(trained),
        "disagreement": np.mean(apart),
    }
    if name != "balanced":
        values["E_dis"] = bound(name, np.mean(apart))
        values["E_maxdt"] = max(values["E_dis"], values["E_train"])
    return values, held_out, pairs


@pytest.mark.parametrize("name", some([*OF_CLASSES, *OF_NUMBERS], "log", "absolute"))
def test_every_estimate_equals_the_plain_loops(name):
    numbers = name in OF_NUMBERS
    features, target = NUMBERS if numbers else CLASSES
    learners = REGRESSORS if numbers else CLASSIFIERS
    X, y, U = features[:N], target[:N], features[N:]
    spec = (OF_NUMBERS if numbers else OF_CLASSES)[name]
    how = {"loss": spec, "folds": FOLDS, "repeats": REPEATS, "block": 5, "seed": 3}
    found = heldout.validate(learners, X, y, unlabeled=U, **how)
    told = {(one.candidate, one.estimate): one.value for one in found.estimates}
    parts = strata(y, not numbers)  # three classes, which are not stratified
    partition = make_partition(parts, validation_fraction=0.2, folds=FOLDS, tested_fraction=0.5, stratify=False, seed=3)
    halves = make_halves(parts, repeats=REPEATS, stratify=False, seed=3)
    by_hand = {one: recomputed(name, learner, X, y, U, partition, halves) for one, learner in learners.items()}
    expected = {(one, on): value for one, (values, _, _) in by_hand.items() for on, value in values.items()}
    winner = min(by_hand, key=lambda one: by_hand[one][1].mean())
    # the bootstrap's draws are those of the seed; its losses are the plain loops'
    table = np.stack([held_out for _, held_out, _ in by_hand.values()])
    expected[winner, "E_bbc"] = bbc.corrected(table, 3).error
    assert set(expected) == set(told)
    for key, value in expected.items():
        assert value == pytest.approx(told[key], rel=RELATIVE, abs=1e-12), key

    nested = heldout.validate(learners, X, y, **how, estimates=["E_nested"]).estimates[0]
    inner = [np.argmin([np.nanmean(pairs[i]) for _, _, pairs in by_hand.values()]) for i in range(FOLDS)]
    outer = np.mean([table[inner[number], row] for row, number in enumerate(partition.fold)])
    assert (winner, outer) == (nested.candidate, pytest.approx(nested.value, rel=RELATIVE))
    assert nested.low <= nested.value <= nested.high

    for criterion in ("E_val", "E_cv", "E_2cv", "E_prog"):
        values = {one: told[one, criterion] for one in learners}
        best, within, alike = (
            found.select(criterion, rule) for rule in ("minimum", "one_standard_error", "indistinguishable")
        )
        assert min(values, key=values.get) == best.selected
        assert best.selected in best.indistinguishable
        assert alike.indistinguishable[0] == alike.selected
        assert [*learners].index(within.selected) <= [*learners].index(best.selected)
        if criterion == "E_cv":
            own = table[[*learners].index(best.selected)]
            errors = [own[partition.fold == number].mean() for number in range(FOLDS)]
            reach = values[best.selected] + np.std(errors, ddof=1) / np.sqrt(FOLDS)
            assert next(one for one in learners if values[one] <= reach) == within.selected


@pytest.mark.parametrize("criterion", ["E_maxdt", "max(E_cv, E_maxdt)"])
def test_a_criterion_that_the_loss_does_not_admit_is_refused_by_name(criterion):
    X, y = CLASSES
    found = heldout.validate(CLASSIFIERS, X[:N], y[:N], unlabeled=X[N:], loss="balanced", folds=3, estimates=["E_cv"])
    with pytest.raises(
        ValueError, match="^criterion is .*, but the balanced loss does not admit E_maxdt: .*; use a cr"
    ):
        found.select(criterion)


def test_a_class_that_a_training_part_lacks_costs_the_clipped_log_loss_and_nothing_is_infinite():
    X, y = CLASSES[0][:24], np.repeat([0, 1, 2], [12, 11, 1])
    found = heldout.validate({"bayes": GaussianNB()}, X, y, loss="log", folds=24, estimates=["E_cv"])
    (record,) = found.estimates
    without = [answer("log", one, X[[row]])[0] for row, one in enumerate(found.target("bayes", "E_cv"))]
    assert 0 == without[23][2]  # its only row is held out
    assert log_loss(y, without, labels=[0, 1, 2]) == pytest.approx(record.value, rel=1e-12)
    assert np.isfinite([record.low, record.value, record.high]).all()


def test_labels_of_text_and_columns_in_another_order_are_aligned():
    X, y = CLASSES
    words = np.array(["a", "b", "c"])[y]
    how = {"loss": "log", "folds": 3, "estimates": ["E_cv", "E_val"]}
    found = [heldout.validate({"a": one}, X, words, **how).estimates for one in (GaussianNB(), Turned())]
    numbers = heldout.validate({"a": GaussianNB()}, X, y, **how).estimates
    values = [[record.value for record in one] for one in (*found, numbers)]
    assert values[0] == values[2]
    assert values[0] == pytest.approx(values[1], rel=1e-9)  # a subclass is fitted


# --- rare positives


@pytest.fixture(scope="module")
def rare() -> tuple[np.ndarray, np.ndarray]:
    """2400 rows, of whose first 2000 20 are positive."""
    rng = np.random.default_rng(7)
    y = np.zeros(2400, dtype=int)
    y[rng.choice(2000, 20, replace=False)] = 1
    y[2000:2004] = 1
    return rng.normal(size=(2400, 4)) + 2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss",
    [
        *("zero_one", "balanced", {"cost": {0: {1: 1}, 1: {0: 99}}}),
        *(pytest.param(loss, marks=pytest.mark.slow) for loss in ("log", "brier")),
    ],
    ids=str,
)
def test_twenty_positives_of_two_thousand_rows_are_enough(rare, loss):
    X, y, U = rare[0][:2000], rare[1][:2000], rare[0][2000:]
    learners = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
    found = heldout.validate(learners, X, y, unlabeled=U, loss=loss, folds=5, repeats=3, block=100, seed=1)
    for one in found.estimates:
        bounds = [value for value in (one.low, one.value, one.high) if value is not None]
        assert np.isfinite(bounds).all()
        assert sorted(bounds) == bounds
        assert bounds[0] >= 0
        assert one.estimate == "E_in" or one.level == 0.95
    assert found.select().selected in learners
    whole = {(one.candidate, one.estimate): one for one in found.estimates}
    fold = make_partition(y, validation_fraction=0.2, folds=5, tested_fraction=0.5, stratify=True, seed=1).fold
    assert [4] * 5 == np.bincount(fold, weights=y).tolist()  # positives in every fold
    if loss == "zero_one":
        record = whole["bayes", "E_val"]
        wrong, n = round(record.value * record.n_tested), record.n_tested
        low = 0.0 if wrong == 0 else beta.ppf(0.025, wrong, n - wrong + 1)
        assert "Clopper-Pearson" == record.interval
        assert [low, beta.ppf(0.975, wrong + 1, n - wrong)] == pytest.approx([record.low, record.high], abs=1e-12)
        assert all(one.high <= 1 for one in found.estimates if one.high is not None)
    if loss == "balanced":
        predicted = cross_val_predict(GaussianNB(), X, y, cv=PredefinedSplit(fold))
        expected = 1 - balanced_accuracy_score(y, predicted)
        assert expected == pytest.approx(whole["bayes", "E_cv"].value, abs=1e-12)
