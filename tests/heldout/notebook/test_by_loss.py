"""The error by another loss after the fits: the number of a call that was judged by that loss, and no further fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument, FitFailure

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3))
NUMBERS = X[:, 0] + RNG.normal(size=N)
CLASSES = np.where(X[:, 0] + RNG.normal(size=N) > 0.5, "yes", "no")
OF_NUMBERS = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}
OF_CLASSES = {"line": LogisticRegression(), "bayes": GaussianNB()}
FEW_FITS = {"intervals": {"E_cv": "Bayle within folds"}}  # those of the folds alone
FORMS = {
    "plain": FEW_FITS,
    "repeated": {"repeats": 3},
    "weighted": {"sample_weight": RNG.uniform(1, 3, N)},
    "groups": {"groups": np.arange(N) // 3},
    "in time": {"time": np.arange(N)},
}


def validate(learners, y, **more):
    return heldout.validate(learners, X, y, progress=False, **{"estimates": ["E_cv"], "folds": 5, **more})


LOSSES = [
    (OF_NUMBERS, NUMBERS, "squared", "MAE", "absolute"),
    (OF_CLASSES, CLASSES, "zero_one", "log_loss", "log"),
    (OF_NUMBERS, NUMBERS, "absolute", "rmse", "squared"),
    (OF_CLASSES, CLASSES, "log", "accuracy", "zero_one"),
    (OF_CLASSES, CLASSES, "zero_one", "Brier score", "brier"),
]


@pytest.mark.parametrize(
    ("learners", "y", "first", "name", "loss", "form"),
    # every loss, and every form of a loss of numbers and of one of probabilities
    [(*of, form) for form in FORMS for of in (LOSSES if form == "plain" else LOSSES[:2])],
)
def test_it_is_the_error_of_a_call_by_that_loss(learners, y, first, name, loss, form):
    found = validate(learners, y, loss=first, **FORMS[form]).metric(name)
    asked = validate(learners, y, loss=loss, **FORMS[form])
    for one in found.estimates:
        ours = asked[one.candidate]["E_cv"]
        assert one.value == pytest.approx(ours.value, abs=1e-12)
        assert (one.target, one.n_train) == (ours.target, ours.n_train)
        assert one.low < one.value < one.high
    assert found.select().selected == asked.select().selected
    assert found.loss.name == asked.design.loss.name
    differences = {one.against: one.difference for one in asked.differences("ridge" if "ridge" in learners else "line")}
    for one in found.differences("ridge" if "ridge" in learners else "line"):
        assert one.difference == pytest.approx(differences[one.against], abs=1e-12)


def test_no_learner_is_fitted_again():
    fits = []

    class Counted(DecisionTreeRegressor):
        def fit(self, X, y, **more):
            fits.append(len(y))
            return super().fit(X, y, **more)

    made = validate({"tree": Counted(max_depth=3)}, NUMBERS, repeats=1)
    before = len(fits)
    made.metric("MAE")
    assert before == len(fits)


def test_r2_is_that_of_scikit_learn():
    made = validate(OF_NUMBERS, NUMBERS, **FEW_FITS)
    by_name = [one.value for one in made.metric("R²").estimates]
    assert [one.value for one in made.metric(r2_score).estimates] == pytest.approx(by_name)


def test_differences_of_squares_are_shown_as_those_of_rmse():
    table = pd.DataFrame({"y": NUMBERS, "near": NUMBERS + 0.1, "far": NUMBERS - 2.1}).assign(row=range(N))
    for found in (heldout.from_predictions(table, answer=["near", "far"], label="y"),):
        assert " 2.00" in str(found)  # RMSE of 2.1 less that of 0.1
    assert "0 to 0" not in str(validate(OF_NUMBERS, NUMBERS, **FEW_FITS).metric("RMSE"))


def test_what_the_target_or_a_learner_does_not_admit_is_said():
    made = validate({"svc": LinearSVC(), "tree": DecisionTreeClassifier(max_depth=2)}, CLASSES, **FEW_FITS)
    with pytest.raises(BadArgument, match="loss is absolute, but y holds .* labels; use zero_one"):
        made.metric("MAE")
    with pytest.raises(FitFailure, match="predict_proba"):
        made.metric("log_loss")
    with pytest.raises(BadArgument, match="metric is 'gini'; it must be one of"):
        made.metric("gini")
