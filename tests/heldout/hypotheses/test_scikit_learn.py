"""Both hypotheses are scikit-learn estimators: its own checks, its clones, its archives."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

import heldout
from heldout.hypotheses import EXPECTED_FAILED_CHECKS, KFoldHypothesis, ProgressiveHypothesis
from tasks.storage.model_file import stable_bytes

X, y = make_classification(n_samples=60, n_features=4, flip_y=0.3, random_state=1)
QUICK = [
    KFoldHypothesis(DecisionTreeClassifier()),
    ProgressiveHypothesis(Ridge(), block=10, vote=True),
]
SLOW = [
    pytest.param(whole, marks=pytest.mark.long)
    for whole in (
        KFoldHypothesis(LogisticRegression(), folds=3),
        KFoldHypothesis(LinearDiscriminantAnalysis(), vote=True),
        KFoldHypothesis(DecisionTreeRegressor(), folds=4, vote=True),
        KFoldHypothesis(Ridge()),
        ProgressiveHypothesis(LinearDiscriminantAnalysis(), block=10),
        ProgressiveHypothesis(DecisionTreeClassifier(), tested_fraction=0.3),
        ProgressiveHypothesis(LogisticRegression(), tested_fraction=0.3, block=20, vote=True),
        ProgressiveHypothesis(DecisionTreeRegressor(), block=10),
    )
]
both = pytest.mark.parametrize("kind", [KFoldHypothesis, ProgressiveHypothesis])


@pytest.mark.filterwarnings("ignore:not stratified:UserWarning")  # some of its data have few rows of a class
@pytest.mark.parametrize("whole", QUICK + SLOW, ids=str)
def test_every_check_of_scikit_learn_passes_but_the_one_declared_of_a_drawn_class(whole):
    drawn_class = is_classifier(whole) and not whole.vote
    found = check_estimator(whole, on_fail=None, on_skip=None)
    failed = {check["check_name"] for check in found if check["status"] == "failed"}
    assert (set(EXPECTED_FAILED_CHECKS) if drawn_class else set()) == failed
    # the one skipped wants SCIPY_ARRAY_API=1 in the environment
    assert {"check_array_api_input"} >= {check["check_name"] for check in found if check["status"] == "skipped"}


def test_one_check_is_declared():
    assert ["check_classifiers_train"] == list(EXPECTED_FAILED_CHECKS)


@both
def test_the_kind_of_the_whole_is_that_of_the_learner(kind):
    assert is_classifier(kind(make_pipeline(StandardScaler(), DecisionTreeClassifier())))
    assert is_regressor(kind(Ridge()))
    assert hasattr(kind(LogisticRegression()), "predict_proba")
    assert not hasattr(kind(Ridge()), "predict_proba")


@both
def test_copies_and_archives_answer_as_the_original(kind, tmp_path):
    whole = kind(make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3)), seed=4).fit(X, y)
    expected = whole.predict(X).tolist()
    dumped = stable_bytes(skops.io.dumps(whole))
    joblib.dump(whole, tmp_path / "whole.joblib")
    copies = [
        clone(whole).fit(X, y),
        pickle.loads(pickle.dumps(whole)),
        joblib.load(tmp_path / "whole.joblib"),
        skops.io.loads(dumped, trusted=skops.io.get_untrusted_types(data=dumped)),
    ]
    for copied in copies:
        assert expected == copied.predict(X).tolist()
        assert whole.weights_.tolist() == copied.weights_.tolist()
        assert whole.get_params(deep=False).keys() == copied.get_params(deep=False).keys()


@pytest.mark.slow
@pytest.mark.long
def test_the_bytes_of_an_archive_are_the_same_in_another_process():
    code = """
import sys
import skops.io
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
from tasks.storage.model_file import stable_bytes

X, y = make_classification(n_samples=60, n_features=4, flip_y=0.3, random_state=1)
for kind in (KFoldHypothesis, ProgressiveHypothesis):
    whole = kind(DecisionTreeClassifier(), seed=4).fit(X, y)
    sys.stdout.buffer.write(stable_bytes(skops.io.dumps(whole)))
"""
    root = str(Path(heldout.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    here = [kind(DecisionTreeClassifier(), seed=4).fit(X, y) for kind in (KFoldHypothesis, ProgressiveHypothesis)]
    assert b"".join(stable_bytes(skops.io.dumps(whole)) for whole in here) == there


@both
def test_the_tools_of_scikit_learn_get_accuracy_and_r2(kind):
    # a classifier that is right on more than half, a line that explains nearly all
    assert cross_val_score(kind(LogisticRegression()), X, y, cv=3).mean() > 0.5
    line = make_regression(n_samples=60, n_features=3, noise=1e-3, random_state=0)
    assert cross_val_score(kind(Ridge(alpha=1e-6)), *line, cv=3).mean() > 0.99


@both
def test_names_and_number_of_features_are_those_of_the_data(kind):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    whole = kind(DecisionTreeClassifier()).fit(frame, y)
    assert list("abcd") == whole.feature_names_in_.tolist()
    assert 4 == whole.n_features_in_
    assert not hasattr(kind(DecisionTreeClassifier()).fit(X, y), "feature_names_in_")
    with pytest.raises(ValueError, match="feature names"):
        whole.predict(frame[list("dcba")])
    assert np.array_equal(whole.predict(frame), kind(DecisionTreeClassifier()).fit(X, y).predict(X))
