"""A fit that fails for training rows of a single class, or a single row of one, names the fold and the remedy."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import FitFailure, LearnerWarning
from tasks.init.learners import families
from tasks.init.profile import look

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
LATE = np.where((np.arange(60) > 25) & (RNG.random(60) < 0.5), "bad", "good")
ALONE = np.array(["only", *RNG.choice(["a", "b"], 59)])
STOPS = HistGradientBoostingClassifier(max_iter=2, early_stopping=True)


def test_in_time_order_the_fold_and_the_class_are_named_and_a_learner_that_fits_one_class_stays():
    learners = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=1)}
    how = {"time": np.arange(60), "folds": 5, "estimates": ["E_cv"], "progress": False}
    with pytest.warns(LearnerWarning, match="logistic failed"):
        made = heldout.validate(learners, X, LATE, **how)
    assert ("tree",) == made.candidates
    said = made.failed["logistic"]
    assert said.startswith("fold 1/5: ValueError: ")
    assert all(word in said for word in ("training rows have the single class 'good'", "fewer folds"))


def test_an_early_stopping_that_cannot_be_stratified_names_the_class_and_without_it_the_learner_works():
    how = {"folds": 5, "estimates": ["E_cv"], "progress": False, "on_error": "raise"}
    with pytest.raises(FitFailure, match=r"boosting: fold \d/5: ValueError: .*class 'only'.*early_stopping=False"):
        heldout.validate({"boosting": STOPS}, X, ALONE, **how)
    never = STOPS.__class__(max_iter=2, early_stopping=False)
    assert ("boosting",) == heldout.validate({"boosting": never}, X, ALONE, **how).candidates


@pytest.mark.filterwarnings("ignore::heldout.errors.LearnerWarning")
def test_another_failure_is_as_it_was():
    with pytest.raises(FitFailure) as raised:
        heldout.validate({"a": KNeighborsClassifier(500)}, X, LATE, estimates=["E_val"], progress=False)
    assert "training rows have" not in str(raised.value)


@pytest.mark.parametrize(("labeled", "rarest", "stops"), [(10_001, 19, False), (10_001, 20, True), (10_000, 1, True)])
def test_the_boosting_that_init_writes_stops_early_only_where_each_part_can_be_stratified(labeled, rarest, stops):
    frame = pd.DataFrame({"x": X[:, 0], "z": X[:, 1], "y": LATE})
    profile = replace(look(frame, "y"), labeled=labeled, classes=(("good", labeled - rarest), ("bad", rarest)))
    boosting = families(profile)[-1].learner
    assert stops == ("early_stopping" not in boosting["params"])
