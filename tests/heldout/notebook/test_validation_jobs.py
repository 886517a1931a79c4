"""`heldout.validate` with several processes."""

import os
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import heldout
from heldout.errors import BadArgument, FitFailure, LearnerWarning
from heldout.notebook import shared_fits
from heldout.online import OnePass

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + rng.normal(size=60) > 0, "a", "b")
CANDIDATES = {"forest": RandomForestClassifier(5), "svm": SVC()}


class WhereFitted(ClassifierMixin, BaseEstimator):
    """A learner that keeps the process in which it was fitted, and fails where class `b` has few rows."""

    def __init__(self, least=0, seconds=0.0):
        self.least = least
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
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
def test_the_numbers_and_the_hypotheses_are_those_of_one_process(rows, monkeypatch):
    monkeypatch.setattr(shared_fits, "_SECONDS_WORTH", 0)
    monkeypatch.setattr(shared_fits, "_SECONDS_A_PART", 0)
    one, two = (heldout.validate(CANDIDATES, rows, y, unlabeled=rows, repeats=3, n_jobs=jobs) for jobs in (1, 2))
    assert one.estimates == two.estimates
    for estimate in ("E_cv", "E_prog", "E_2cv"):
        for ours, theirs in zip(one.target("forest", estimate), two.target("forest", estimate), strict=True):
            np.testing.assert_array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))


@pytest.mark.slow
@pytest.mark.long
def test_fits_of_seconds_are_shared_among_processes_and_short_fits_stay_here():
    for seconds, processes in ((0.5, 3), (0.0, 1)):  # the first fit is made here: it says how long the others take
        learner = WhereFitted(seconds=seconds)
        made = heldout.validate({"where": learner}, X, y, folds=8, estimates=["E_cv"], n_jobs=2)
        hypotheses = made.target("where", "E_cv")
        assert hypotheses[0].process_ == os.getpid()
        assert processes == len({hypothesis.process_ for hypothesis in hypotheses})


@pytest.mark.long
def test_a_failure_is_the_first_of_a_single_process():
    bad = {"good": WhereFitted(seconds=0.2), "bad": WhereFitted(999), "worse": WhereFitted(998)}
    few = (y == "b").sum()  # in all rows: only the fits of fewer rows fail, in another process
    late = {"late": WhereFitted(few, seconds=0.5)}
    for candidates, reason in ((bad, "bad: ValueError: fewer than 999"), (late, f"late: ValueError: fewer than {few}")):
        for jobs in (1, 2):
            with pytest.raises(FitFailure, match=f"^{reason} rows of b$".replace(": V", ": (?:[^:]+: )?V")):
                heldout.validate(candidates, X, y, folds=8, estimates=["E_in", "E_cv"], n_jobs=jobs, on_error="raise")


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_failure_is_recorded_and_the_others_go_on(jobs):
    learners = {"bad": WhereFitted(999), "good": WhereFitted(seconds=0.1 * jobs), "bayes": GaussianNB()}
    with pytest.warns(LearnerWarning, match="^bad failed, and is left out: all rows: ValueError: fewer than 999"):
        made = heldout.validate(learners, X, y, folds=8, estimates=["E_in", "E_cv"], n_jobs=jobs)
    assert {"bad": "all rows: ValueError: fewer than 999 rows of b"} == made.failed
    assert ("good", "bayes") == made.candidates
    assert "failed, and not compared: bad" in made.decide().caveats
    for shown in (str(made), made._repr_html_()):
        assert "failed: all rows: ValueError: fewer than 999 rows of b" in shown
    assert "2 candidates, 1 failed" in repr(made)
    with pytest.raises(BadArgument, match="candidate is 'bad', which failed"):
        made.differences("bad")


def test_where_all_fail_every_reason_is_raised():
    with pytest.raises(FitFailure, match=r"^bad: .* 999 rows of b; worse: .* 998 rows of b$"):
        heldout.validate({"bad": WhereFitted(999), "worse": WhereFitted(998)}, X, y, estimates=["E_cv"])


class OnceOnly(GaussianNB):
    """A learner that refuses a second update, so that only a hypothesis of a single call can be made."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if hasattr(self, "classes_"):
            raise ValueError("no second update")
        return super().partial_fit(X, y, classes, sample_weight)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_learner_that_is_updated_once_and_fails_is_not_refitted_instead(jobs):
    with pytest.raises(FitFailure, match="^once: cross_validation: ValueError: no second update$"):
        heldout.validate({"once": OnePass(OnceOnly())}, X, y, estimates=["E_val", "E_cv"], n_jobs=jobs)


def test_minus_one_stands_for_every_core(monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    made = heldout.validate({"where": WhereFitted()}, X, y, folds=2, estimates=["E_cv"], n_jobs=-1)
    assert {os.getpid()} == {hypothesis.process_ for hypothesis in made.target("where", "E_cv")}
