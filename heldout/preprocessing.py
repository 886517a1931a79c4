"""`preprocess: auto`: a table of mixed columns as numbers, in the form that a learner needs, from scikit-learn's parts.

The kind of a column, when the transformer is fitted, decides its form: its dtype, and for a column of objects the type
of its values. A column of another kind (nested values, bytes, complex numbers, several types) is refused by its name:
none is left out. Frames of pandas, also with nullable and pyarrow's dtypes, and of polars are read. All is learned from
the rows of `fit`: in a pipeline with the learner, no tested row has an effect.

| values | become |
|---|---|
| numbers | gaps filled with the median, a 0/1 column of gaps for each column with gaps, then standardised |
| truth values | 0 and 1; gaps filled with the more frequent value, and a 0/1 column of gaps |
| category | a 0/1 column for each category, and for gaps; a new category has 0 in all |
| dates, with or without time and time zone | in UTC: days since 1970, month, day, weekday and hour, then as numbers |
| durations | days, then as numbers |
| strings | TF-IDF of the words, with separate words for each column; of whole strings, if none has two words |

The learner decides: trees and their ensembles take a category as a whole number, and get unscaled numbers, like
naive Bayes; a learner that takes no sparse matrix gets a dense matrix, with the `WORDS_OF_DENSE` most frequent words of
each column of text. Gaps are filled also for learners that take NaN: some fail on a column of gaps alone.

scikit-learn's boosting by histograms (`HistGradientBoosting…`, with categories from the dtype) gets gaps as gaps and
categories as categories, the 254 most frequent of each column. Strings that stand in two rows on average, as tail
numbers and towns do, become the mean target of their rows, by `TargetEncoder`; of others the 100 most frequent words.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import get_tags

from heldout.native_columns import Categories, Gaps, Native, OfStrings, means
from heldout.rows.columns import Kind, all_floats, columns_of, durations_of, kinds, moments_of, objects_of, texts_of

WORDS_OF_DENSE = 1000
WORDS_OF_BOOSTING = 100  # it looks at each column for each split
_TREES = (
    "sklearn.tree",
    "sklearn.ensemble._forest",
    "sklearn.ensemble._gb",
    "sklearn.ensemble._hist_gradient_boosting",
    "sklearn.ensemble._weight_boosting",
    "sklearn.ensemble._bagging",
    "lightgbm",
    "xgboost",
)
_NOT_SCALED = (*_TREES, "sklearn.naive_bayes", "sklearn.dummy")
_DAY = np.timedelta64(1, "D")
_WHOLE = r"(?s)^\s*(\S.*?)\s*$"  # a string without the spaces around it


def auto(learner: Any) -> ColumnTransformer | Native:
    """The transformer that gives a learner the columns of a data frame as numbers.

    Parameters
    ----------
    learner : estimator
        An unfitted learner, whose class and tags decide the form of the numbers. Of a candidate (a pipeline that begins
        with such a transformer, or one of `tasks.params.load`, which makes its learner by `learner()`) its learner.

    Returns
    -------
    ColumnTransformer or Native
        The unfitted transformer. The candidate is a pipeline of it and the learner, so that each training part fits
        both. Its `fit` raises BadArgument with the name of a column that it cannot use.

    Examples
    --------
    >>> import heldout
    >>> from heldout.preprocessing import auto
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> table = load_iris(as_frame=True).frame
    >>> table["colour"] = ["blue", "violet", None] * 50  # a column of objects, with gaps
    >>> X, y = table.drop(columns="target"), table["target"]
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> validation = heldout.validate({"tree": make_pipeline(auto(tree), tree)}, X, y, estimates=["E_val"])
    >>> validation.estimates[0].n_tested
    30
    """
    learner = _learner_of(learner)
    if splits_categories(learner):
        return _native(learner)
    numbers = _numbers(scaled=not all(_is_of(part, _NOT_SCALED) for part in parts(learner)))
    dense = not takes_sparse(learner)
    return ColumnTransformer(
        [
            ("numeric", numbers, OfKind("numeric")),
            ("boolean", _truths(), OfKind("boolean")),
            ("category", _categories(learner), OfKind("category")),
            ("date", make_pipeline(Calendar(), numbers), OfKind("date")),
            ("duration", make_pipeline(Days(), numbers), OfKind("duration")),
            ("text", Words(most_words(learner)), OfKind("text")),
        ],
        sparse_threshold=0.0 if dense else 0.3,
    )


def _native(learner: Any) -> Native:
    numbers = ColumnTransformer(
        [
            ("numeric", Gaps(), OfKind("numeric")),
            ("boolean", Gaps(), OfKind("boolean")),
            ("date", make_pipeline(Calendar(), Gaps()), OfKind("date")),
            ("duration", make_pipeline(Days(), Gaps()), OfKind("duration")),
            (
                "name",
                make_pipeline(FunctionTransformer(as_objects), means(of_numbers=is_regressor(learner))),
                OfStrings(names=True),
            ),
            ("text", Words(most_words(learner)), OfStrings(names=False)),
        ],
        sparse_threshold=0.0,
    )
    return Native(numbers, ColumnTransformer([("category", Categories(), OfKind("category"))]))


@dataclass(frozen=True)
class OfKind:
    """The places of the columns of one kind, for a ColumnTransformer to ask when it is fitted.

    It asks a frame for columns by their names, in any order, all the same. Given names it would search all columns for
    each of them, which takes seconds for ten thousand.
    """

    kind: Kind

    def __call__(self, X: Any) -> list[int]:
        """Raises BadArgument for a column of X that has no kind."""
        return [place for place, kind in enumerate(kinds(X).values()) if kind == self.kind]


def _learner_of(candidate: Any) -> Any:
    learner = candidate if hasattr(candidate, "get_params") else candidate.learner()
    steps = getattr(learner, "steps", [("", None)])
    return steps[-1][1] if is_auto(steps[0][1]) else learner


def is_auto(transformer: Any) -> bool:
    """Whether a transformer is one of `auto`."""
    numbers = getattr(transformer, "numbers", transformer)
    return any(isinstance(columns, OfKind) for *_, columns in getattr(numbers, "transformers", []))


def takes_gaps(learner: Any) -> bool:
    """Whether `learner`, or an estimator inside it, has the tag for NaN as a value."""
    return any(_tag(part, "allow_nan") for part in parts(learner))


def takes_sparse(learner: Any) -> bool:
    """Whether `learner` has the tag for sparse matrices."""
    return _tag(learner, "sparse")


def takes_categories(learner: Any) -> bool:
    """Whether all estimators inside `learner` take pandas categories directly."""
    return all(
        _is_of(part, ("lightgbm", "xgboost"))
        or (_is_of(part, ("sklearn.ensemble._hist_gradient_boosting",)) and part.categorical_features == "from_dtype")
        for part in parts(learner)
    )


def splits_categories(learner: Any) -> bool:
    """Whether `learner` finds its own splits of categories and of gaps, as scikit-learn's boosting by histograms."""
    of_histograms = _is_of(learner, ("sklearn.ensemble._hist_gradient_boosting",))
    return of_histograms and learner.categorical_features == "from_dtype"


def most_words(learner: Any) -> int | None:
    """How many words of a column of texts a learner gets; None for all."""
    if splits_categories(learner):
        return WORDS_OF_BOOSTING
    return None if takes_sparse(learner) else WORDS_OF_DENSE


def orders_categories(learner: Any) -> bool:
    """Whether all estimators inside `learner` are trees, which take a category as one number."""
    return all(_is_of(part, _TREES) for part in parts(learner))


def parts(learner: Any) -> list[Any]:
    """The innermost estimators of a learner; the learner itself if it has none inside."""
    inner: list[Any] = []
    for value in learner.get_params(deep=False).values():
        for item in value if isinstance(value, list | tuple) else [value]:
            part = item[-1] if isinstance(item, tuple) and item else item
            if hasattr(part, "fit") and hasattr(part, "get_params"):
                inner += parts(part)
    return inner or [learner]


class Calendar(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Days since 1970 with their fraction, month, day of the month, weekday (Monday is 0) and hour; NaN for a gap."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the number of columns. X has shape (N, p)."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Five columns for each column of X, shape (n, 5 p)."""
        moments = np.column_stack([moments_of(column) for column in columns_of(X)])
        days, months = moments.astype("datetime64[D]"), moments.astype("datetime64[M]")
        whole = days.astype(np.int64)
        parts = (
            moments.astype(np.int64) / 86_400e6,
            months.astype(np.int64) % 12 + 1,
            (days - months).astype(np.int64) + 1,
            (whole + 3) % 7,  # the first day of 1970 was a Thursday
            (moments - days).astype("timedelta64[h]").astype(np.int64),
        )
        gaps = np.isnat(moments)
        return np.hstack([np.where(gaps, np.nan, part) for part in parts])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


class Days(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Durations as days with their fraction; NaN for a gap."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the number of columns. X has shape (N, p)."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Shape (n, p)."""
        return np.column_stack([durations_of(column) / _DAY for column in columns_of(X)])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


class Words(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of the words of each column, from `TfidfVectorizer`, for all columns in one matrix.

    `most` is the number of most frequent words to keep for each column; None keeps all. Where no string of a column has
    two words, each string is a word as it stands, so that codes such as "M", "F" or "A+" are not lost. A gap has no
    words, and a column of gaps becomes a column of zeros.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the words of each column. X has shape (N, p)."""
        self.vectorizers_ = [self._fitted(texts) for texts in texts_of(X)]
        return self

    def transform(self, X: Any) -> Any:
        """A sparse matrix of shape (n, words)."""
        parts = [
            sparse.csr_matrix((len(texts), 1)) if vectorizer is None else vectorizer.transform(texts)
            for vectorizer, texts in zip(self.vectorizers_, texts_of(X), strict=True)
        ]
        return sparse.hstack(parts, format="csr")

    def _fitted(self, texts: list[str]) -> TfidfVectorizer | None:
        if not any(text.strip() for text in texts):
            return None
        vectorizer = TfidfVectorizer(max_features=self.most)
        words = vectorizer.build_analyzer()
        if not any(len(words(text)) > 1 for text in texts):
            vectorizer.set_params(lowercase=False, token_pattern=_WHOLE)
        return vectorizer.fit(texts)


def as_objects(X: Any) -> NDArray[np.object_]:
    """Categories as objects; NaN for a gap, which an encoder takes for a gap in any library's column."""
    return np.column_stack([objects_of(column) for column in columns_of(X)])


def as_float(X: Any) -> NDArray[np.float64]:
    """Truth values as 0 and 1; NaN for a gap."""
    return all_floats(X)


def _numbers(*, scaled: bool) -> Any:
    imputer = SimpleImputer(strategy="median", keep_empty_features=True, add_indicator=True)
    return make_pipeline(imputer, StandardScaler(copy=False)) if scaled else imputer


def _truths() -> Any:
    imputer = SimpleImputer(strategy="most_frequent", keep_empty_features=True, add_indicator=True)
    return make_pipeline(FunctionTransformer(as_float), imputer)


def _categories(learner: Any) -> Any:
    encoder = (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
        if orders_categories(learner)
        else OneHotEncoder(handle_unknown="ignore")
    )
    return make_pipeline(FunctionTransformer(as_objects), encoder)


def _is_of(learner: Any, modules: tuple[str, ...]) -> bool:
    module = type(learner).__module__
    return any(module == name or module.startswith(f"{name}.") for name in modules)


def _tag(learner: Any, name: str) -> bool:
    try:
        return bool(getattr(get_tags(learner).input_tags, name))
    except Exception:  # a learner that is no BaseEstimator has no tags, and gets the simplest input
        return False
