"""An error that is too low is told with the columns that carry it, alone or only together; others are not."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.diagnosis import too_good
from heldout.losses import SQUARED, ZERO_ONE
from heldout.splits.split import Split

few = settings(max_examples=15, deadline=None)
SPLIT = Split(np.arange(200), np.arange(200, 300))


@dataclass(frozen=True)
class Rows:
    """What `carriers` needs of a design."""

    y: object
    loss: object
    seed: int = 0

    def weights_of(self, rows):
        return None


class Either:
    """A hypothesis that knows the answers `y` but where the values of both columns, which are copies, are shuffled."""

    def __init__(self, y, columns):
        self.y, self.columns = y, list(columns)

    def predict(self, X):
        told = X[:, self.columns]
        return np.where((told == told[:, :1]).all(axis=1), told[:, 0], self.y).astype(np.int64)


def linear(rng, weights):
    X = rng.normal(size=(300, len(weights)))
    y = X @ weights
    return LinearRegression().fit(X[:200], y[:200]), X, Rows(y, SQUARED), float(np.var(y))


@few
@given(st.sets(st.integers(0, 39), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_the_columns_of_a_sum_are_found_and_no_others(needed, seed):
    weights = np.zeros(40)
    weights[[*needed]] = 1
    model, X, design, of_baseline = linear(np.random.default_rng(seed), weights)
    found = too_good.carriers(model, X, design, SPLIT, of_baseline)
    assert {(f"column {place}",) for place in needed} == {one.columns for one in found}
    errors = [one.error for one in found]
    assert sorted(errors, reverse=True) == errors
    assert found == too_good.carriers(model, X, design, SPLIT, of_baseline)


def test_the_error_is_that_of_a_plain_loop_over_shuffled_rows():
    model, X, design, of_baseline = linear(np.random.default_rng(0), np.eye(6)[3])
    (found,) = too_good.carriers(model, X, design, SPLIT, of_baseline)
    assert 0.5 * 2 * of_baseline < found.error < 2 * 2 * of_baseline  # two independent draws of one column
    assert model.score(X, design.y) == 1  # X is as it was


@few
@given(st.sets(st.integers(0, 19), min_size=2, max_size=3))
def test_copies_are_named_together_wherever_they_stand(copies):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 20))
    X[:, list(copies)] = y[:, None]
    (found,) = too_good.carriers(Either(y[200:], copies), X, Rows(y, ZERO_ONE), SPLIT, 0.5)
    assert {f"column {place}" for place in copies} == {*found.columns}


def test_a_sum_of_many_columns_is_carried_by_no_few():
    model, X, design, of_baseline = linear(np.random.default_rng(0), np.ones(150))
    assert () == too_good.carriers(model, X, design, SPLIT, of_baseline)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, csr_array])
def test_any_form_of_rows_gives_the_same_columns(form):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 5))
    X[:, 4] = y
    rows = form(X)
    model = DecisionTreeClassifier(random_state=0).fit(
        rows[:200] if form is not pd.DataFrame else rows.iloc[:200], y[:200]
    )
    (found,) = too_good.carriers(model, rows, Rows(y, ZERO_ONE), SPLIT, 0.5)
    assert ("4" if form is pd.DataFrame else "column 4",) == found.columns


def test_print_names_the_column_of_a_leak_and_says_nothing_of_an_honest_winner():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame({"honest": y + rng.normal(size=120), "told": y * 2})
    learners = {"tree": DecisionTreeClassifier(max_depth=2)}
    made = heldout.validate(learners, X, y, folds=4, estimates=["E_cv"])
    first = str(made).splitlines()[0]
    assert first.startswith("Do not ship yet: tree is too good to be true: check whether told is known")
    assert "honest" not in first
    [told] = re.findall("<dt>suspicious</dt><dd>(.*?)</dd>", made._repr_html_())
    assert told.startswith("tree errs 0.0 %")
    assert "told" in told
    assert "honest" not in told
    honest = heldout.validate(learners, X[["honest"]], y, folds=4, estimates=["E_cv"])
    assert "suspicious" not in honest._repr_html_()


class MostOf:
    """A hypothesis that knows the answers `y` as long as a half of the columns have their values."""

    def __init__(self, y, X):
        self.y, self.X, self.asked = y, X, 0

    def predict(self, X):
        self.asked += 1
        return self.y if (X == self.X).all(axis=0).mean() >= 0.5 else 1 - self.y


def test_the_search_ends_where_more_columns_than_five_carry_it_only_together():
    rng = np.random.default_rng(0)
    y, X = rng.integers(0, 2, 300), rng.normal(size=(300, 1024))
    hypothesis = MostOf(y[200:], X[200:])
    assert too_good.carriers(hypothesis, X, Rows(y, ZERO_ONE), SPLIT, 0.5) == ()
    assert (
        hypothesis.asked < 2 * 5 * 10
    )  # of 1024 columns: two for each halving, five times; 513 columns need thousands
