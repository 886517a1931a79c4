"""`validate` with row weights: they go to `fit`, and the loss of a row counts as often; recomputed by plain loops."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument

RNG = np.random.default_rng(0)
N = 120
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
WEIGHT = RNG.integers(0, 4, N).astype(float)
CANDIDATES = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "line": make_pipeline(StandardScaler(), LogisticRegression()),
}
SETTINGS = {"folds": 5, "repeats": 3, "block": 4, "seed": 1, "progress": False}


def fitted(learner, rows, y=Y):
    name = f"{learner.steps[-1][0]}__sample_weight" if hasattr(learner, "steps") else "sample_weight"
    return clone(learner).fit(X[rows], y[rows], **{name: WEIGHT[rows]})


@pytest.mark.parametrize("shortcuts", ["auto", "off"])
def test_the_estimates_are_those_of_plain_loops(shortcuts):
    made = heldout.validate(CANDIDATES, X, Y, sample_weight=WEIGHT, unlabeled=X[:30], shortcuts=shortcuts, **SETTINGS)
    for name, learner in CANDIDATES.items():
        for estimate, scheme in (("E_val", "holdout"), ("E_cv", "cross_validation"), ("E_prog", "progressive")):
            splits = made.design.splits(scheme)
            losses = [
                fitted(learner, split.train).predict(X[split.validation]) != Y[split.validation] for split in splits
            ]
            counted = WEIGHT[np.concatenate([split.validation for split in splits])]
            expected = np.average(np.concatenate(losses), weights=counted)
            assert made[name][estimate].value == pytest.approx(expected, abs=1e-12)
    assert made.decide().advice
    assert str(made).startswith(made.decide().advice)
    with pytest.raises(BadArgument, match="weights"):
        made.bound()


def test_numbers():
    y = X[:, 0] + RNG.normal(size=N)
    made = heldout.validate({"line": LinearRegression()}, X, y, sample_weight=WEIGHT, **SETTINGS)
    splits = made.design.splits("cross_validation")
    losses = [
        (fitted(LinearRegression(), split.train, y).predict(X[split.validation]) - y[split.validation]) ** 2
        for split in splits
    ]
    counted = WEIGHT[np.concatenate([split.validation for split in splits])]
    assert made["line"]["E_cv"].value == pytest.approx(np.average(np.concatenate(losses), weights=counted), rel=1e-9)


def test_losses_are_those_of_the_rows_and_their_weighted_mean_is_the_estimate():
    made = heldout.validate({"bayes": GaussianNB()}, X, Y, sample_weight=WEIGHT, **SETTINGS)
    step = made.design.partition.step
    rows = {
        "E_val": np.flatnonzero(made.design.partition.validation),
        "E_cv": np.arange(N),
        "E_prog": np.argsort(step)[(step < 0).sum() :],
        "E_2cv": np.arange(N),
    }
    for estimate, tested in rows.items():
        losses = made.losses(estimate)["bayes"]
        assert 0 <= losses.min() <= losses.max() <= 1
        if estimate != "E_2cv":
            expected = np.average(losses, weights=WEIGHT[tested])
            assert made["bayes"][estimate].value == pytest.approx(expected, abs=1e-12)


def test_weights_of_1_are_no_weights():
    without = heldout.validate(CANDIDATES, X, Y, **SETTINGS)
    assert without == heldout.validate(CANDIDATES, X, Y, sample_weight=np.ones(N), **SETTINGS)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (WEIGHT[:4], "sample_weight has shape (4,); it must be (120,)"),
        (np.where(np.arange(N) == 7, -1, WEIGHT), "sample_weight of row 7 is -1; a weight must be a finite number"),
        (np.where(np.arange(N) == 7, np.nan, WEIGHT), "sample_weight of row 7 is nan"),
        (np.zeros(N), "sample_weight is 0 in every row"),
        (["much"] * N, "sample_weight holds values that are no numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        heldout.validate(CANDIDATES, X, Y, sample_weight=weights, **SETTINGS)


def test_a_learner_that_takes_no_weights_is_refused_before_any_fit():
    learners = {**CANDIDATES, "knn": KNeighborsClassifier()}
    with pytest.raises(BadArgument, match=r"candidates\['knn'\].* takes no sample_weight"):
        heldout.validate(learners, X, Y, sample_weight=WEIGHT, **SETTINGS)
