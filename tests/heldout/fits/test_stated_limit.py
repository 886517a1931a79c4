"""`loss_max` and `bound` of `heldout.validate`: what a known limit gives, and what refutes it."""

import re
from html import unescape

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument
from heldout.intervals import betting, hoeffding
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested

rng = np.random.default_rng(3)
X = rng.uniform(size=(60, 2))
Y = np.clip(8 * X[:, 0] + rng.normal(size=60), 0, 10)  # a tree's answers are means of labels, so losses are 100 at most
TREES = {"stump": DecisionTreeRegressor(max_depth=1), "tree": DecisionTreeRegressor(max_depth=3)}
HOW = {"folds": 4, "repeats": 2, "tested_fraction": 0.3, "block": 6}


class NeverFitted(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("a fit was made")

    def predict(self, X):
        raise AssertionError("an answer was asked for")


class Wild(DummyRegressor):
    """The mean label; and 1000 at the row whose first feature is `at`, if it trained on it, or if it did not."""

    def __init__(self, at: float, trained: bool):
        super().__init__()
        self.at, self.trained = at, trained

    def fit(self, X, y):
        self.wild_ = (X[:, 0] == self.at).any() == self.trained
        return super().fit(X, y)

    def predict(self, X):
        return np.where(self.wild_ & (X[:, 0] == self.at), 1000.0, super().predict(X))


@pytest.fixture(scope="module")
def found() -> heldout.Validation:
    return heldout.validate(
        TREES, X, Y, loss_max=100, intervals={"E_val": "betting", "E_cv": "k-fold Hoeffding"}, **HOW
    )


def test_a_limit_changes_no_estimate_and_no_default_interval(found):
    plain = heldout.validate(TREES, X, Y, **HOW)
    for ours, theirs in zip(found.estimates, plain.estimates, strict=True):
        assert (ours.candidate, ours.estimate, ours.value) == (theirs.candidate, theirs.estimate, theirs.value)
        if ours.estimate not in ("E_val", "E_cv", "E_bbc"):  # whose interval is that of E_cv
            assert ours == theirs
    assert {"betting"} == {one.interval for one in found.estimates if one.estimate == "E_val"}
    with pytest.raises(
        BadArgument, match="^intervals: betting is for losses of known limit, .* unless loss_max states"
    ):
        heldout.validate({"a": NeverFitted()}, X, Y, intervals={"E_val": "betting"}, **HOW)


def test_the_bound_is_the_one_sided_limit_of_betting_at_delta_over_the_models(found):
    losses = found.evidence["tree"].losses["holdout"][0]
    unit = betting.upper_limit(Tested(losses / 100, SQUARED), 0.05 / 8)
    of_tree = found.bound("tree", models=8)
    assert 100 * unit == pytest.approx(of_tree.value, rel=1e-9)
    reach = 100 * hoeffding.upper_reach(len(losses), 0.05, 8)
    assert ("betting", losses.mean() + reach) == (of_tree.method, pytest.approx(of_tree.hoeffding, rel=1e-12))
    assert found.bound() == found.bound(found.select().selected, models=2)
    assert found.bound("tree").value < of_tree.value < 100


def test_print_has_the_bound_and_what_it_rests_on(found):
    (line,) = re.findall("<dt>bound</dt><dd>(.*?)</dd>", unescape(found._repr_html_()))
    winner = found.select().selected
    assert f"with probability 95 % or more {winner}'s error, " in line
    at_most = f"at most RMSE {found.bound().value ** 0.5:.4g}"
    assert f"{at_most}, if no loss is above 100 (loss_max): the upper betting limit" in line
    assert "of its E_val, for 2 candidates; the comparison of more than one adds " in line
    assert line.endswith(". bound(models=M) counts all M that were ever compared on these rows")
    unbounded = heldout.validate(TREES, X, Y, estimates=["E_val", "E_cv"], **HOW)
    assert "<dt>bound</dt>" not in unbounded._repr_html_()


def test_classes_have_a_bound_without_a_statement():
    labels = (Y > 4).astype(int)
    learners = {"tree": DecisionTreeClassifier(max_depth=2), "line": LogisticRegression()}
    how = {"estimates": ["E_val", "E_cv"], **HOW}
    by_loss = {
        name: heldout.validate(learners, X, labels, loss=loss, **how).bound(models=3)
        for name, loss in {
            "zero_one": None,
            "brier": "brier",
            "balanced": "balanced",
            "cost": {"cost": {0: {1: 3}, 1: {0: 20}}},
        }.items()
    }
    assert ["Clopper-Pearson", *3 * ["betting"]] == [bound.method for bound in by_loss.values()]
    assert 1 < by_loss["cost"].value < 20


@pytest.mark.parametrize(
    ("how", "ask", "argument", "says"),
    [
        ({}, {}, "loss_max", "bound: no limit of the squared loss is known; state it as loss_max"),
        ({"loss_max": 100, "estimates": ["E_cv"]}, {}, "estimates", "bound: E_val was not computed"),
        ({"loss_max": 100, "groups": np.arange(60) // 3}, {}, "groups", "bound: it needs independent rows"),
        ({"loss_max": 100}, {"models": 1}, "models", "models is 1; it must be a whole number of at least 2"),
        ({"loss_max": 100}, {"models": 2.5}, "models", "models is 2.5; it must be a whole number of at least 2"),
        ({"loss_max": 100}, {"candidate": "forest"}, "candidate", "candidate is 'forest'; it must be one of "),
    ],
)
def test_where_there_is_no_bound_the_reason_is_given(how, ask, argument, says):
    made = heldout.validate(TREES, X, Y, **{"estimates": ["E_val"], **HOW, **how})
    with pytest.raises(BadArgument) as caught:
        made.bound(**ask)
    assert argument == caught.value.argument
    assert str(caught.value).startswith(says)
    if argument not in ("models", "candidate"):
        assert "bound: " not in str(made)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"loss_max": 0}, "loss_max is 0; it must be a finite number above 0"),
        ({"loss_max": np.inf}, "loss_max is inf; it must be a finite number above 0"),
        ({"loss_max": 1, "y": Y > 4}, "loss_max is 1, but no zero_one loss of this target is above 1"),
        ({"loss_max": 5}, "loss_max is 5, but the squared loss of baseline, which answers the mean, is "),
    ],
)
def test_what_can_be_known_before_any_fit_is_refused_before_any_fit(how, says):
    with pytest.raises(BadArgument) as caught:
        heldout.validate({"a": NeverFitted()}, X, how.pop("y", Y), **how)
    assert "loss_max" == caught.value.argument
    assert str(caught.value).startswith(says)


def test_a_fold_s_constant_counts_as_well():
    y = np.array([0.5, 0.5, 0.5, 9.5])  # the mean of all is 2.75, of the others 0.5: at most 45.6, and 81
    with pytest.raises(BadArgument, match="^loss_max is 60, but the squared loss of baseline, .* is 81 at row 3; "):
        heldout.validate({"a": NeverFitted()}, X[:4], y, folds=4, estimates=["E_cv"], loss_max=60)


@pytest.mark.parametrize(
    ("trained", "estimates"), [(False, ["E_cv"]), (False, ["E_2cv"]), (True, ["E_train"]), (True, ["E_in"])]
)
def test_a_loss_above_the_limit_in_any_fit_ends_the_validation(trained, estimates):
    learners = {**TREES, "wild": Wild(at=X[17, 0], trained=trained)}
    heldout.validate(learners, X, Y, loss_max=1e6, estimates=estimates, **HOW)
    loss = (1000 - Y[17]) ** 2
    with pytest.raises(BadArgument) as caught:
        heldout.validate(learners, X, Y, loss_max=100, estimates=estimates, **HOW)
    assert "loss_max" == caught.value.argument
    assert str(caught.value).startswith(f"loss_max is 100, but the squared loss of wild is {loss:g} at row 17; ")
