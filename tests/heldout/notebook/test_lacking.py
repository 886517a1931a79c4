"""A candidate that fails in a side estimate keeps its E_cv: it lacks that estimate, with the reason, and no more."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, FitFailure, LearnerWarning

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 3))
y = np.where(RNG.random(60) < 0.25, "rare", "often")
X[y == "rare"] += 0.8
U = RNG.normal(size=(40, 3))
HOW = {"folds": 6, "repeats": 4, "progress": False}
LESS_THAN_FOLDS = {"E_prog", "E_2cv", "E_train"}
TOO_FEW = "repeat 1/4: ValueError: Expected n_neighbors <= n_samples_fit"


class Oversampled(ClassifierMixin, BaseEstimator):
    """Draws rows between neighbours of the rare class, and fails where it has too few: below `least` rows of all."""

    def __init__(self, least=40, answers_at_most=10**6):
        self.least = least
        self.answers_at_most = answers_at_most

    def fit(self, X, y):
        if len(X) < self.least:
            raise ValueError("Expected n_neighbors <= n_samples_fit")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        if len(X) == self.answers_at_most:
            raise ValueError("too many rows")
        return self.model_.predict(X)


def learners(**oversampled):
    return {"bayes": GaussianNB(), "over": Oversampled(**oversampled), "tree": DecisionTreeClassifier(max_depth=2)}


def of(made, name):
    return {record.estimate: record for record in made.estimates if record.candidate == name}


@pytest.fixture(scope="module")
def made():
    with pytest.warns(LearnerWarning, match=r"^over: no E_prog: block 1/8: ValueError: Expected"):
        return heldout.validate(learners(), X, y, estimates=["E_val", "E_cv", "E_prog", "E_2cv", "E_train"], **HOW)


def test_its_other_estimates_are_those_of_a_learner_that_does_not_fail(made):
    alone = heldout.validate(learners(least=0), X, y, estimates=["E_val", "E_cv", "E_prog", "E_2cv", "E_train"], **HOW)
    found, wanted = of(made, "over"), of(alone, "over")
    assert {"E_val", "E_cv"} <= {*found}
    assert LESS_THAN_FOLDS == {*wanted} - {*found} == {*made.lacking["over"]}
    for name, record in found.items():
        assert (record.value, record.low, record.high) == (wanted[name].value, wanted[name].low, wanted[name].high)
    assert [of(alone, name) for name in ("bayes", "tree")] == [of(made, name) for name in ("bayes", "tree")]


def test_it_is_compared_and_chosen_by_e_cv_and_is_no_failed_candidate(made):
    assert ("bayes", "over", "tree") == made.candidates
    assert {} == made.failed
    assert made.lacking["over"]["E_2cv"] == TOO_FEW
    assert {"bayes", "over", "tree"} == {*made.select("E_cv").values}
    assert "over" in {record.against for record in made.differences("bayes")}
    assert made.decide().verdict


def test_by_the_estimate_that_it_lacks_it_is_not_chosen(made):
    assert {"bayes", "tree"} == {*made.select("E_2cv").values}
    with pytest.warns(LearnerWarning):
        alone = heldout.validate({"over": Oversampled()}, X, y, estimates=["E_cv", "E_2cv"], **HOW)
    assert "over" == alone.select("E_cv").selected
    with pytest.raises(BadArgument, match=f"E_2cv, for which all candidates failed: over: {TOO_FEW}"):
        alone.select("E_2cv")
    with pytest.raises(BadArgument, match="no E_2cv of over"):
        alone.more_rows("over")


def test_what_a_person_sees_names_the_estimate_and_the_reason(made):
    for shown in (str(made), made._repr_html_()):
        assert "no E_2cv, E_train: repeat 1/4" in shown
        assert "Expected n_neighbors" in shown
    assert made.more_rows("bayes")


def test_where_their_number_is_left_open_the_halvings_are_those_of_the_others():
    how = {"estimates": ["E_cv", "E_2cv"], "folds": 6, "progress": False}
    with pytest.warns(LearnerWarning, match="over: no E_2cv"):
        made = heldout.validate(learners(), X, y, **how)
    others = heldout.validate({name: of for name, of in learners().items() if name != "over"}, X, y, **how)
    assert others.halvings == made.halvings
    with pytest.warns(LearnerWarning, match="over: no E_2cv"):
        assert {"E_cv"} == {*of(heldout.validate({"over": Oversampled()}, X, y, **how), "over")} - {"E_bbc"}


def test_half_models_that_do_not_answer_unlabelled_rows_leave_e_2cv():
    with pytest.warns(LearnerWarning, match="^over: no disagreement, E_dis, E_maxdt: ValueError: too many rows$"):
        made = heldout.validate(learners(least=0, answers_at_most=len(U)), X, y, unlabeled=U, **HOW)
    assert {"disagreement", "E_dis", "E_maxdt"} == {*made.lacking["over"]}
    assert {"E_cv", "E_2cv"} <= {*of(made, "over")}
    assert {"bayes", "tree"} == {*made.select("E_maxdt").values}


def test_raised_it_ends_the_call_and_without_another_estimate_it_is_a_failure():
    with pytest.raises(FitFailure, match=f"over: {TOO_FEW}"):
        heldout.validate(learners(), X, y, estimates=["E_cv", "E_2cv"], on_error="raise", **HOW)
    with pytest.warns(LearnerWarning, match="over failed, and is left out"):
        made = heldout.validate(learners(), X, y, estimates=["E_2cv"], **HOW)
    assert {"over": TOO_FEW} == made.failed
