"""A learner's open randomness, closed by a state; what was written stays."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from heldout.family import TunedEstimator
from heldout.learners import gives_probabilities, open_random_states, open_threads, seeded


def test_a_learner_without_randomness_has_none_open():
    assert [] == open_random_states(LinearRegression())
    assert LinearRegression().get_params() == seeded(LinearRegression(), 5).get_params()


def test_open_states_are_found_at_every_depth_and_written_ones_are_not():
    assert ["random_state"] == open_random_states(RandomForestClassifier())
    assert [] == open_random_states(RandomForestClassifier(random_state=0))
    nested = make_pipeline(
        make_column_transformer((QuantileTransformer(), [0]), (StandardScaler(), [1])),
        BaggingClassifier(DecisionTreeClassifier(), random_state=3),
    )
    assert {
        "columntransformer__quantiletransformer__random_state",
        "baggingclassifier__estimator__random_state",
    } == set(open_random_states(nested))
    closed = seeded(nested, 7)
    assert [] == open_random_states(closed)
    parameters = closed.get_params()
    assert 7 == parameters["columntransformer__quantiletransformer__random_state"]
    assert 7 == parameters["baggingclassifier__estimator__random_state"]
    assert 3 == parameters["baggingclassifier__random_state"]


def test_the_learner_given_stays_open():
    learner = make_pipeline(DecisionTreeClassifier())
    seeded(learner, 7)
    assert ["decisiontreeclassifier__random_state"] == open_random_states(learner)


def test_a_fit_takes_one_thread_where_none_would_be_every_core():
    nested = VotingClassifier([("boosting", make_pipeline(LGBMClassifier())), ("forest", RandomForestClassifier())])
    assert ["boosting__lgbmclassifier__n_jobs"] == [
        name for name in open_threads(nested) if not name.startswith("boosting__steps")
    ]
    assert ["n_jobs"] == open_threads(XGBClassifier())
    assert [] == open_threads(LGBMClassifier(n_jobs=2))
    assert 1 == seeded(nested, 0).get_params()["boosting__lgbmclassifier__n_jobs"]
    assert 2 == seeded(LGBMClassifier(n_jobs=2), 0).n_jobs  # what was written stays
    assert seeded(RandomForestClassifier(), 0).n_jobs is None


def test_a_parameter_with_a_similar_name_is_left_alone():
    class Odd(LinearRegression):
        def __init__(self, no_random_state=None, my__n_jobs=None):
            self.no_random_state = no_random_state
            self.my__n_jobs = my__n_jobs

    assert [] == open_random_states(Odd())
    assert [] == open_threads(Odd())


@pytest.mark.parametrize(
    ("learner", "gives"),
    [
        (GaussianNB(), True),
        (SVC(), False),  # its predict_proba exists on a condition
        (SGDClassifier(), False),
        (SGDClassifier(loss="log_loss"), True),
        (Perceptron(), False),
        (LinearRegression(), False),
        (make_pipeline(StandardScaler(), GaussianNB()), True),
        (make_pipeline(StandardScaler(), SVC()), False),
        (CalibratedClassifierCV(LinearSVC()), True),
        (GridSearchCV(SVC(), {"C": [1, 2]}), False),
        (GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1]}), True),
        (GridSearchCV(make_pipeline(LinearSVC()), {"linearsvc__C": [1, 2]}), False),
        (StackingClassifier([("a", SVC()), ("b", GaussianNB())]), True),  # a logistic regression decides
        (StackingClassifier([("a", SVC())], final_estimator=LinearSVC()), False),
        (make_pipeline(StandardScaler(), StackingClassifier([("a", SVC())])), True),
        (VotingClassifier([("a", GaussianNB())]), False),
        (VotingClassifier([("a", GaussianNB())], voting="soft"), True),
        (TunedEstimator(LogisticRegression(), "C", [1, 2]), True),
        (TunedEstimator(LinearSVC(), "C", [1, 2]), False),
        (BaggingClassifier(LinearSVC()), True),  # the shares of votes
    ],
    ids=lambda value: " ".join(str(value).split())[:60],
)
def test_whether_a_learner_gives_probabilities_is_known_before_it_is_fitted(learner, gives):
    assert gives == gives_probabilities(learner)
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([0, 1], 20)
    assert gives == hasattr(clone(learner).fit(X, y), "predict_proba")
