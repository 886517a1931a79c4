"""A learner that chooses inside its fit is given the groups and times of its rows."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout
from heldout.errors import BadArgument, LearnerWarning
from heldout.family import TunedEstimator
from heldout.learners.chosen_inside import arguments
from heldout.splits.dependence import Dependence

GROUPS = np.repeat(np.arange(60), 6)
RNG = np.random.default_rng(1)
CENTRES = RNG.normal(size=(60, 8))
X = CENTRES[GROUPS] + 0.05 * RNG.normal(size=(360, 8))  # six visits of each patient, nearly alike
Y = (CENTRES[:, 0] + 1.5 * RNG.normal(size=60) > 0).astype(int)[GROUPS]
FAMILY = TunedEstimator(KNeighborsClassifier(), "n_neighbors", [1, 31, 61])
SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=GroupKFold(3))
BOTH = Dependence(group=GROUPS, time=GROUPS)


def validate(learner, **more):
    return heldout.validate({"a": learner}, X, Y, **{"estimates": ["E_cv"], "folds": 4, "progress": False, **more})


def test_a_family_chooses_on_whole_groups():
    def nearest(**more):
        return [one.path_.validation_errors[0] for one in validate(FAMILY, **more).target("a", "E_cv")]

    assert max(nearest()) < 0.1  # another visit of the same patient answers
    assert min(nearest(groups=GROUPS)) > 0.2


def test_a_family_holds_out_the_last_rows_where_rows_have_a_time():
    path = FAMILY.fit(X, Y, time=GROUPS[::-1]).path_
    assert 72 == path.validated_on
    earlier = KNeighborsClassifier(31).fit(X[72:], Y[72:])  # of the reversed times the first rows are the last
    assert path.validation_errors[1] == pytest.approx((earlier.predict(X[:72]) != Y[:72]).mean())


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize("wrap", [lambda learner: learner, lambda learner: make_pipeline(StandardScaler(), learner)])
def test_a_search_by_groups_is_given_them_and_refused_without(wrap, routed):
    with config_context(enable_metadata_routing=routed):
        assert 4 == len(validate(wrap(SEARCH), groups=GROUPS).target("a", "E_cv"))
        with pytest.raises(BadArgument, match="divides its training rows by groups.*; give groups"):
            validate(wrap(SEARCH))


def test_a_search_whose_folds_divide_groups_is_named_with_the_remedy():
    with pytest.warns(LearnerWarning, match="on folds that divide groups.*cv=GroupKFold"):
        validate(GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=3), groups=GROUPS)


def test_other_learners_are_given_nothing_more():
    assert {} == arguments(LogisticRegression(), BOTH) == arguments(make_pipeline(KNeighborsClassifier()), BOTH)
    assert {"groups", "time"} == {*arguments(FAMILY, BOTH)}
    assert {"gridsearchcv__groups"} == {*arguments(make_pipeline(SEARCH), BOTH)}
