"""A learner's open randomness, closed by a state; what was written stays."""

from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.learners import open_random_states, seeded


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


def test_a_parameter_whose_name_only_ends_alike_is_left_alone():
    class Odd(LinearRegression):
        def __init__(self, no_random_state=None):
            self.no_random_state = no_random_state

    assert [] == open_random_states(Odd())
