"""Rows whose gaps, ranges or answers are not those of the labelled rows are of another population."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import heldout

N = 300


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, N)
    return pd.DataFrame({"x": x, "fee": rng.normal(size=N)}), np.where(x < 0, "lost", "won")


def validated(X, y, unlabeled, learner=None, **how):
    return heldout.validate({"bayes": learner or GaussianNB()}, X, y, unlabeled=unlabeled, repeats=2, **how)


@pytest.mark.parametrize("library", ["pandas", "polars", "numpy"])
def test_a_range_is_named_whatever_holds_the_rows(table, library):
    polars = pytest.importorskip("polars")
    of = {"pandas": lambda X: X, "polars": polars.from_pandas, "numpy": lambda X: X.to_numpy()}[library]
    X, y = table
    found = validated(of(X), y, of(X.assign(fee=X["fee"] + 9)))
    name = "column 1" if library == "numpy" else "fee"
    assert f": {name} lies outside of " in found.other_population()
    assert "another population" in " ".join(found.decide().caveats)
    assert validated(of(X), y, of(X)).other_population() == ""


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_column_that_is_filled_for_the_labelled_rows_alone_is_named(table, share):
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = table
    gaps = X.assign(fee=X["fee"].where(np.random.default_rng(1).random(N) < share))
    text = validated(X, y, gaps, HistGradientBoostingClassifier(max_iter=2)).other_population()
    assert text.startswith("the unlabelled rows differ from the labelled rows: fee is missing in ")
    assert "and in 0.0 % of the labelled rows, p " in text


def test_rows_that_depend_or_are_weighted_and_sparse_rows_are_not_compared(table):
    X, y = table
    far = X.assign(fee=X["fee"] + 9)
    assert validated(X, y, far, sample_weight=np.arange(1.0, N + 1)).other_population() == ""
    assert validated(X, y, far, groups=np.arange(N) // 3).other_population() == ""
    assert validated(csr_array(X), y, csr_array(far), LinearSVC()).other_population() == ""


@pytest.mark.parametrize("learner", [LinearSVC(), GaussianNB()], ids=["classes", "probabilities"])
def test_the_class_that_the_winner_gives_more_seldom_is_named_with_both_means(table, learner):
    X, y = table
    text = validated(X, y, X[X["x"] > 0], learner, estimates=["E_val", "E_cv"]).other_population()
    what, name, new, old = re.fullmatch(
        r"the unlabelled rows differ from the labelled rows: the winner's (share|probability) of (\w+) "
        r"is (\S+) on average against (\S+), p .*",
        text,
    ).groups()
    assert (("share" if isinstance(learner, LinearSVC) else "probability"), "lost") == (what, name)
    assert float(new) < 0.15
    assert 0.3 < float(old) < 0.7


def test_a_saved_result_knows_it_without_the_rows(table, tmp_path):
    X, y = table
    made = validated(X, y, X.assign(fee=X["fee"] + 9))
    found = heldout.load(made.save(tmp_path / "made"))
    assert found.other_population() == made.other_population() != ""
    assert found.decide() == made.decide()


def test_several_labels_a_row_are_compared_by_their_columns_alone(table):
    from sklearn.neighbors import KNeighborsClassifier

    X, y = table
    both = np.column_stack([y == "won", X["fee"] > 0]).astype(int)
    near = heldout.validate({"knn": KNeighborsClassifier()}, X, both, unlabeled=X, repeats=2)
    far = heldout.validate({"knn": KNeighborsClassifier()}, X, both, unlabeled=X.assign(fee=X["fee"] + 9), repeats=2)
    assert near.other_population() == ""
    assert ": fee lies outside of " in far.other_population()
