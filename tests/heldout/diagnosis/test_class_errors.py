"""Errors of each class: those of E_cv, class by class."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def validated(y=NAMES, folds=5, **more):
    return heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"], folds=folds, progress=False, **more)


def test_each_is_the_share_of_wrong_answers_on_its_rows_and_together_they_are_e_cv():
    made = validated()
    wrong = NAMES != cross_val_predict(GaussianNB(), X, NAMES, cv=PredefinedSplit(made.design.partition.fold))
    found = made.class_errors()
    assert [(name, 50, wrong[name == NAMES].mean()) for name in np.unique(NAMES)] == [
        (one.class_name, one.n_tested, pytest.approx(one.value)) for one in found
    ]
    assert made["bayes"]["E_cv"].value == pytest.approx(np.mean([one.value for one in found]))


def test_the_interval_is_wilsons_at_three_fifths_of_the_rows():
    for one in validated().class_errors("bayes"):
        n, z = 0.6 * one.n_tested, norm.ppf(0.975)
        centre = (one.value + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z / (1 + z**2 / n) * np.sqrt(one.value * (1 - one.value) / n + z**2 / (4 * n**2))
        assert (max(centre - reach, 0), centre + reach) == pytest.approx((one.low, one.high), abs=1e-9)
        assert "" == one.reason


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"groups": np.arange(150) // 2}, "rows depend on one another"),
        ({"sample_weight": np.linspace(1, 3, 150)}, "rows have weights"),
    ],
)
def test_rows_that_depend_or_have_weights_have_an_error_and_no_interval(more, reason):
    made = validated(**more)
    split = PredefinedSplit(made.design.partition.fold)
    for one in made.class_errors():
        assert (None, None, reason) == (one.low, one.high, one.reason)
    if "groups" in more:
        wrong = NAMES != cross_val_predict(GaussianNB(), X, NAMES, cv=split)
        assert made.class_errors()[1].value == pytest.approx(wrong[NAMES == "versicolor"].mean())


def test_a_class_of_few_rows_has_no_interval():
    rare = validated(np.where(np.arange(150) < 3, "rare", "other"), folds=3).class_errors()[1]
    assert ("rare", 3, None) == (rare.class_name, rare.n_tested, rare.low)


def test_numbers_have_none_and_without_e_cv_it_is_an_error():
    of_numbers = heldout.validate({"line": LinearRegression()}, X, X[:, 0] + 0.1 * Y, folds=5, estimates=["E_cv"])
    assert () == of_numbers.class_errors()
    assert of_numbers.to_frame("class_errors").empty
    made = heldout.validate({"bayes": GaussianNB()}, X, NAMES, estimates=["E_val"], progress=False)
    with pytest.raises(BadArgument, match="E_cv was not computed"):
        made.class_errors()
