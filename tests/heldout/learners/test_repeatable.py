"""Two fits with one state are one fit: every source of randomness of a candidate is the seed's, or is held still."""

import inspect
import random

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    check_cv,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import all_estimators

import heldout
from heldout.hypotheses.k_fold import KFoldHypothesis
from heldout.learners import open_random_states, seeded
from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.splits.split import Split

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 3))) + 0.1
NUMBERS = 1 + X[:, 0] + 0.1 * RNG.normal(size=40)
CLASSES = (NUMBERS > np.median(NUMBERS)).astype(int)
LETTERS = np.random.default_rng(1).choice(list("abcdefgh"), size=(60, 2)).astype(object)
OF_LETTERS = np.random.default_rng(2).integers(0, 2, 60)
QUICK = {
    "n_estimators": 3,
    "max_iter": 10,
    "n_subsets": 5,
    "max_subpopulation": 50,
    "thresholds": 5,
    "perplexity": 5,
    "Cs": 2,
}
OF_ITS_OWN = {
    "OrthogonalMatchingPursuitCV": {"max_iter": None},
    "GaussianRandomProjection": {"n_components": 2},
    "SparseRandomProjection": {"n_components": 2},
    "SelfTrainingClassifier": {"estimator": DecisionTreeClassifier(max_features=1)},
}
# rows of numbers with one label are not for them, or they need as many columns or labels as there are components
OTHER_ROWS = {
    *("ClassifierChain", "RegressorChain", "MultiOutputClassifier", "MultiOutputRegressor", "CCA", "PLSCanonical"),
    *("PLSSVD", "MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV", "PatchExtractor"),
    *("IsotonicRegression", "DictVectorizer", "FeatureHasher", "HashingVectorizer", "CountVectorizer", "LabelEncoder"),
    *("TfidfVectorizer", "KernelCenterer", "LabelBinarizer", "MultiLabelBinarizer", "TSNE"),
}


def of_scikit_learn():
    """A learner of each class of scikit-learn; the test is slow but for open classifiers and target encoders."""
    for kind in ("classifier", "regressor", "transformer"):
        for name, made in all_estimators(type_filter=kind):
            tree = (
                DecisionTreeRegressor(max_features=1) if kind == "regressor" else DecisionTreeClassifier(max_features=1)
            )
            given = {
                "estimator": tree,
                "estimators": [("a", tree), ("b", clone(tree))],
                "transformers": [("encoder", TargetEncoder(), [0, 1])],
                "transformer_list": [("encoder", TargetEncoder())],
                "dictionary": np.eye(3),
            }
            both = kind == "transformer" and issubclass(made, ClassifierMixin | RegressorMixin)
            if name in OTHER_ROWS or both:
                continue
            known = inspect.signature(made).parameters
            learner = made(
                **{of: given[of] for of in known if of in given and known[of].default is inspect.Parameter.empty}
            )
            learner.set_params(**{of: QUICK[of] for of in learner.get_params(deep=False) if of in QUICK})
            learner.set_params(**OF_ITS_OWN.get(name, {}))
            opened = open_random_states(learner)
            quick = (kind == "classifier" and opened) or any(of.endswith("cv") for of in opened)
            yield pytest.param(learner, id=name, marks=() if quick else pytest.mark.slow)


def fitted(learner, X, y):
    """What a learner with one state makes of rows, whatever others drew before."""
    made = seeded(learner, 7, y)
    if hasattr(made, "predict_proba") or not hasattr(made, "fit_transform"):
        return np.asarray(made.fit(X, y).predict(X))
    found = made.fit_transform(X, y)
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def after(state, call, *given):
    np.random.seed(state)
    random.seed(state)
    return call(*given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [*of_scikit_learn()])
def test_a_learner_of_scikit_learn_is_fitted_twice_alike_whatever_the_global_generators_are(learner):
    y = NUMBERS if is_regressor(learner) else CLASSES
    once, again = (after(state, fitted, learner, X, y) for state in (1, 2))
    np.testing.assert_array_equal(once, again)


SEARCHED = {"estimator": [RandomForestClassifier(3), DecisionTreeClassifier(max_features=1)]}


@pytest.mark.parametrize(
    ("learner", "opened"),
    [
        (make_pipeline(TargetEncoder(), DecisionTreeClassifier(random_state=0)), ["targetencoder__cv"]),
        (
            make_pipeline(make_column_transformer((TargetEncoder(), [0])), LogisticRegression(random_state=0)),
            ["columntransformer__targetencoder__cv"],
        ),
        (GridSearchCV(DecisionTreeClassifier(random_state=0), {}, cv=KFold(3, shuffle=True)), ["cv__random_state"]),
        (GridSearchCV(LogisticRegression(random_state=0), {}, cv=RepeatedKFold(n_splits=2)), ["cv__random_state"]),
        (
            CalibratedClassifierCV(LogisticRegression(random_state=0), cv=StratifiedKFold(3, shuffle=True)),
            ["cv__random_state"],
        ),
        (
            StackingClassifier(
                [("a", LogisticRegression(random_state=0))], LogisticRegression(random_state=0), cv=KFold(shuffle=True)
            ),
            ["cv__random_state"],
        ),
        (
            GridSearchCV(
                make_pipeline(LogisticRegression(random_state=0)), {"logisticregression": SEARCHED["estimator"]}
            ),
            ["param_grid__logisticregression__0__random_state", "param_grid__logisticregression__1__random_state"],
        ),
        (
            RandomizedSearchCV(LogisticRegression(random_state=0), {"C": [1, 2]}, cv=ShuffleSplit(2)),
            ["random_state", "cv__random_state"],
        ),
    ],
)
def test_splitters_encoders_and_learners_in_lists_are_open_until_they_are_seeded(learner, opened):
    assert sorted(opened) == sorted(open_random_states(learner))
    assert [] == open_random_states(seeded(learner, 7))
    assert sorted(opened) == sorted(open_random_states(learner))  # that of the caller is as it was


@pytest.mark.parametrize(
    "written",
    [
        TargetEncoder(cv=KFold(3)),
        TargetEncoder(shuffle=False),
        TargetEncoder(random_state=3),
        GridSearchCV(LogisticRegression(random_state=0), {}, cv=KFold(3)),
        GridSearchCV(LogisticRegression(random_state=0), {}, cv=KFold(3, shuffle=True, random_state=1)),
    ],
)
def test_what_is_written_stays(written):
    assert [] == open_random_states(written)
    assert repr(written) == repr(seeded(written, 7, OF_LETTERS))


@pytest.mark.parametrize("target", ["auto", "continuous"])
@pytest.mark.parametrize("cv", [5, 3, None])
@pytest.mark.parametrize("y", [OF_LETTERS, OF_LETTERS + 0.5 * np.arange(60)])
def test_a_target_encoder_has_the_kind_of_folds_that_it_would_draw(target, cv, y):
    found = seeded(TargetEncoder(target_type=target, cv=cv), 7, y).cv
    expected = check_cv(cv, y, classifier=target == "auto", shuffle=True, random_state=7)
    assert repr(expected) == repr(found)


class Drawing(ClassifierMixin, BaseEstimator):
    """Answers what the global generators give."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.answer_ = self.classes_[int(2 * np.random.rand())]
        self.flip_ = random.random() < 0.5
        return self

    def predict(self, X):
        return np.where(np.random.rand(len(X)) < 0.5, self.answer_, self.classes_[int(self.flip_)])


def test_what_a_learner_draws_from_a_global_generator_is_repeated_and_nobody_else_notices():
    split = Split(np.arange(40), np.arange(40, 60))
    given = (Drawing(), LETTERS, OF_LETTERS, split, ZERO_ONE, 3)
    once, again = (after(state, fit_and_test, *given).losses for state in (1, 2))
    assert once.tolist() == again.tolist()
    expected = after(4, lambda: (np.random.rand(), random.random()))
    after(4, fit_and_test, *given)
    assert expected == (np.random.rand(), random.random())


def test_a_candidate_with_a_target_encoder_has_one_error_for_one_seed_and_others_for_others():
    candidates = {"encoded": make_pipeline(TargetEncoder(), DecisionTreeClassifier(random_state=0))}

    def losses(seed=0):
        made = heldout.validate(
            candidates, LETTERS, OF_LETTERS, cv=KFold(5), seed=seed, estimates=["E_cv"], progress=False
        )
        return made.losses("E_cv")["encoded"].tolist()

    assert after(1, losses) == after(2, losses)
    assert losses() != losses(1)


def test_a_k_fold_hypothesis_with_a_target_encoder_is_fitted_twice_alike():
    learner = KFoldHypothesis(make_pipeline(TargetEncoder(), DecisionTreeClassifier(random_state=0)), folds=5)
    once, again = (after(state, learner.fit, LETTERS, OF_LETTERS).predict(LETTERS).tolist() for state in (1, 2))
    assert once == again
