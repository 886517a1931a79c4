"""What boosting by histograms is given: gaps, categories, and the means of names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from heldout import native_columns
from heldout.native_columns import MOST_CATEGORIES, Categories, Gaps, means
from heldout.preprocessing import auto, is_auto

BOOSTING = HistGradientBoostingClassifier(max_iter=20)


def test_gaps_and_categories_stay_and_a_column_of_gaps_is_zeros():
    frame = pd.DataFrame({"a": [1.0, None, 3.0], "c": pd.Categorical(["x", None, "y"]), "e": [np.nan] * 3})
    made = auto(BOOSTING).fit_transform(frame, np.array([0, 1, 0]))
    assert [1.0, None, 3.0] == made["n0"].astype(object).where(made["n0"].notna(), None).tolist()
    assert [0.0] * 3 == made["n1"].tolist()
    assert isinstance(made["c0"].dtype, pd.CategoricalDtype)
    assert ["0", "gap", "1"] == made["c0"].tolist()
    assert is_auto(auto(BOOSTING))


def test_the_most_frequent_categories_are_kept_of_a_tie_the_first_and_all_others_are_gaps():
    values = ["b", "a", "c", "c", None, "d"]
    categories = Categories(most=3).fit(pd.DataFrame({"x": values}))
    assert ["a", "b", "c"] == categories.values_[0].tolist()
    found = categories.transform(pd.DataFrame({"x": ["d", "new", None, "a", "c"]}))
    assert [["gap"], ["gap"], ["gap"], ["0"], ["2"]] == found.tolist()


@pytest.mark.parametrize("kind", [str, int, lambda place: ("x", place)], ids=["strings", "numbers", "pairs"])
def test_a_column_of_more_categories_than_boosting_has_bins_is_fitted(kind):
    rows, kinds = 8000, 400
    values = np.empty(rows, dtype=object)
    values[:] = [kind(place % kinds) for place in range(rows)]
    frame, y = pd.DataFrame({"x": pd.Series(values).astype("category"), "z": 0.0}), np.arange(rows) % 2
    fitted = make_pipeline(auto(BOOSTING), BOOSTING).fit(frame, y)
    kept = fitted[0].categories_.named_transformers_["category"].values_[0]
    assert MOST_CATEGORIES == len(kept)
    known = frame["x"].isin({*kept})
    assert 1.0 == fitted.score(frame[known], y[known])  # an index with holes, as a training part has


def test_the_mean_of_a_name_does_not_hold_the_label_of_its_own_row():
    rng = np.random.default_rng(0)
    names, y = rng.choice(["a", "b", "c"], 60).astype(object)[:, None], rng.integers(0, 2, 60)
    before = means(of_numbers=False).fit_transform(names, y)
    for row in range(60):
        other = y.copy()
        other[row] = 1 - y[row]
        assert before[row] == means(of_numbers=False).fit_transform(names, other)[row]


@pytest.mark.parametrize("whole", [True, False])
def test_names_of_a_target_of_numbers_become_one_column(whole):
    rng = np.random.default_rng(0)
    names = pd.DataFrame({"town": pd.Series(rng.choice([f"t{place}" for place in range(30)], 300), dtype="str")})
    y = rng.integers(0, 1000, 300) if whole else rng.normal(size=300)
    boosting = HistGradientBoostingRegressor()
    assert (300, 1) == auto(boosting).fit_transform(names, y).shape


def test_strings_that_repeat_are_names_and_others_are_texts():
    rng = np.random.default_rng(0)
    town = pd.Series(rng.choice([f"New Town {place}" for place in range(30)], 300), dtype="str")
    text = pd.Series([" ".join(rng.choice(list("abcdefgh"), 6)) + f" w{row}" for row in range(300)], dtype="str")
    made = auto(BOOSTING).fit(pd.DataFrame({"town": town, "text": text}), rng.integers(0, 2, 300))
    columns = {name: columns for name, _, columns in made.numbers_.transformers_}
    assert ([0], [1]) == (columns["name"], columns["text"])


def test_where_names_and_a_curve_decide_boosting_errs_less_than_a_linear_learner_of_names_as_words():
    rng = np.random.default_rng(0)
    tail, delay = rng.integers(0, 300, 6000), rng.normal(size=6000)
    y = (rng.normal(size=300)[tail] + 2 * (np.abs(delay) < 0.67) > 1).astype(int)
    frame = pd.DataFrame({"tail": pd.Series([f"N{number}" for number in tail], dtype="str"), "delay": delay})
    boosting, linear = (
        make_pipeline(auto(learner), learner).fit(frame[:4000], y[:4000]).score(frame[4000:], y[4000:])
        for learner in (HistGradientBoostingClassifier(), LogisticRegression(max_iter=1000))
    )
    assert boosting > 0.95 > 0.85 > linear


def test_a_frame_of_polars_gives_the_answers_of_the_same_frame_of_pandas():
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "c": pd.Categorical(rng.choice(["x", "y", "z"], 200))})
    frame.loc[::9, "c"] = None
    y = (frame["c"] == "x").to_numpy() ^ (frame["a"] > 1).to_numpy()
    other = polars.from_pandas(frame)
    one, two = (make_pipeline(auto(BOOSTING), BOOSTING).fit(of, y).predict_proba(of) for of in (frame, other))
    assert one.tolist() == two.tolist()


def test_gaps_are_those_of_any_library():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"a": [1, None, 3], "b": [None, None, None]}, schema={"a": polars.Int64, "b": polars.Float64}
    )
    assert [[1.0, 0.0], [None, 0.0], [3.0, 0.0]] == [
        [None if np.isnan(value) else value for value in row] for row in Gaps().fit(frame).transform(frame).tolist()
    ]


def test_numbers_become_a_table_without_a_series_for_each_column(monkeypatch):
    made = []
    series = native_columns.nw.new_series
    monkeypatch.setattr(native_columns.nw, "new_series", lambda *of, **how: (made.append(of), series(*of, **how))[1])
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(20, 30))).rename(columns=str)
    table = table.assign(whole=rng.integers(0, 9, 20), truth=rng.random(20) < 0.5)
    found = auto(BOOSTING).fit_transform(table, rng.integers(0, 2, 20))
    assert [] == made
    np.testing.assert_array_equal(table.to_numpy(np.float64), found.to_numpy())
    assert {np.dtype("float64")} == {*found.dtypes}


@pytest.mark.parametrize("learner", [BOOSTING, GaussianNB()])
def test_columns_are_chosen_by_their_places_and_asked_for_by_their_names(learner):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=40), "truth": rng.random(40) < 0.5, "b": rng.normal(size=40)})
    made = auto(learner).fit(table, rng.integers(0, 2, 40))
    of_columns = getattr(made, "numbers_", made)
    assert [0, 2] == next(columns for name, _, columns in of_columns.transformers_ if name == "numeric")
    np.testing.assert_array_equal(made.transform(table), made.transform(table[["b", "a", "truth"]]))
