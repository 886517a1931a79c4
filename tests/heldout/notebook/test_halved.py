"""`heldout.validate` where nobody names the number of halvings: the numbers are those of the number that was made."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import FitFailure
from heldout.notebook import shared_fits

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + rng.normal(size=60) > 0, "a", "b")
NULL = rng.permutation(y)
ONE_ROW_OFTEN = np.repeat(X[:6], 10, axis=0)
SETS = {
    "stable": ({"bayes": GaussianNB(), "logistic": LogisticRegression()}, X, y, {}),
    "open seeds": ({"tree": DecisionTreeClassifier(max_features=1), "svm": SVC()}, X, y, {}),
    "equal": (
        {"one": DecisionTreeClassifier(random_state=0), "other": DecisionTreeClassifier(random_state=0)},
        X,
        y,
        {},
    ),
    "null labels": ({"logistic": LogisticRegression()}, X, NULL, {}),
    "few distinct rows": ({"tree": DecisionTreeClassifier(random_state=0)}, ONE_ROW_OFTEN, y, {}),
    "numbers": ({"ridge": Ridge(), "near": KNeighborsRegressor(3)}, X, np.exp(3 * X[:, 0]), {}),
    "unlabelled": ({"bayes": GaussianNB()}, X, y, {"unlabeled": X[:20]}),
    "groups": ({"bayes": GaussianNB()}, X, y, {"groups": np.arange(60) // 3}),
}


def left_open(name: str, **changes):
    candidates, rows, labels, more = SETS[name]
    if "groups" not in more:
        more = {**more, "intervals": {"E_cv": "Bayle within folds"}}  # without subsamples, which no halving changes
    return heldout.validate(candidates, rows, labels, **more, **changes)


@pytest.mark.parametrize("name", SETS)
def test_every_number_is_that_of_the_number_that_was_made(name):
    ours = left_open(name)
    theirs = left_open(name, repeats=ours.halvings.made)
    assert 8 <= ours.halvings.made <= 30
    assert theirs.halvings is None
    assert ours.estimates == theirs.estimates
    assert str(ours) == str(theirs)
    for candidate in ours.candidates:
        assert len(ours.target(candidate, "E_2cv")) == 2 * ours.halvings.made


def test_stable_learners_need_fewer_than_the_most_and_a_tree_next_to_them_has_as_many_as_they():
    assert left_open("stable", estimates=["E_2cv"]).halvings.made < 30
    wanted = {"estimates": ["E_2cv"]}
    both = heldout.validate({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}, X, y, **wanted)
    assert {len(one.losses["covalidation"]) for one in both.evidence.values()} == {2 * both.halvings.made}


@pytest.mark.slow
def test_processes_make_as_many(monkeypatch):
    monkeypatch.setattr(shared_fits, "_SECONDS_WORTH", 0)
    monkeypatch.setattr(shared_fits, "_SECONDS_A_PART", 0)
    one, two = (left_open("open seeds", n_jobs=jobs) for jobs in (1, 2))
    assert one.halvings == two.halvings
    assert one.estimates == two.estimates


def test_without_half_models_there_are_no_halvings():
    assert left_open("stable", estimates=["E_cv"]).halvings is None


class FailsOnHalves(ClassifierMixin, BaseEstimator):
    """Fails on as many rows as a half model is trained on."""

    def fit(self, X, y):
        if len(X) == 30:
            raise ValueError("half of the rows")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class FailsOnFolds(FailsOnHalves):
    """Fails on as many rows as a fold leaves."""

    def fit(self, X, y):
        if len(X) == 54:
            raise ValueError("nine tenths of the rows")
        return self


def test_the_first_failure_in_the_order_of_the_candidates_is_reported():
    learners = {"first": FailsOnFolds(), "second": FailsOnHalves()}
    with pytest.raises(FitFailure, match="first: .*nine tenths"):
        heldout.validate(learners, X, y, estimates=["E_cv", "E_2cv"], on_error="raise")


@pytest.mark.filterwarnings("ignore::heldout.errors.LearnerWarning")
def test_a_failure_that_is_recorded_changes_no_number_of_the_others():
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    failing = {"halves": FailsOnHalves(), **learners, "folds": FailsOnFolds()}
    wanted = ["E_cv", "E_2cv"]
    made = heldout.validate(failing, X, y, estimates=wanted)
    assert (["folds"], {"halves": {"E_2cv"}}) == ([*made.failed], {name: {*of} for name, of in made.lacking.items()})
    alone = heldout.validate(learners, X, y, estimates=wanted)
    of_others = tuple(record for record in made.estimates if record.candidate != "halves")
    assert (alone.estimates, alone.halvings) == (of_others, made.halvings)


def test_another_word_is_refused():
    with pytest.raises(ValueError, match="repeats is 'few'"):
        heldout.validate({"bayes": GaussianNB()}, X, y, repeats="few")
