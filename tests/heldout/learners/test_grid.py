"""The types in which people bring labels, learners of several libraries, and both doors: the same errors in each cell.

A cell is right where it gives the numbers of plain numbers, whose classes are in the same order. All others are refused
before any fit. An eleventh of the cells runs by default, all with `-m long`; CatBoost's where it is installed.
"""

import warnings
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import yaml
from lightgbm import LGBMClassifier, LGBMRegressor
from river import compat, naive_bayes
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier, XGBRegressor

import heldout
from heldout.errors import BadArgument
from heldout.family import TunedEstimator
from heldout.learners import open_random_states, open_threads, seeded
from heldout.learners.encoded import Encoded
from heldout.learners.fitting import fit_and_test
from heldout.losses import choose_loss
from heldout.online import OnePass
from heldout.splits.split import Split
from tasks.data import prepare_tables
from tasks.params import load
from tasks.storage import model_file
from tests.heldout.learners.own_conventions import Columns

RNG = np.random.default_rng(0)
N = 120
X = RNG.normal(size=(N, 3))
SIGNAL = X[:, 0] + 0.5 * RNG.normal(size=N)
CODES = {2: (SIGNAL > 0.3).astype(int), 3: np.digitize(SIGNAL, [-0.5, 0.5])}
NAMES = np.array(["ill", "most", "well"])  # in the order of the codes
PRICES = np.round(30 + 5 * SIGNAL, 2)

OF_CLASSES = {
    "0 …": lambda codes: codes,
    "1 …": lambda codes: codes + 1,
    "with gaps": lambda codes: 3 * codes + 2,
    "bool": lambda codes: codes == 1,
    "str": lambda codes: NAMES[codes],
    "string": lambda codes: pd.Series(NAMES[codes], dtype="string"),
    "string_view": lambda codes: pa.array(NAMES[codes].tolist(), pa.string_view()),
    "category": lambda codes: pd.Series(pd.Categorical(NAMES[codes])),
    "ordered category": lambda codes: pd.Series(pd.Categorical(NAMES[codes], NAMES[: codes.max() + 1], ordered=True)),
    "Enum": lambda codes: pl.Series(NAMES[codes], dtype=pl.Enum(NAMES.tolist())),
    "Decimal": lambda codes: pd.Series([Decimal(int(code)) for code in codes]),
    "decimal128": lambda codes: pa.array([Decimal(int(code)) for code in codes], pa.decimal128(9, 2)),
    "Int64": lambda codes: pd.Series(3 * codes + 1, dtype="Int64"),
    "float32": lambda codes: codes.astype("float32"),
    "uint8": lambda codes: codes.astype("uint8"),
}
OF_NUMBERS = {
    "float64": lambda prices: prices,
    "Decimal": lambda prices: pd.Series([Decimal(str(price)) for price in prices]),
    "decimal128": lambda prices: pa.array([Decimal(str(price)) for price in prices], pa.decimal128(9, 2)),
    "Decimal of polars": lambda prices: pl.Series([Decimal(str(price)) for price in prices]),
    "Float64": lambda prices: pd.Series(prices, dtype="Float64"),
}
REFUSED = {
    "gaps": (pd.Series(CODES[2], dtype="Int64").mask(np.arange(N) == 5), "rows without a label go to unlabeled"),
    "durations": (pd.to_timedelta(PRICES, unit="h"), "holds durations, as .*: make numbers of them, as days"),
    "dates": (pd.Series(pd.to_datetime(CODES[2], unit="D")), "holds dates, as .*: make numbers of them"),
    "bytes": (NAMES[CODES[3]].astype("S"), "holds bytes, as .*: decode them to text"),
    "two types": ([*NAMES[CODES[2][:60]].tolist(), *CODES[2][60:].tolist()], "y mixes labels of the types int, str"),
}
SMALL = {"n_estimators": 8, "n_jobs": 1}


def of_catboost(name):
    catboost = pytest.importorskip("catboost", reason="CatBoost is installed for its own test")
    return getattr(catboost, name)(iterations=8, verbose=0, allow_writing_files=False)


CLASSIFIERS = {
    "logistic": ("sklearn.linear_model.LogisticRegression", LogisticRegression, {}),
    "forest": ("sklearn.ensemble.RandomForestClassifier", RandomForestClassifier, SMALL),
    "histograms": (
        "sklearn.ensemble.HistGradientBoostingClassifier",
        HistGradientBoostingClassifier,
        {"max_iter": 8},
    ),
    "lightgbm": ("lightgbm.LGBMClassifier", LGBMClassifier, {**SMALL, "verbose": -1}),
    "xgboost": ("xgboost.XGBClassifier", XGBClassifier, SMALL),
    "pipeline": (None, lambda: make_pipeline(StandardScaler(), XGBClassifier(**SMALL)), {}),
    "tuned": (None, lambda: TunedEstimator(XGBClassifier(**SMALL), "max_depth", [1, 3], random_state=0), {}),
    "river": (None, lambda: OnePass(compat.River2SKLClassifier(naive_bayes.GaussianNB())), {}),
    "columns": (None, lambda: Columns(cat_features=["a"]), {}),
    "catboost": (None, partial(of_catboost, "CatBoostClassifier"), {}),
}
REGRESSORS = {
    "ridge": ("sklearn.linear_model.Ridge", Ridge, {}),
    "forest": ("sklearn.ensemble.RandomForestRegressor", RandomForestRegressor, SMALL),
    "lightgbm": ("lightgbm.LGBMRegressor", LGBMRegressor, {**SMALL, "verbose": -1}),
    "xgboost": ("xgboost.XGBRegressor", XGBRegressor, SMALL),
    "catboost": (None, partial(of_catboost, "CatBoostRegressor"), {}),
}
CELLS = [
    *((labels, learner, classes) for labels in OF_CLASSES for learner in CLASSIFIERS for classes in (2, 3)),
    *((labels, learner, 0) for labels in OF_NUMBERS for learner in REGRESSORS),
]
CELLS = [cell for cell in CELLS if cell[0] != "bool" or cell[2] == 2]
# 11, and not 10: that has a divisor in common with the learners, and two of them would be in all of the tenth
EACH = [pytest.param(*cell, marks=[] if place % 11 == 3 else pytest.mark.long) for place, cell in enumerate(CELLS)]


def cell_of(labels, learner, classes):
    """The labels of a cell, plain ones whose errors it must have, and the learner's path, class and settings."""
    if not classes:
        return OF_NUMBERS[labels](PRICES), PRICES, REGRESSORS[learner]
    return OF_CLASSES[labels](CODES[classes]), CODES[classes], CLASSIFIERS[learner]


def errors(learner, y, **more):
    asked = {"estimates": ["E_cv"], "folds": 3, "progress": False, **more}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [one.value for one in heldout.validate({"a": learner}, X, y, **asked).estimates]


@pytest.mark.parametrize(("labels", "learner", "classes"), EACH)
def test_in_a_notebook_labels_of_any_type_have_the_errors_of_plain_ones(labels, learner, classes):
    y, plain, (_, make, params) = cell_of(labels, learner, classes)
    # a forest draws other rows where labels are texts, since scikit-learn sorts them by other means
    assert errors(make(**params), plain) == pytest.approx(errors(make(**params), y), abs=0.06 if params else 1e-9)


@pytest.mark.parametrize(("labels", "learner", "classes"), EACH)
def test_by_params_yaml_labels_of_any_type_have_the_errors_of_plain_ones(
    tmp_path, monkeypatch, labels, learner, classes
):
    y, plain, (path, _, params) = cell_of(labels, learner, classes)
    if path is None:
        pytest.skip("params.yaml names no such learner")
    monkeypatch.chdir(tmp_path)
    found = [of_params(tmp_path, path, params, values) for values in (y, plain)]
    assert found[0] == pytest.approx(found[1], abs=0.15)


def of_params(folder, path, params, y):
    """The error of the last rows, as a stage has it: read, prepared, fitted, saved and loaded."""
    table = pa.table({**{f"x{place}": X[:, place] for place in range(3)}, "kind": of_arrow(y)})
    pa.parquet.write_table(table, folder / "table.parquet")
    written = {
        "data": {"source": str(folder / "table.parquet"), "target": "kind"},
        "split": {"test_fraction": 0, "folds": 3},
        "candidates": [{"name": "a", "estimator": path, "params": params}],
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(written))
    settings = load(folder / "params.yaml")
    rows = prepare_tables.prepare(settings).labeled
    features, target = rows.drop(columns="target"), rows["target"].to_numpy()
    split = Split(np.arange(80), np.arange(80, N))
    fitted = fit_and_test(settings.candidates[0].learner(), features, target, split, choose_loss(None, target), 0)
    model_file.save(fitted.hypothesis, folder / "model.skops")
    again = model_file.load(folder / "model.skops").predict(features[80:])
    assert np.asarray(fitted.hypothesis.predict(features[80:])).tolist() == np.asarray(again).tolist()
    return fitted.losses.mean()


def of_arrow(y):
    return y if isinstance(y, pa.Array) else y.to_arrow() if isinstance(y, pl.Series) else pa.array(y)


@pytest.mark.parametrize(("y", "message"), REFUSED.values(), ids=REFUSED)
def test_labels_that_cannot_work_are_refused_before_any_fit_with_a_remedy(y, message):
    class NeverFitted(DecisionTreeClassifier):
        def fit(self, X, y):
            raise AssertionError("it was fitted")

    with pytest.raises(BadArgument, match=message):
        heldout.validate({"a": NeverFitted()}, X, y, progress=False)


def test_classes_of_any_names_are_given_to_xgboost_as_numbers_and_answered_by_name():
    fitted = seeded(XGBClassifier(**SMALL), 0, NAMES[CODES[3]]).fit(X, NAMES[CODES[3]])
    assert isinstance(fitted, Encoded)
    plain = seeded(XGBClassifier(**SMALL), 0, CODES[3]).fit(X, CODES[3])
    assert isinstance(plain, XGBClassifier)  # 0 … C-1 need no help
    assert NAMES[plain.predict(X)].tolist() == fitted.predict(X).tolist()
    np.testing.assert_array_equal(plain.predict_proba(X), fitted.predict_proba(X))


def test_a_part_that_lacks_a_class_can_still_be_fitted():
    [without] = np.flatnonzero(CODES[3] != 1)[None]
    split = Split(without, np.flatnonzero(CODES[3] == 1))
    for loss in ("zero_one", "log"):
        found = fit_and_test(XGBClassifier(**SMALL), X, CODES[3], split, choose_loss(loss, CODES[3]), 0)
        assert (found.losses >= 1).all()


def test_a_seed_by_another_name_and_hidden_settings_are_reached():
    learner = Columns(cat_features=["a"])
    assert ["random_seed"] == open_random_states(learner)
    assert ["thread_count"] == open_threads(learner)
    assert {"cat_features": ["a"], "random_seed": 7, "thread_count": 1} == seeded(learner, 7).get_params()
    assert [] == open_random_states(Columns(random_state=3))  # the same setting by another name
    assert errors(learner, CODES[3], seed=0) == errors(learner, CODES[3], seed=0) != errors(learner, CODES[3], seed=1)


def test_a_search_and_a_pipeline_have_settings_that_a_learner_was_not_given():
    found = heldout.search("a", make_pipeline(Columns(cat_features=["a"])), {"columns__depth": [1, 2]}, draws=1)
    assert 2 == len([errors(learner, CODES[3]) for learner in found.values()])


def test_catboost_has_these_conventions():
    catboost = pytest.importorskip("catboost", reason="CatBoost is installed for its own test")
    frame = pd.DataFrame(X, columns=[*"abc"]).assign(d=NAMES[CODES[2]])
    learner = catboost.CatBoostClassifier(iterations=8, verbose=0, cat_features=["d"], allow_writing_files=False)
    with pytest.raises(RuntimeError, match="Cannot clone"):
        clone(learner)
    assert ["random_seed"] == open_random_states(learner)
    assert ["thread_count"] == open_threads(learner)
    assert (N, 1) == seeded(learner, 0).fit(frame, NAMES[CODES[3]]).predict(frame).shape
