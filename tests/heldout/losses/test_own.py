"""A loss that is a function of the user's: as good as the one that it is equal to, or refused before any fit."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_percentage_error
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument

X, y = (of[:200] for of in load_diabetes(return_X_y=True))
REGRESSORS = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=3)}
HOW = {"repeats": 2, "further_estimates": ["E_boot"]}


def absolute(labels, answers):
    return np.abs(labels - answers)


def of_error(found):
    return {
        (one.candidate, one.estimate): one.value
        for one in [*found.estimates, *found.baseline]
        if one.estimate not in ("E_dis", "E_maxdt")
    }


def test_it_has_the_estimates_of_the_loss_that_it_is_equal_to():
    own = heldout.validate(REGRESSORS, X, y, loss=absolute, unlabeled=X[:100], **HOW)
    named = heldout.validate(REGRESSORS, X, y, loss="absolute", unlabeled=X[:100], **HOW)
    assert of_error(own) == pytest.approx(of_error(named), rel=1e-12)
    assert {"E_cv", "E_bbc", "E_boot", "disagreement"} <= {estimate for _, estimate in of_error(own)}
    assert own.select().selected == named.select().selected
    assert own.differences()[0].low == pytest.approx(named.differences()[0].low, rel=1e-12)
    assert "mean absolute loss, intervals at" in str(own)  # of the name of the function, in no unit
    assert "E_dis" not in {one.estimate for one in own.estimates}


def test_of_classes_the_baseline_is_the_class_of_least_loss():
    rows, labels = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[labels]
    costs = {true: {said: 5.0 if true == "a" else 1.0 for said in "abc" if said != true} for true in "abc"}
    learners = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    own = heldout.validate(
        learners, rows, names, loss=lambda label, said: (label != said) * np.where(label == "a", 5.0, 1.0), loss_max=5
    )
    named = heldout.validate(learners, rows, names, loss={"cost": costs})
    assert of_error(own) == pytest.approx(of_error(named), rel=1e-12)
    assert own.bound().value == pytest.approx(named.bound().value, rel=1e-9)


def test_two_processes_find_the_same():
    one = heldout.validate(REGRESSORS, X, y, loss=lambda a, b: (a - b) ** 2, repeats=2)
    assert one == heldout.validate(REGRESSORS, X, y, loss=lambda a, b: (a - b) ** 2, repeats=2, n_jobs=2)


def test_whole_numbers_of_regressors_are_numbers():
    few = np.round(y / 100)
    own = heldout.validate(REGRESSORS, X, few, loss=absolute, estimates=["E_val"])
    assert own.estimates == heldout.validate(REGRESSORS, X, few, loss="absolute", estimates=["E_val"]).estimates


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (mean_absolute_percentage_error, r"returned shape \(\) for 200 rows; .* see further_estimates"),
        (lambda a, b: a - b, r"loss is own, which is -\d+.* for the label .*must be finite and not negative"),
        (lambda a, b: np.full(len(a), np.nan), r"loss is own, which is nan"),
        (lambda a: a, r"loss is own, which raised TypeError: .* it is called with labels and answers"),
        (lambda a, b: np.full(len(a), "x"), r"returned <U1; it must return numbers"),
    ],
)
def test_what_is_no_loss_is_refused_before_any_fit(function, says):
    with pytest.raises(BadArgument, match=says):
        heldout.validate({"never": _Never()}, X, y, loss=function)


class _Never(Ridge):
    def fit(self, X, y, sample_weight=None):
        raise AssertionError("it was fitted")


def test_an_answer_without_a_loss_is_the_failure_of_its_candidate():
    def only_middle(labels, answers):
        return np.where((answers > 200) & (answers % 1 != 0), -1.0, np.abs(labels - answers))

    found = heldout.validate({"mean": Ridge(1e9), "tree": DecisionTreeRegressor(max_depth=3)}, X, y, loss=only_middle)
    assert "must be finite and not negative" in found.failed["tree"]
    assert ["mean"] == list(found)
