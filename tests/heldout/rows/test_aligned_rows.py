"""What is said of rows goes to them by the labels of pandas: no value is another row's in silence."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, RowsWarning
from heldout.rows.aligned_rows import aligned

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
ROWS = np.column_stack([Y + 0.1 * RNG.normal(size=N), RNG.normal(size=N)])
GROUP = np.arange(N) // 4
KEPT = np.sort(RNG.choice(1000, N, replace=False))  # as of a table of which rows were left out
ORDER = RNG.permutation(N)
INDEXES = {
    "numbers": pd.Index(KEPT),
    "0, 1, …": pd.RangeIndex(N),
    "names": pd.Index([f"row {n}" for n in KEPT]),
    "days": pd.date_range("2024-01-01", periods=N),
    "levels": pd.MultiIndex.from_arrays([Y, np.arange(N)], names=["class", "number"]),
    "categories": pd.CategoricalIndex([f"row {n}" for n in KEPT]),
}
quiet = pytest.mark.filterwarnings("ignore::heldout.errors.RowsWarning")


def validate(X, y, **more):
    asked = {"estimates": ["E_cv"], "folds": 3, "progress": False, **more}
    return heldout.validate({"bayes": GaussianNB()}, X, y, **asked)


@pytest.mark.parametrize("index", INDEXES)
def test_equal_labels_of_any_kind_in_another_order_are_moved(index):
    X, y = pd.DataFrame(ROWS, INDEXES[index]), pd.Series(Y, INDEXES[index])
    with pytest.warns(RowsWarning):
        assert aligned({"X": X, "y": y.iloc[ORDER]})["y"].equals(y)
    with pytest.warns(RowsWarning):
        assert aligned({"X": X.iloc[ORDER], "y": y})["y"].equals(y.iloc[ORDER])


def test_equal_labels_in_another_order_say_the_same():
    X, y = pd.DataFrame(ROWS, KEPT, ["a", "b"]), pd.Series(Y, KEPT)
    per_row = {"groups": pd.Series(GROUP, KEPT), "sample_weight": pd.Series(1.0 + GROUP, KEPT)}
    expected = validate(X, y, **per_row)
    assert expected["bayes"]["E_cv"].value == 0
    for name in ("y", *per_row):
        moved = {**per_row, "y": y}
        moved[name] = moved[name].iloc[ORDER]
        with pytest.warns(RowsWarning, match=f"^{name} has the labels of the index of X in another order") as said:
            found = validate(X, moved.pop("y"), **moved)
        assert found == expected
        assert said[0].filename == __file__


@quiet
def test_times_and_several_labels_are_moved_too():
    X, y = pd.DataFrame(ROWS, KEPT, ["a", "b"]), pd.DataFrame({"one": Y, "two": Y}, KEPT)
    time = pd.Series(np.arange(N), KEPT)
    assert validate(X, y["one"], time=time.iloc[ORDER]) == validate(X, y["one"], time=time)
    tree = {"tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    asked = {"estimates": ["E_cv"], "folds": 3, "progress": False}
    assert heldout.validate(tree, X, y.iloc[ORDER], **asked) == heldout.validate(tree, X, y, **asked)


@quiet
def test_without_labels_of_x_others_are_in_the_order_of_the_first_that_has_some():
    y, groups = pd.Series(Y, KEPT), pd.Series(GROUP, KEPT)
    for X in (ROWS, pl.DataFrame(ROWS)):
        assert validate(X, y, groups=groups.iloc[ORDER]) == validate(X, Y, groups=GROUP)


@quiet
def test_an_audit_sees_a_leak_whose_labels_were_moved():
    X, y = pd.DataFrame({"copy": np.tile(Y, 4), "other": np.arange(4 * N) % 7}), pd.Series(np.tile(Y, 4))
    order = RNG.permutation(4 * N)
    found, expected = heldout.audit(X.iloc[order], y), heldout.audit(X.iloc[order], y.iloc[order])
    assert found == expected
    assert [one.columns for one in found if one.severity == "stop"] == [("copy",)]


@quiet
def test_metrics_of_new_rows_take_them_by_their_labels():
    p = pd.DataFrame({0: 1 - ROWS[:, 0].clip(0, 1), 1: ROWS[:, 0].clip(0, 1)}, KEPT)
    y, said = pd.Series(Y, KEPT), pd.Series((ROWS[:, 0] > 0.5).astype(int), KEPT)
    more = {"groups": pd.Series(GROUP, KEPT), "slices": {"part": pd.Series(Y, KEPT)}}
    moved = {"groups": more["groups"].iloc[ORDER], "slices": {"part": more["slices"]["part"].iloc[ORDER]}}
    expected = heldout.metrics_of(y, said, p, **more)
    assert heldout.metrics_of(y, said.iloc[ORDER], p.iloc[::-1], **moved) == expected
    scores = pd.Series(ROWS[:, 0], KEPT)
    assert heldout.metrics_of(y, said, scores=scores.iloc[ORDER]) == heldout.metrics_of(y, said, scores=ROWS[:, 0])


@quiet
def test_series_of_a_table_of_answers_are_put_together_by_their_labels():
    table = {"label": pd.Series(Y, KEPT), "a": pd.Series(1 - Y, KEPT), "fold": pd.Series(np.arange(N) % 5, KEPT)}
    expected = heldout.from_predictions(pd.DataFrame(table), answer=["a"], fold="fold")
    moved = {**table, "a": table["a"].iloc[ORDER]}
    assert heldout.from_predictions(moved, answer=["a"], fold="fold").estimates == expected.estimates
    assert expected.estimates[0].value == 1


@quiet
def test_estimators_that_are_shipped_are_fitted_and_scored_on_the_rows_that_are_meant():
    X, y = pd.DataFrame(ROWS, KEPT, ["a", "b"]), pd.Series(Y, KEPT)
    for made in (
        heldout.KFoldHypothesis(GaussianNB(), folds=3),
        heldout.ProgressiveHypothesis(GaussianNB()),
        heldout.TunedEstimator(GaussianNB(), parameter="var_smoothing", values=[1e-9, 1.0]),
    ):
        assert np.mean(made.fit(X, y.iloc[ORDER]).predict(X) == Y) > 0.9
    assert heldout.KFoldHypothesis(GaussianNB(), folds=3).fit(X, y).score(X, y.iloc[ORDER]) > 0.9


@pytest.mark.parametrize("name", ["y", "groups", "time", "sample_weight"])
def test_other_labels_are_refused_with_one_of_them(name):
    X = pd.DataFrame(ROWS, KEPT, ["a", "b"])
    others = {"y": Y, "groups": GROUP, "time": np.arange(N), "sample_weight": 1.0 + GROUP}
    wrong = pd.Series(others[name], [*KEPT[:-1], 5000])
    with pytest.raises(BadArgument, match=f"the index of {name} has the label 5000, which X has not") as caught:
        validate(X, **{"y": Y, name: wrong})
    assert caught.value.argument == name
    assert f"{name}.to_numpy()" in str(caught.value)


@pytest.mark.parametrize("fresh", ["X", "y"])
def test_labels_that_one_side_was_never_given_are_taken_by_place_with_a_word(fresh):
    """Labels of a filtered table next to 0, 1, …: the one was made of an array."""
    index = {"X": pd.Index(KEPT), "y": pd.Index(KEPT), fresh: pd.RangeIndex(N)}
    with pytest.warns(RowsWarning, match="row n of y is taken for row n of X") as said:
        found = validate(pd.DataFrame(ROWS, index["X"], ["a", "b"]), pd.Series(Y, index["y"]))
    assert found["bayes"]["E_cv"].value == 0
    assert 1 == len(said)


def test_two_that_are_taken_by_place_are_in_the_order_of_each_other():
    X, y, groups = pd.DataFrame(ROWS), pd.Series(Y, KEPT), pd.Series(GROUP, KEPT)
    with pytest.warns(RowsWarning) as said:
        made = aligned({"X": X, "y": y, "groups": groups.iloc[ORDER]})
    assert made["groups"].tolist() == GROUP.tolist()
    assert 2 == len(said)


def test_labels_that_are_there_twice_are_taken_only_where_they_are_the_same():
    twice = pd.Index([*KEPT[: N // 2], *KEPT[: N // 2]])
    X, y = pd.DataFrame(ROWS, twice, ["a", "b"]), pd.Series(Y, twice)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert validate(X, y)["bayes"]["E_cv"].value == 0
    for other in (y.iloc[ORDER], pd.Series(Y), pd.Series(Y, KEPT)):
        with pytest.raises(BadArgument, match=r"has the label \d+ twice") as caught:
            validate(X, other)
        assert caught.value.argument == "y"


def test_what_has_no_labels_is_taken_by_place_in_silence():
    X = pd.DataFrame(ROWS, KEPT, ["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for y in (Y, Y.tolist(), pl.Series(Y), pd.Series(Y, KEPT), pd.Categorical(Y)):
            assert validate(X, y)["bayes"]["E_cv"].value == 0


@settings(max_examples=15)
@given(st.data())
def test_each_value_goes_to_its_label_or_nothing_goes(data):
    labels = data.draw(st.lists(st.one_of(st.integers(0, 9), st.text("ab", max_size=2)), max_size=6))
    others = data.draw(st.one_of(st.permutations(labels), st.lists(st.integers(0, 9), max_size=6)))
    first = pd.Series([f"of {label}" for label in labels], pd.Index(labels, dtype=object))
    second = pd.Series([f"of {label}" for label in others], pd.Index(others, dtype=object))
    found = refused = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = aligned({"first": first, "second": second})["second"]
        except BadArgument as error:
            refused = error.argument
    once = len({*labels}) == len(labels)
    if len(labels) != len(others) or labels == others:
        assert found is second
        assert not said
    elif once and {*labels} == {*others}:
        assert found.tolist() == first.tolist()
        assert said
    else:
        assert refused == "second" or (said and found is second)
