"""LightGBM and XGBoost, the optional extra: candidates as any other, and a clear word where they are not installed."""

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from heldout.learners import open_random_states, seeded
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE
from heldout.running.quiet import quiet
from heldout.splits.split import Split
from tasks.params import load
from tasks.params.build_learner import build, check
from tasks.runtime.errors import UserError
from tasks.storage import model_file

X, digit = load_digits(return_X_y=True)
X, digit = X[:400], digit[:400]
SPLIT = Split(np.arange(300), np.arange(300, 400))
SMALL = {"n_estimators": 20, "n_jobs": 1}
LEARNERS = {
    "lightgbm.LGBMClassifier": ({**SMALL, "subsample": 0.5, "subsample_freq": 1, "min_child_samples": 5}, digit == 1),
    "lightgbm.LGBMRegressor": ({**SMALL, "subsample": 0.5, "subsample_freq": 1, "min_child_samples": 5}, digit * 1.0),
    "xgboost.XGBClassifier": ({**SMALL, "subsample": 0.5}, (digit == 1).astype(int)),
    "xgboost.XGBRegressor": ({**SMALL, "subsample": 0.5}, digit * 1.0),
}


@pytest.fixture(params=LEARNERS)
def learner(request):
    """A learner and a target for it."""
    pytest.importorskip(request.param.partition(".")[0], reason="the extra `boosting` is not installed")
    params, y = LEARNERS[request.param]
    check(request.param, params, "sklearn.preprocessing.StandardScaler")
    return build(request.param, params, None), y


def fitted(learner, y, state):
    with quiet():
        return seeded(learner, state).fit(X, y).predict(X).tolist()


def test_it_fits_without_a_word_better_than_a_constant(learner, capfd):
    made, y = learner
    loss = SQUARED if y.dtype.kind == "f" else ZERO_ONE
    with quiet():
        found = fit_and_test(made, X, y, SPLIT, loss, 0)
    constant = np.var(y[300:]) if loss is SQUARED else np.mean(y[300:])
    assert found.losses.mean() < constant
    assert ("", "") == capfd.readouterr()


def test_a_state_left_open_comes_from_the_seed_and_a_written_one_stays(learner):
    made, y = learner
    assert ["random_state"] == open_random_states(made)
    assert fitted(made, y, 1) == fitted(made, y, 1) == fitted(made.set_params(random_state=1), y, 2)
    assert fitted(clone(made).set_params(random_state=None), y, 3) != fitted(made, y, 1)


def test_it_is_saved_with_the_same_bytes_and_predicts_as_it_did(learner, tmp_path):
    made, y = learner
    with quiet():
        for name in ("a", "b"):
            whole = seeded(made, 1).fit(X, y)
            model_file.save(whole, tmp_path / name)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        assert whole.predict(X).tolist() == model_file.load(tmp_path / "a").predict(X).tolist()


@pytest.mark.parametrize(
    ("path", "params", "said"),
    [
        ("lightgbm.LGBMClassifier", {"nleaves": 3}, "Unknown parameter: nleaves"),
        ("xgboost.XGBClassifier", {"leaves": 3}, 'Parameters: { "leaves" } are not used.'),
    ],
)
def test_what_it_warns_of_is_counted(path, params, said, capfd):
    pytest.importorskip(path.partition(".")[0], reason="the extra `boosting` is not installed")
    with quiet():
        found = fit_and_test(build(path, {**SMALL, **params}, None), X, (digit == 1).astype(int), SPLIT, ZERO_ONE, 0)
    assert (("UserWarning", said),) == found.warned
    assert ("", "") == capfd.readouterr()


@pytest.mark.parametrize("path", ["lightgbm.LGBMClassifier", "xgboost.XGBClassifier"])
def test_where_the_extra_is_not_installed_it_is_named(shipped, monkeypatch, path):
    monkeypatch.setitem(sys.modules, path.partition(".")[0], None)
    with pytest.raises(UserError, match=rf"'{path}'.*pip install '\.\[boosting\]'"):
        load(shipped, [f"candidates=[{{name: a, estimator: {path}}}]"])
