"""`heldout.validate(fit_timeout=…)`: fits in processes of their own, which give the same numbers and may die."""

import pickle
import time

import numpy as np
import pytest
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.online import OnePass
from heldout.running import isolation
from tests.heldout.notebook.misbehaving import Exits, Sleeps

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    isolation.end()


def validated(candidates, **further):
    return heldout.validate(candidates, X, y, repeats=3, progress=False, **further)


@pytest.mark.parametrize("fit_timeout", [0, -1.0, float("inf"), float("nan"), True, "60"])
def test_a_limit_that_is_no_time_is_refused(fit_timeout):
    with pytest.raises(BadArgument, match="fit_timeout"):
        validated({"bayes": GaussianNB()}, fit_timeout=fit_timeout)


@pytest.mark.slow
def test_every_number_and_hypothesis_is_that_of_this_process():
    candidates = {
        "bayes": GaussianNB(),
        "ridge": RidgeClassifier(),
        "tree": DecisionTreeClassifier(),
        "online": OnePass(Perceptron()),
    }
    unlabeled = rng.normal(size=(40, 3))
    here = validated(candidates, unlabeled=unlabeled)
    there = validated(candidates, unlabeled=unlabeled, fit_timeout=60.0)
    assert here.estimates == there.estimates
    for name in candidates:
        for one, other in zip(here.target(name, "E_2cv"), there.target(name, "E_2cv"), strict=True):
            np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert here.estimates == pickle.loads(pickle.dumps(there)).estimates


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_candidate_that_ends_its_process_or_never_ends_fails_and_others_are_as_without_it(jobs):
    alone = validated({"bayes": GaussianNB(), "tree": DecisionTreeClassifier()})
    started = time.monotonic()
    with pytest.warns(heldout.errors.LearnerWarning, match="failed"):
        found = validated(
            {"exits": Exits(), "bayes": GaussianNB(), "sleeps": Sleeps(), "tree": DecisionTreeClassifier()},
            fit_timeout=1.0,
            n_jobs=jobs,
        )
    assert time.monotonic() - started < 40
    assert {"exits", "sleeps"} == {*found.failed}
    assert "exit code 3" in found.failed["exits"]
    assert "fit_timeout" in found.failed["sleeps"]
    assert [each.value for each in alone.estimates if each.candidate == "tree"] == [
        each.value for each in found.estimates if each.candidate == "tree"
    ]
