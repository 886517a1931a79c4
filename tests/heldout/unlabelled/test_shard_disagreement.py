"""The disagreement of each shard is the estimate `disagreement`, of the shard's rows alone."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.losses import choose_loss
from heldout.losses.tested_losses import ShardMargins
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.shard_disagreement import by_shard

SIZES = (40, 1, 79)
rng = np.random.default_rng(0)
X, U = rng.normal(size=(60, 2)), rng.normal(size=(120, 2))
y = (X[:, 0] > 0).astype(int)


def validated(unlabeled):
    how = {"unlabeled": unlabeled, "estimates": ["E_2cv", "disagreement"], "repeats": 6, "progress": False}
    return heldout.validate({"tree": DecisionTreeClassifier(max_depth=1)}, X, y, **how)


@pytest.fixture(scope="module")
def made():
    return validated(U)


def margins_of(made, sizes):
    of = disagreements(made.target("tree", "disagreement"), U, made.design.loss, sizes)
    return ShardMargins.of(*of, sizes)


def estimate(made):
    [record] = [record for record in made.estimates if record.estimate == "disagreement"]
    return record


def test_each_shard_has_the_estimate_that_its_rows_alone_would_have(made):
    lines = by_shard(made.design, margins_of(made, SIZES), [(str(place), "") for place in range(3)])
    ends = np.cumsum(SIZES)
    for line, size, end in zip(lines, SIZES, ends, strict=True):
        alone = estimate(validated(U[end - size : end]))
        assert (size, alone.value) == (line.rows, pytest.approx(line.disagreement))
        assert (alone.low, alone.high, alone.level) == pytest.approx((line.low, line.high, line.level))
    mean = sum(line.rows * line.disagreement for line in lines) / sum(SIZES)
    assert estimate(made).value == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("loss", ["zero_one", "brier"])
@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), DecisionTreeClassifier(max_depth=2), GaussianNB()],
    ids=["linear", "trees", "one by one"],
)
def test_margins_are_the_same_for_any_number_of_threads(learner, loss, monkeypatch):
    for module in ("linear", "trees"):
        monkeypatch.setattr(f"heldout.batched.{module}._ROWS_AT_ONCE", 7)
    halves = [clone(learner).fit(X[rows], y[rows]) for rows in (slice(None, None, 2), slice(1, None, 2), slice(40))]
    of = choose_loss(loss, y)
    one, three = (disagreements([*halves, halves[0]], U, of, [5, len(U) - 5], jobs) for jobs in (1, 3))
    np.testing.assert_array_equal(one[0], three[0])
    np.testing.assert_array_equal(one[1], three[1])
