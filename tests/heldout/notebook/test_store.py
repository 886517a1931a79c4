"""`heldout.validate(store=…)`: a fit that was made is found again, and is told from every other one."""

import os
import pickle
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, LearnerWarning
from heldout.fits.scheme_fits import Fits
from heldout.online import OnePass
from heldout.running import isolation
from heldout.running.content import digest_of

rng = np.random.default_rng(3)
X = rng.normal(size=(60, 3))
y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
CANDIDATES = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(), "online": OnePass(Perceptron())}


class Own(GaussianNB):
    """A learner of this module, which no installed package holds."""


@pytest.fixture(autouse=True)
def made(monkeypatch, tmp_path):
    """The fits that were made since the start of a test, whose user has a secret of his own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    fits, make = [], Fits.make
    monkeypatch.setattr(Fits, "make", lambda self, spec: fits.append(spec) or make(self, spec))
    return fits


def validated(candidates=CANDIDATES, X=X, y=y, estimates=("E_val", "E_cv"), **further):
    return heldout.validate(candidates, X, y, estimates=estimates, repeats=2, folds=5, progress=False, **further)


def test_a_second_call_makes_no_fit_and_has_the_same_numbers_and_hypotheses(tmp_path, made):
    every = {"candidates": {"tree": DecisionTreeClassifier()}, "unlabeled": X[:20], "estimates": None}
    plain = validated(**every)
    made.clear()
    first = validated(**every, store=tmp_path / "fits")
    assert made
    made.clear()
    again = validated(**every, store=str(tmp_path / "fits"))
    assert [] == made
    assert plain.estimates == first.estimates == again.estimates
    for one, other in zip(plain.target("tree", "E_2cv"), again.target("tree", "E_2cv"), strict=True):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert [] == made
    assert plain.estimates == pickle.loads(pickle.dumps(again)).estimates


def test_what_is_asked_besides_makes_the_missing_fits_alone(tmp_path, made):
    validated(estimates=["E_cv"], store=tmp_path)
    made.clear()
    validated(estimates=["E_cv", "E_val"], store=tmp_path)
    assert 3 == len(made)  # a hold-out of each


@pytest.mark.parametrize(
    "change",
    [
        {"y": 1 - y},
        {"X": X + 1},
        {"seed": 1},
        {"loss": "balanced"},
        {"sample_weight": np.arange(60) + 1.0},
        {"candidates": {"bayes": GaussianNB(var_smoothing=0.1)}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_fits_are_told_apart(tmp_path, made, change):
    plain = validated(**{"candidates": {"bayes": GaussianNB()}, **change})
    validated({"bayes": GaussianNB()}, store=tmp_path)
    made.clear()
    found = validated(**{"candidates": {"bayes": GaussianNB()}, **change}, store=tmp_path)
    assert made
    assert plain.estimates == found.estimates


def test_the_name_of_a_candidate_and_the_level_are_no_part_of_a_fit(tmp_path, made):
    validated({"bayes": GaussianNB()}, store=tmp_path)
    made.clear()
    validated({"other": GaussianNB()}, level=0.8, store=tmp_path)
    assert [] == made


def test_a_learner_that_no_digest_tells_from_another_is_fitted_without_the_store(tmp_path, made):
    for _ in range(2):
        made.clear()
        with pytest.warns(LearnerWarning, match="^own is fitted without the store"):
            found = validated({"own": Own(), "bayes": GaussianNB()}, store=tmp_path)
        assert {type(spec.learner.value) for spec in made} >= {Own}
    assert {"own", "bayes"} == {*found.candidates}
    assert {Own} == {type(spec.learner.value) for spec in made}


def test_a_file_that_this_user_did_not_write_is_not_read_and_its_fit_is_made_again(tmp_path, made):
    folder = tmp_path / "fits"
    plain = validated({"tree": DecisionTreeClassifier()}, store=folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        path.write_bytes(pickle.dumps((1, 2)))
    count = len(made)
    made.clear()
    assert plain.estimates == validated({"tree": DecisionTreeClassifier()}, store=folder).estimates
    assert count == len(made)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in files}


@pytest.mark.parametrize("of", [y, np.array(["no", "yes"], dtype=object)[y], pd.Series(y == 1, dtype="category")])
def test_models_of_a_saved_result_are_read_from_the_store_and_the_missing_alone_are_fitted(tmp_path, made, of):
    first = validated({"tree": DecisionTreeClassifier()}, y=of, store=tmp_path / "fits")
    folder = first.save(tmp_path / "saved")
    given = {"candidates": {"tree": DecisionTreeClassifier()}, "X": X, "store": tmp_path / "fits"}
    made.clear()
    found = heldout.load(folder, **given).target("tree", "E_cv")
    for one, other in zip(first.target("tree", "E_cv"), found, strict=True):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert [] == made
    models = [path for path in (tmp_path / "fits").rglob("*.hypothesis") if path.is_file()]
    models[0].unlink()
    loaded = heldout.load(folder, **given)
    assert [*map(len, (loaded.target("tree", "E_cv"), loaded.target("tree", "E_val")))] == [5, 1]
    assert 1 == len(made)


def test_a_saved_result_takes_no_store_without_its_learners(tmp_path):
    folder = validated({"bayes": GaussianNB()}, store=tmp_path / "fits").save(tmp_path / "saved")
    with pytest.raises(BadArgument, match="candidates and X"):
        heldout.load(folder, store=tmp_path / "fits")


@pytest.mark.parametrize("store", [1, True, Path(__file__)])
def test_a_store_that_is_no_folder_is_refused_before_any_fit(store, made):
    with pytest.raises(BadArgument, match="^store is "):
        validated(store=store)
    assert [] == made


def test_the_folder_of_the_user_stays_as_it_is_and_the_fits_are_private(tmp_path):
    tmp_path.chmod(0o755)
    validated({"bayes": GaussianNB()}, store=tmp_path)
    assert 0o755 == stat.S_IMODE(tmp_path.stat().st_mode)
    assert 0o700 == stat.S_IMODE((tmp_path / "heldout-fits").stat().st_mode)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="root alone can make a folder of another user")
def test_fits_of_another_user_are_refused_before_any_fit(tmp_path, made):
    (tmp_path / "heldout-fits").mkdir()
    os.chown(tmp_path / "heldout-fits", 12345, 12345)
    with pytest.raises(BadArgument, match="another user's"):
        validated(store=tmp_path)
    assert [] == made


@pytest.mark.slow
@pytest.mark.parametrize("further", [{"fit_timeout": 60.0}, {"n_jobs": 2}, {"fit_timeout": 60.0, "n_jobs": 2}])
def test_other_processes_use_the_same_store(tmp_path, made, further):
    try:
        first = validated(store=tmp_path, **further)
    finally:
        isolation.end()
    made.clear()
    assert first.estimates == validated(store=tmp_path).estimates
    assert [] == made


def test_a_digest_is_that_of_the_content():
    learners = [GaussianNB(), GaussianNB(var_smoothing=0.1), make_pipeline(StandardScaler(), RidgeClassifier())]
    found = [digest_of(learner) for learner in learners]
    assert None not in found
    assert len(learners) == len({*found})
    assert found == [digest_of(clone(learner)) for learner in learners]
    frames = [pd.DataFrame(X), pd.DataFrame(X).assign(**{"0": 1.0})]
    assert digest_of(frames[0]) == digest_of(pd.DataFrame(X.copy())) != digest_of(frames[1])
    for nobody_knows in (Own(), FunctionTransformer(lambda rows: rows), lambda rows: rows, [Own]):
        assert digest_of(nobody_knows) is None
