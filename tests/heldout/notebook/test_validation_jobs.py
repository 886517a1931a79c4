"""`heldout.validate` with several processes."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

import heldout
from heldout.errors import FitFailure

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + rng.normal(size=60) > 0, "a", "b")
CANDIDATES = {"forest": RandomForestClassifier(5), "svm": SVC()}


class WhereFitted(ClassifierMixin, BaseEstimator):
    """A learner that keeps the process in which it was fitted, and fails where class `b` has few rows."""

    def __init__(self, least=0):
        self.least = least

    def fit(self, X, y):
        if (y == "b").sum() < self.least:
            raise ValueError(f"fewer than {self.least} rows of b")
        self.classes_, self.process_ = np.unique(y), os.getpid()
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "rows",
    [pytest.param(X, marks=pytest.mark.slow), pytest.param(pd.DataFrame(X, columns=[*"uvw"]), marks=pytest.mark.long)],
    ids=["array", "frame"],
)
def test_the_numbers_and_the_hypotheses_are_those_of_one_process(rows):
    one, two = (heldout.validate(CANDIDATES, rows, y, unlabeled=rows, repeats=3, n_jobs=jobs) for jobs in (1, 2))
    assert one.estimates == two.estimates
    for estimate in ("E_cv", "E_prog", "E_2cv"):
        for ours, theirs in zip(one.target("forest", estimate), two.target("forest", estimate), strict=True):
            np.testing.assert_array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))


@pytest.mark.slow
def test_the_fits_are_shared_among_processes_and_a_failure_is_the_one_of_a_single_process():
    made = heldout.validate({"where": WhereFitted()}, X, y, folds=8, estimates=["E_cv"], n_jobs=2)
    places = {hypothesis.process_ for hypothesis in made.target("where", "E_cv")}
    assert os.getpid() not in places
    assert len(places) <= 2
    failures = []
    for jobs in (1, 2):
        with pytest.raises(FitFailure, match="^where: ValueError: fewer than 999 rows of b$") as failure:
            heldout.validate({"where": WhereFitted(999)}, X, y, estimates=["E_cv"], n_jobs=jobs)
        failures.append(str(failure.value))
    assert failures[0] == failures[1]


def test_minus_one_stands_for_every_core(monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    made = heldout.validate({"where": WhereFitted()}, X, y, folds=2, estimates=["E_cv"], n_jobs=-1)
    assert {os.getpid()} == {hypothesis.process_ for hypothesis in made.target("where", "E_cv")}
