"""Intervals end at the limit of their loss, whatever that is: every loss, and every number that may be cut."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
Y = X[:, 0] + 2 * rng.normal(size=90)
CLASSES = np.digitize(Y, [-1.5, 1.5])
UNLABELED = rng.normal(size=(400, 4))
OF_CLASSES = {"naive-bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
OF_NUMBERS = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}
SCALE = 1000.0
COSTS = {0: {1: 2, 2: 5}, 1: {0: 2, 2: 3}, 2: {0: 9, 1: 4}}
LOSSES = ["zero_one", "log", "brier", "balanced", {"cost": COSTS}, "squared", "absolute", {"pinball": 0.9}]


def made(loss, *, scale=1.0, loss_max=None):
    """A validation by a loss; `scale` is that of the target, or of the costs."""
    of_classes = (isinstance(loss, dict) and "cost" in loss) or loss in ("zero_one", "log", "brier", "balanced")
    if isinstance(loss, dict) and "cost" in loss:
        loss = {"cost": {actual: {p: scale * cost for p, cost in of.items()} for actual, of in COSTS.items()}}
    candidates, y = (OF_CLASSES, CLASSES) if of_classes else (OF_NUMBERS, scale * Y)
    return heldout.validate(
        candidates, X, y, unlabeled=UNLABELED, loss=loss, loss_max=loss_max, repeats=5, folds=5, progress=False
    )


def lines(result):
    """Every record with an interval on the scale of the loss."""
    yield from (("estimate", line) for line in (*result.estimates, *result.baseline))
    for name in result.candidates:
        yield from (("more rows", line) for line in result.more_rows(name))
        yield from (("prediction_powered", line) for line in result.prediction_powered(name))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_an_interval_holds_its_value_and_ends_at_the_limit_of_the_loss(loss):
    result = made(loss)
    limit = result.design.loss.limit
    for kind, line in lines(result):
        if line.low is not None and line.value is not None:
            assert line.low <= line.value <= line.high, (kind, line)
            if line.estimate not in ("disagreement", "gain"):
                assert line.low >= 0, (kind, line)
                assert line.high <= limit, (kind, line)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "loss_max", "power"),
    [({"cost": COSTS}, None, 1), ("absolute", 40.0, 1), ({"pinball": 0.9}, 40.0, 1), ("squared", 900.0, 2)],
    ids=str,
)
def test_another_unit_of_the_loss_changes_no_interval_but_its_unit(loss, loss_max, power):
    unit = SCALE**power
    one, other = made(loss, loss_max=loss_max), made(loss, scale=SCALE, loss_max=loss_max and unit * loss_max)
    for (kind, line), (_, scaled) in zip(lines(one), lines(other), strict=True):
        of_classes = line.estimate == "disagreement" and "cost" in loss  # whether two answers are alike
        for end in ("value", "low", "high"):
            expected, found = getattr(line, end), getattr(scaled, end)
            assert (expected is None) == (found is None), (kind, line)
            if expected is not None:
                assert (1 if of_classes else unit) * expected == pytest.approx(found, rel=1e-6), (kind, line)
    assert unit * one.bound().value == pytest.approx(other.bound().value, rel=1e-6)
    for line, scaled in zip(one.differences(), other.differences(), strict=True):
        for end in ("difference", "low", "high"):
            assert unit * getattr(line, end) == pytest.approx(getattr(scaled, end), rel=1e-6)
