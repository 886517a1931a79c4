"""`heldout.validate` on data frames of pandas, polars and pyarrow: the same estimates."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.preprocessing import auto

N = 72
rng = np.random.default_rng(4)
SIZE = rng.normal(size=N)
NUMBERS = pd.DataFrame({"size": SIZE, "count": rng.integers(0, 9, N), "weight": rng.normal(size=N)})
LABELS = np.where(SIZE + rng.normal(size=N) > 0, "ill", "well")
KINDS = NUMBERS.assign(
    weight=np.where(np.arange(N) % 5, NUMBERS["weight"], np.nan),
    colour=pd.Categorical(rng.choice(["red", "blue", None], N)),
    note=rng.choice(["a b", "b c", None], N),
    seen=rng.choice([True, False], N),
    when=pd.Timestamp("2024-02-27") + pd.to_timedelta(rng.integers(0, 99, N), unit="h"),
)
HOW = {"folds": 3, "repeats": 1, "tested_fraction": 0.3, "block": 8}


def table(frame: pd.DataFrame) -> list:
    return [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)]


def column(values) -> list:
    return [pd.Series(values), pl.Series(values), pa.chunked_array([pa.array(values)])]


def alike(learner, frame, y, **how) -> tuple:
    """The estimates of a learner on a table and labels, which must be those of each library."""
    each = [
        heldout.validate({"a": learner}, rows, labels, unlabeled=rows, **HOW, **how).estimates
        for rows, labels in zip(table(frame), y, strict=True)
    ]
    assert each[0] == each[1] == each[2]
    return each[0]


@pytest.mark.parametrize(
    "labels",
    [LABELS, LABELS == "ill", (LABELS == "ill") * 1, pd.Categorical(LABELS)],
    ids=["text", "truth", "whole", "category"],
)
def test_tables_and_labels_of_three_libraries_have_equal_estimates(labels):
    if isinstance(labels, pd.Categorical):
        y = [pd.Series(labels), pl.Series(LABELS).cast(pl.Categorical), pa.chunked_array([pa.array(labels)])]
    else:
        y = column(labels)
    rows, labels = NUMBERS.to_numpy(), np.asarray(labels)
    of_array = heldout.validate({"a": GaussianNB()}, rows, labels, unlabeled=rows, **HOW).estimates
    assert of_array == alike(GaussianNB(), NUMBERS, y)


@pytest.mark.parametrize("shortcuts", ["auto", pytest.param("off", marks=pytest.mark.slow)])
def test_numbers_are_equal_to_the_last_digit(shortcuts):
    y = SIZE * 3 + rng.normal(size=N)
    assert alike(make_pipeline(StandardScaler(), Ridge()), NUMBERS, column(y), shortcuts=shortcuts)


@pytest.mark.long
@pytest.mark.slow
def test_categories_strings_gaps_truth_values_and_moments_have_equal_estimates():
    tree, line = DecisionTreeClassifier(max_depth=4), LogisticRegression()
    for learner in (make_pipeline(auto(tree), tree), make_pipeline(auto(line), line)):
        assert alike(learner, KINDS, column(LABELS), loss="brier" if learner[-1] is line else None)


@pytest.mark.slow
def test_a_learner_that_names_columns_takes_them_from_each_library():
    named = make_column_transformer((OneHotEncoder(), ["count", "seen"]), ("passthrough", ["size"]))
    alike(make_pipeline(named, LogisticRegression()), KINDS, column(LABELS), loss="log")


def test_groups_of_each_library_are_the_same():
    found = [
        heldout.validate({"a": GaussianNB()}, NUMBERS, LABELS, groups=groups, estimates=["E_cv"], folds=4).estimates
        for groups in [np.arange(N) // 3, *column(np.arange(N) // 3)]
    ]
    assert 1 == len({*found})


@pytest.mark.parametrize("place", [pytest.param(0, marks=pytest.mark.slow), 1, pytest.param(2, marks=pytest.mark.slow)])
def test_columns_that_leak_are_named_in_a_table_of_each_library(place):
    leak = pd.concat([NUMBERS.assign(code=(LABELS == "ill") * 1.0)] * 3, ignore_index=True)
    found = heldout.validate(
        {"tree": DecisionTreeClassifier()}, table(leak)[place], np.tile(LABELS, 3), folds=3, repeats=1
    )
    assert "where the values of a column are shuffled: code " in found._repr_html_()
    sets = heldout.validate({"bayes": GaussianNB()}, table(leak)[place], np.tile(LABELS, 3), estimates=["E_val"])
    assert (216, 2) == sets.prediction_sets(table(leak)[place]).sets.shape


class NeverFitted(BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("a bad argument was found after a fit")

    def predict(self, X):
        raise AssertionError("a bad argument was found after a fit")


@pytest.mark.parametrize("argument", ["X", "unlabeled"])
def test_rows_that_are_not_read_yet_are_refused_with_what_to_do(argument):
    lazy = pl.from_pandas(NUMBERS).lazy()
    rows = {"X": NUMBERS, "y": LABELS, argument: lazy}
    with pytest.raises(BadArgument, match=rf"^{argument} is a LazyFrame of polars, .* give {argument}\.collect\(\)$"):
        heldout.validate({"a": NeverFitted()}, **rows)


@pytest.mark.parametrize(
    "gap", [pl.Series([None, *LABELS[1:]]), pl.Series([None, *SIZE[1:]]), pa.array([None, *LABELS[1:]])]
)
def test_a_gap_among_the_labels_of_any_library_is_refused(gap):
    with pytest.raises(BadArgument, match="^y has a label that is missing"):
        heldout.validate({"a": NeverFitted()}, NUMBERS, gap)
