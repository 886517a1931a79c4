"""`preprocess: auto`: learned from the rows that it is fitted on alone, and never at a loss for a value."""

import datetime as dt
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.family import TunedEstimator
from heldout.preprocessing import (
    WORDS_OF_DENSE,
    Calendar,
    Words,
    auto,
    orders_categories,
    splits_categories,
    takes_categories,
    takes_gaps,
    takes_sparse,
)

LAWS = settings(max_examples=20, deadline=None, derandomize=True, database=None)
TREE = DecisionTreeClassifier(max_depth=2)
LEARNERS = [
    GaussianNB(),
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    HistGradientBoostingClassifier(max_iter=3),
    RandomForestClassifier(3),
    GradientBoostingClassifier(n_estimators=3),
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(n_estimators=3),
    KNeighborsClassifier(3),
    SVC(),
    DummyClassifier(),
    StackingClassifier([("tree", TREE), ("bayes", GaussianNB())], cv=2),
    TunedEstimator(SGDClassifier(random_state=0), "alpha", [1.0, 0.01]),
]
GAPS = ["number", "colour", "when", "words"]


def mixed(rng: np.random.Generator, n: int, *, gaps: float = 0.2, empty: tuple[str, ...] = ()) -> pd.DataFrame:
    """A prepared table of every kind of column, some of them with no value at all."""
    colours = pd.CategoricalDtype(pd.Index(["amber", "beige", "cyan"], dtype="str"))
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": rng.integers(0, 9, n),
            "truth": rng.random(n) < 0.5,
            "colour": pd.Categorical(rng.choice(["amber", "beige"], n), dtype=colours),
            "when": pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(-(10**8), 10**8, n), unit="s"),
            "words": pd.Series([" ".join(rng.choice(["red", "rain", "sun", "x"], 3)) for _ in range(n)], dtype="str"),
        }
    )
    for name in GAPS:
        frame.loc[rng.random(n) < (1.0 if name in empty else gaps), name] = None
    return frame


def numbers(transformed) -> np.ndarray:
    return transformed.toarray() if sparse.issparse(transformed) else transformed


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize(
    "empty", [(), pytest.param(tuple(GAPS), marks=pytest.mark.slow)], ids=["gaps", "nothing but gaps"]
)
def test_no_gap_and_no_unseen_category_stops_a_learner_and_a_saved_one_predicts_alike(learner, empty):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    pipeline = clone(make_pipeline(auto(learner), learner)).fit(mixed(rng, 60, empty=empty), y)
    new = mixed(rng, 30)
    new["colour"] = pd.Series(rng.choice(["amber", "cyan", "new", None], 30), dtype="str").astype("category")
    new["truth"] = new["truth"].astype(float).where(rng.random(30) < 0.5)  # a shard with gaps
    new["whole"] = new["whole"].astype(float).where(rng.random(30) < 0.5)
    assert splits_categories(learner) or np.isfinite(numbers(pipeline[:-1].transform(new))).all()
    data = skops.io.dumps(pipeline)
    loaded = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    assert pipeline.predict(new).tolist() == loaded.predict(new).tolist()


@LAWS
@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, 40), st.floats(0, 1), st.booleans())
def test_all_is_learned_from_the_training_rows_alone(seed, n, gaps, changed):
    rng = np.random.default_rng(seed)
    train, tested = mixed(rng, n, gaps=gaps), mixed(rng, 30, gaps=gaps)
    fitted = auto(LogisticRegression()).fit(train)
    one = numbers(fitted.transform(train))
    imputer = fitted.named_transformers_["numeric"][0]
    medians = [0.0 if train[name].isna().all() else train[name].median() for name in ("number", "whole")]
    assert medians == pytest.approx(imputer.statistics_.tolist())
    seen = {*train["colour"].dropna()}
    assert seen == {name for name in fitted.named_transformers_["category"][-1].categories_[0] if name == name}
    if changed:
        tested["number"] = tested["number"] * 1e6
    fitted.transform(tested)  # what is tested leaves no trace
    assert np.array_equal(one, numbers(fitted.transform(train)))
    assert np.array_equal(one, numbers(auto(LogisticRegression()).fit(train).transform(train)))


@LAWS
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_the_calendar_is_that_of_pandas(seed, n):
    rng = np.random.default_rng(seed)
    frame = mixed(rng, n)[["when"]].assign(other=pd.Timestamp("1969-12-31 23:59:59.5"))
    expected = []
    for name in frame:
        when = frame[name]
        days = (when - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        expected.append(np.column_stack([days, when.dt.month, when.dt.day, when.dt.day_of_week, when.dt.hour]))
    found = Calendar().fit(frame).transform(frame)
    by_column = found.reshape(n, 5, 2).transpose(2, 0, 1)
    assert np.allclose(np.array(expected, dtype=float), by_column, rtol=0, atol=1e-9, equal_nan=True)


def test_each_column_of_text_has_words_of_its_own_and_a_column_of_gaps_is_zero():
    texts = {"a": ["red sun", None, "rain"], "b": ["red rain", "red", "x"], "c": [None, " ", ""]}
    frame = pd.DataFrame(texts, dtype="str")
    found = Words().fit(frame).transform(frame)
    parts = [TfidfVectorizer().fit_transform(frame[name].fillna("")) for name in ("a", "b")]
    assert np.array_equal(sparse.hstack([*parts, np.zeros((3, 1))]).toarray(), found.toarray())
    assert (3, 2) == Words(1).fit(frame[["a", "b"]]).transform(frame[["a", "b"]]).shape


def test_strings_of_one_word_at_most_are_words_as_they_stand():
    frame = pd.DataFrame({"sex": ["M", "F", None, " M"], "blood": ["A+", "A-", "AB", "a+"]}, dtype="str")
    found = Words().fit(frame).transform(frame).toarray()
    assert [[0, 1, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]] == found.tolist()


# --- every column is used, or refused by its name

N = 12
VALUES = {
    "number": [1, None, 3] * 4,
    "truth": [True, False, None, True] * 3,
    "category": ["red", "blue", None] * 4,
    "text": ["red sun", "a rain", None, "sun"] * 3,
    "day": [dt.date(1969, 12, 31), dt.date(2024, 2, 29), None] * 4,
    "moment": [dt.datetime(2024, 2, 29, 23, 59, second) for second in range(11)] + [None],
    "duration": [dt.timedelta(hours=hour) for hour in range(11)] + [None],
}
MOMENTS = pd.Series(VALUES["moment"], dtype="datetime64[us]").dt.tz_localize("UTC")
CATEGORY = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
ALIKE = {  # one column in the dtypes that a notebook may have it in; all have to become the same numbers
    "number": ["float64", "Int64", "Float64", "int64[pyarrow]", "double[pyarrow]", object, Decimal],
    "truth": ["boolean", "bool[pyarrow]", object],
    "category": ["category", "string category", CATEGORY],
    "text": ["str", "string", "string[pyarrow]", object],
    "day": ["datetime64[s]", "date32[pyarrow]", object],
    "moment": ["datetime64[us]", "datetime64[ns]", "timestamp[us][pyarrow]", object, MOMENTS, MOMENTS.astype(object),
               MOMENTS.dt.tz_convert("Asia/Kathmandu"), MOMENTS.astype("timestamp[us, tz=Europe/Vienna][pyarrow]")],
    "duration": ["timedelta64[us]", "duration[us][pyarrow]", object],
}  # fmt: skip


def column(name: str, dtype) -> pd.Series:
    if isinstance(dtype, pd.Series):
        return dtype
    if dtype is Decimal:
        return pd.Series([None if one is None else Decimal(one) for one in VALUES[name]], dtype=object)
    if dtype == "string category":
        return pd.Series(VALUES[name], dtype="string").astype("category")
    return pd.Series(VALUES[name], dtype=dtype)


@pytest.mark.parametrize("name", ALIKE)
def test_a_column_becomes_the_same_numbers_in_every_dtype_that_holds_it(name):
    columns = [column(name, dtype) for dtype in ALIKE[name]]
    for learner in (LogisticRegression(), TREE):
        found = [numbers(auto(learner).fit_transform(pd.DataFrame({name: one}))) for one in columns]
        assert np.ptp(found[0], axis=0).any()  # it is not lost
        for dtype, one in zip(ALIKE[name], found, strict=True):
            np.testing.assert_allclose(found[0], one, err_msg=f"{name} as {dtype}", atol=1e-12)


def test_a_date_as_text_of_another_form_is_refused_with_what_to_do():
    frame = pd.DataFrame({"visit": pd.to_datetime(["1975-07-04", "1971-06-19"])})
    made = Calendar().fit(frame)
    assert np.array_equal(made.transform(frame), made.transform(frame.astype(str)))
    with pytest.raises(BadArgument, match=r"'19/06/1971' is no date like 1975-07-04: .* pandas\.to_datetime"):
        made.transform(pd.DataFrame({"visit": ["19/06/1971"]}))


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_a_frame_of_another_library_becomes_the_same_numbers_and_is_validated_alike(library):
    frame = pd.DataFrame({name: column(name, dtypes[0]) for name, dtypes in ALIKE.items()})
    y = np.arange(N) % 2
    other = pa.Table.from_pandas(frame) if library == "pyarrow" else pytest.importorskip("polars").from_pandas(frame)
    found = [numbers(auto(SVC()).fit_transform(one)) for one in (frame, other)]
    np.testing.assert_allclose(*found, atol=1e-12)
    learner = make_pipeline(auto(SVC()), SVC())
    how = {"folds": 2, "repeats": 1, "estimates": ["E_val", "disagreement"]}
    of_frame, of_other = (
        heldout.validate({"a": learner}, one, y, unlabeled=one, **how).estimates for one in (frame, other)
    )
    assert of_frame == of_other


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([[1, 2]], "list"),
        ([b"a"], "bytes"),
        ([1j], "complex"),
        ([dt.time(3, 4)], "time"),
        ([1, "a"], "int, str"),
        ([dt.date(2020, 1, 1), 2.5], "date, float"),
        (pd.period_range("2020-01", periods=1, freq="M"), "period[M]"),
    ],
    ids=str,
)
def test_a_column_that_cannot_be_used_is_refused_by_its_name_before_any_fit(values, what):
    values = pd.Series(list(values) * (N // len(values)))
    frame = pd.DataFrame({"fine": np.arange(N), "odd one": values})
    with pytest.raises(BadArgument, match=rf"'odd one'.* {re.escape(what)}"):
        auto(TREE).fit(frame)
    with pytest.raises(BadArgument, match="'odd one'"):
        heldout.validate({"tree": make_pipeline(auto(TREE), TREE)}, frame, np.arange(N) % 2, folds=2)


def test_an_array_is_refused_and_names_that_are_no_strings_are_places():
    with pytest.raises(BadArgument, match="ndarray; .* data frame"):
        auto(TREE).fit(np.ones((3, 2)))
    frame = pd.DataFrame({1: [1.0, 2.0], 0: ["a", "b"]})
    assert [[1, 1, 0], [2, 0, 1]] == auto(TREE).fit_transform(frame).tolist()


def steps(learner) -> dict:
    return {name: step for name, step, _ in auto(learner).transformers}


def scales(learner) -> bool:
    return "StandardScaler" in repr(steps(learner)["numeric"])


@pytest.mark.parametrize(
    ("learner", "scaled", "encoder"),
    [
        (LogisticRegression(), True, OneHotEncoder),
        (KNeighborsClassifier(), True, OneHotEncoder),
        (make_pipeline(StandardScaler(), GaussianNB()), True, OneHotEncoder),
        (GaussianNB(), False, OneHotEncoder),
        (DummyClassifier(), False, OneHotEncoder),
        (TREE, False, OrdinalEncoder),
        (HistGradientBoostingClassifier(categorical_features=None), False, OrdinalEncoder),
        (BaggingClassifier(), False, OrdinalEncoder),
        (BaggingClassifier(SVC()), True, OneHotEncoder),
        (CalibratedClassifierCV(RandomForestClassifier()), False, OrdinalEncoder),
        (StackingClassifier([("a", TREE), ("b", SVC())]), True, OneHotEncoder),
        (TunedEstimator(TREE, "max_depth", [1, 2]), False, OrdinalEncoder),
    ],
)
def test_the_learner_decides_scale_and_encoding(learner, scaled, encoder):
    assert (scaled, encoder) == (scales(learner), type(steps(learner)["category"][-1]))
    assert orders_categories(learner) == (encoder is OrdinalEncoder)


def test_a_learner_that_takes_no_sparse_matrix_gets_a_dense_one_of_the_frequent_words():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"words": [" ".join(f"w{word}" for word in rng.integers(0, 5000, 40)) for _ in range(99)]}, dtype="str"
    )
    dense, full = auto(GaussianNB()).fit_transform(frame), auto(SVC()).fit_transform(frame)
    assert isinstance(dense, np.ndarray)
    assert (99, WORDS_OF_DENSE) == dense.shape
    assert sparse.issparse(full)
    assert full.shape[1] > 2000
    assert [False, True] == [takes_sparse(GaussianNB()), takes_sparse(SVC())]


def test_tags_say_what_a_learner_takes_as_it_is():
    boosting = HistGradientBoostingClassifier()
    assert [True, False, False] == [takes_categories(one) for one in (boosting, TREE, GaussianNB())]
    assert not takes_categories(HistGradientBoostingClassifier(categorical_features=None))
    assert [True, True, False] == [takes_gaps(one) for one in (boosting, CalibratedClassifierCV(TREE), GaussianNB())]

    class Plain:
        def get_params(self, deep=True):
            return {}

    assert [False, False, False] == [takes_gaps(Plain()), takes_sparse(Plain()), takes_categories(Plain())]


def test_no_warning_is_written_for_gaps_and_unseen_categories():
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = auto(LogisticRegression()).fit(mixed(rng, 40))
        fitted.transform(mixed(rng, 40).assign(colour=pd.Categorical(["new"] * 40)))
