"""Support vector machines fitted from distances are the fits themselves, to the bit, or are declined."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.linalg.blas import ddot
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from heldout.shortcuts.shortcut import Declined
from heldout.shortcuts.support_vectors import Distances, SupportVectors, known

STATE = 7


def rows_of(rng, n):
    p = int(rng.integers(1, 9))
    return rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4) + rng.choice([0, 0, 1])


def awkward(rng, n, kind):
    """Copies, whole numbers, classes far apart, a heavy tail, rows far from the origin."""
    X = rows_of(rng, n)
    if kind == 0:
        return X[rng.integers(0, n // 3, size=n)]
    if kind == 1:
        return np.round(X)
    if kind == 2:
        return X + 20 * X.std() * (np.arange(n) % 2)[:, None]
    return X * np.exp(2 * rng.normal(size=(n, 1))) if kind == 3 else X + 20 * X.std()


def target(rng, X, classes):
    signal = X @ rng.normal(size=X.shape[1])
    signal = signal / (signal.std() or 1) + rng.choice([0, 1]) * rng.normal(size=len(X))
    if not classes:
        return 10.0 ** rng.integers(-1, 3) * signal
    places = np.searchsorted(np.quantile(signal, np.arange(1, classes) / classes), signal)
    return np.array(["d", "b", "a", "c"])[places] if rng.integers(2) else places


def classifier(rng, X):
    settings = {
        "gamma": ["scale", "auto", 0.01 / (X.var() or 1), 3 / (X.var() or 1)][rng.integers(4)],
        "class_weight": rng.choice([None, "balanced"]),
        "shrinking": bool(rng.integers(2)),
        "decision_function_shape": str(rng.choice(["ovr", "ovo"])),
        "tol": 10.0 ** rng.integers(-6, -1),
    }
    if rng.integers(3):
        return SVC(C=10.0 ** rng.integers(-3, 6), **settings)
    return NuSVC(nu=rng.choice([0.05, 0.2, 0.4]), **settings)


def regressor(rng):
    C, gamma = 10.0 ** rng.integers(-2, 4), str(rng.choice(["scale", "auto"]))
    return SVR(C=C, gamma=gamma, epsilon=rng.choice([0.0, 0.1, 1.0])) if rng.integers(2) else NuSVR(C=C, gamma=gamma)


def refit(learner, X, y, train, weights=None):
    learner = clone(learner)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=STATE)
    further = {} if weights is None else {"sample_weight": weights[train]}
    return learner.fit(X.iloc[train] if isinstance(X, pd.DataFrame) else X[train], y[train], **further)


def assert_the_same(got, wanted):
    assert type(got) is type(wanted)
    assert vars(got).keys() == vars(wanted).keys()
    for name, value in vars(wanted).items():
        np.testing.assert_array_equal(getattr(got, name), value, err_msg=name, strict=isinstance(value, np.ndarray))


def assert_the_fits(learner, X, y, rng, weights=None):
    """That parts equal their refits; how many were declined."""
    n, declined = len(y), 0
    shared = SupportVectors.of(learner, Distances.of(X), y, weights)
    values = X.to_numpy() if isinstance(X, pd.DataFrame) else X
    for size in (n // 2, n - n // 10):
        mixed = rng.permutation(n)
        train, asked = np.sort(mixed[:size]), np.sort(mixed[size - 5 :])
        try:
            got = shared.fitted(train, STATE)
        except Declined:
            declined += 1
            continue
        wanted = refit(learner, X, y, train, weights)
        assert_the_same(got, wanted)
        predicted = wanted.predict(X.iloc[asked] if isinstance(X, pd.DataFrame) else values[asked])
        np.testing.assert_array_equal(shared.predictions(got, train, asked), predicted, strict=True)
    return declined


@pytest.mark.draws
def test_a_classifier_is_its_refit_and_is_not_declined(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(40, 120), rng.choice([1, 2, 5, 40])))
    y = target(rng, X, rng.integers(2, 5))
    weights = [None, rng.uniform(0.5, 2, size=len(y))][rng.integers(2)]
    learner = SVC(C=10.0 ** rng.integers(-2, 4), gamma=str(rng.choice(["scale", "auto"])))
    assert assert_the_fits(learner, X, y, rng, weights) == 0


@pytest.mark.draws
def test_a_classifier_on_awkward_rows_is_its_refit_or_is_declined(seed):
    rng = np.random.default_rng(seed)
    X = awkward(rng, int(rng.integers(40, 150)), seed % 5)
    assert_the_fits(classifier(rng, X), X, target(rng, X, rng.integers(2, 5)), rng)


@pytest.mark.draws(quick=6)
def test_a_regressor_is_its_refit_or_is_declined(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 120))
    X = rows_of(rng, n) if seed % 6 == 5 else awkward(rng, n, seed % 6)
    weights = [None, rng.uniform(0.5, 2, size=len(X))][rng.integers(2)]
    assert_the_fits(regressor(rng), X, target(rng, X, 0), rng, weights)


@pytest.mark.draws
def test_each_value_of_a_kernel_is_the_single_that_libsvm_has(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, rng.integers(30, 60)))
    X += 12 / np.sqrt(X.shape[1])  # so far from the origin that products lose two digits
    single = np.exp(-((X[0] - X[1]) ** 2).mean() / X.var()).astype(np.float32)
    between = np.mean([single, np.nextafter(single, np.float32(1))], dtype=np.float64)
    gamma = -np.log(between) / ((X[0] - X[1]) ** 2).sum()  # at which the first pair could round either way
    train, squares = np.arange(36), [ddot(x, x) for x in X]
    wanted = [[math.exp(-gamma * (squares[i] + squares[j] - 2 * ddot(X[i], X[j]))) for j in train] for i in train]
    distances, learner, y = Distances.of(X), SVC(C=10, gamma=float(gamma)), np.arange(40) % 2
    got = distances.kernel(train, gamma)
    np.testing.assert_array_equal(got.astype(np.float32), np.array(wanted, dtype=np.float32))
    assert (got.diagonal() == 1).all()
    assert_the_same(SupportVectors.of(learner, distances, y).fitted(train, STATE), refit(learner, X, y, train))


def test_rows_between_two_classes_are_predicted_by_the_hypothesis():
    rng = np.random.default_rng(0)
    right = rng.normal(size=(40, 2)) + np.array([2, 0])
    X = np.concatenate([right, right * [-1, 1], np.stack([np.zeros(200), rng.normal(size=200)], axis=1)])
    y = np.repeat([0, 1, 0], [40, 40, 200])
    train, asked = np.arange(80), np.arange(80, 280)
    shared = SupportVectors.of(SVC(C=1e4, tol=1e-9), Distances.of(X), y)
    hypothesis = shared.fitted(train, STATE)
    decisions = hypothesis.decision_function(X[asked])
    assert np.abs(decisions).max() < 1e-6
    np.testing.assert_array_equal(shared.predictions(hypothesis, train, asked), hypothesis.predict(X[asked]))


def test_a_data_frame_gives_a_hypothesis_that_knows_its_columns():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    for learner, classes in ((SVC(), 3), (SVR(), 0)):
        assert assert_the_fits(learner, X, target(rng, X.to_numpy(), classes), rng) == 0


def test_fits_pay_with_many_support_vectors_in_many_features():
    rng = np.random.default_rng(2)
    X, noise = rng.normal(size=(600, 20)), rng.integers(0, 2, size=600)
    for y, p, n, pays in ((noise, 20, 600, True), (noise, 20, 250, False), ((X[:, 0] > 0) * 1, 1, 600, False)):
        shared = SupportVectors.of(SVC(), Distances.of(X[:, :p]), y)
        assert shared.pays(shared.fitted(np.arange(n), STATE)) is pays


class OwnMachine(SVC):
    """A subclass may do anything else."""


EACH = np.arange(20)
ROWS = np.random.default_rng(3).normal(size=(20, 3))
LABELS = (ROWS[:, 0] > 0) * 1
HOLE = np.where(EACH == 7, np.nan, 1.0)


def test_a_type_is_known_itself():
    assert all(known(learner) for learner in (SVC(), NuSVC(), SVR(), NuSVR()))
    assert not any(known(learner) for learner in (OwnMachine(), LogisticRegression()))


@pytest.mark.parametrize(
    ("learner", "X", "weights", "reason"),
    [
        (OwnMachine(), ROWS, None, "itself"),
        (SVC(C=-1), ROWS, None, "InvalidParameterError"),
        (SVC(kernel="linear"), ROWS, None, "another kernel"),
        (SVC(kernel="precomputed"), ROWS, None, "another kernel"),
        (SVC(kernel=lambda a, b: a @ b.T), ROWS, None, "another kernel"),
        (SVC(probability=True), ROWS, None, "probability"),
        (SVC(break_ties=True), ROWS, None, "ties"),
        (SVC(verbose=True), ROWS, None, "verbose"),
        (SVC(), ROWS.astype(np.float32), None, "2-D array of float64"),
        (SVC(), ROWS * HOLE[:, None], None, "missing"),
        (SVC(), pd.DataFrame(ROWS).assign(kind="a"), None, "no table of numbers"),
        (SVC(), np.zeros((4001, 1)), None, "more than 4000 rows"),
        (SVC(), ROWS, HOLE, "weights that are missing"),
        (SVC(), ROWS, EACH * 1.0, "weights of 0"),
    ],
)
def test_a_learner_or_rows_without_shared_fits_are_declined(learner, X, weights, reason):
    with pytest.raises(Declined, match=reason):
        SupportVectors.of(learner, Distances.of(X), LABELS, weights)


@pytest.mark.parametrize(("missing", "kind"), [(np.nan, float), (np.inf, float), (np.nan, object)])
def test_missing_outcomes_are_declined(missing, kind):
    y = np.where(EACH == 7, missing, 1.0).astype(kind)
    with pytest.raises(Declined, match="ValueError"):
        SupportVectors.of(SVC(), Distances.of(ROWS), y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("learner", "X", "y", "reason"),
    [
        (SVC(), ROWS, LABELS * 0, "ValueError"),
        (SVC(max_iter=1), ROWS, LABELS, "ConvergenceWarning"),
        (NuSVC(nu=1), ROWS, (EACH == 3) * 1, "ValueError"),
        (SVC(class_weight={5: 1}), ROWS, LABELS, "ValueError"),
        (SVC(), ROWS + 1e3, LABELS, "rounding moves too far"),
        (SVC(gamma=1e9), ROWS, LABELS, "rounding moves too far"),
    ],
)
def test_a_fit_that_fails_or_warns_and_rows_that_rounding_moves_are_declined(learner, X, y, reason):
    with pytest.raises(Declined, match=reason):
        SupportVectors.of(learner, Distances.of(X), y).fitted(EACH, STATE)
