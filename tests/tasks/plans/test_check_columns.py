"""Columns that a candidate does not take are told before any fit, with the candidate, the column and the remedy."""

import numpy as np
import pandas as pd
import psutil
import pytest

from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.plans.check_columns import check_columns
from tasks.runtime.errors import UserError
from tasks.storage import files

REMEDY = "write preprocess: auto for it, or name the column in data.drop"
BAYES = "sklearn.naive_bayes.GaussianNB"
BOOSTING = "sklearn.ensemble.HistGradientBoostingClassifier"


@pytest.fixture
def prepared_with(checkout, settings_of_rows):
    """A function that prepares 60 rows with columns of one's own, and returns the settings of one candidate."""

    def make(estimator: str, preprocess: str | None = None, params: str = "{}", **columns: object):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"x": rng.normal(size=60), **columns, "kind": ["won", "lost", "lost"] * 20})
        frame.to_parquet("rows.parquet")
        more = "" if preprocess is None else f", preprocess: {preprocess}"
        candidates = f"candidates=[{{name: fine, estimator: {BAYES}, preprocess: auto}}, "
        candidates += f"{{name: one, estimator: {estimator}, params: {params}{more}}}]"
        settings = settings_of_rows("data.source=rows.parquet", candidates)
        write_prepared(prepare(settings))
        return settings

    return make


GAP = [None, *np.linspace(0, 1, 59)]
COLUMNS = {
    "category": (["a", "b"] * 30, "which holds a category"),
    "date": (pd.date_range("2024-01-01", periods=60), "which holds dates"),
    "text": ([f"word {row}" for row in range(60)], "which holds text"),
    "gaps": (GAP, "which has 1 gaps in labeled.parquet"),
    "truth with gaps": ([None, *[True] * 29, *[False] * 30], "which holds a category"),
}


@pytest.mark.parametrize(("values", "what"), COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_a_candidate_does_not_take_is_told(prepared_with, values, what):
    settings = prepared_with(BAYES, z=values)
    expected = f"^candidates.1.: one [(]{BAYES}[)] does not take the column 'z', {what}; {REMEDY}$"
    with pytest.raises(UserError, match=expected):
        check_columns(settings)
    check_columns(prepared_with(BAYES, "auto", z=values))
    check_columns(prepared_with(BAYES, "sklearn.preprocessing.OneHotEncoder", z=values))  # knows itself


@pytest.mark.parametrize(
    ("estimator", "params", "column", "told"),
    [
        (BOOSTING, "{}", "category", None),
        (BOOSTING, "{}", "gaps", None),
        (BOOSTING, "{}", "truth with gaps", None),
        (BOOSTING, "{categorical_features: null}", "category", "a category"),
        (BOOSTING, "{}", "text", "text"),
        (BOOSTING, "{}", "date", "dates"),
        ("sklearn.tree.DecisionTreeClassifier", "{}", "gaps", None),
        ("sklearn.tree.DecisionTreeClassifier", "{}", "category", "a category"),
        ("sklearn.dummy.DummyClassifier", "{}", "text", None),
        ("sklearn.neighbors.KNeighborsClassifier", "{metric: nan_euclidean}", "gaps", None),
    ],
)
def test_a_learner_that_takes_a_column_natively_is_not_refused(prepared_with, estimator, params, column, told):
    settings = prepared_with(estimator, params=params, z=COLUMNS[column][0])
    if told is None:
        check_columns(settings)
    else:
        with pytest.raises(UserError, match=f"does not take the column 'z', which holds {told}"):
            check_columns(settings)


def test_gaps_in_a_shard_alone_are_told(prepared_with):
    settings = prepared_with(BAYES, z=[1.0] * 60)
    check_columns(settings)
    pd.DataFrame({"x": [0.0], "z": [None]}, dtype="float64").to_parquet(files.UNLABELED / "shard-00000.parquet")
    with pytest.raises(UserError, match="'z', which has 1 gaps in shard-00000.parquet"):
        check_columns(settings)


def test_a_dense_matrix_beyond_the_memory_is_refused_for_learners_that_need_one(prepared_with, monkeypatch):
    settings = prepared_with("sklearn.svm.SVC", "auto", words=[f"word {row}" for row in range(60)])
    check_columns(settings)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 10_000}))
    expected = f"^candidates.0.: fine [(]{BAYES}[)] takes no sparse matrix, .* 60 rows of 1002 dense columns: "
    with pytest.raises(UserError, match=expected):
        check_columns(settings)
