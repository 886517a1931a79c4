"""`preprocess: auto`: a table of mixed columns as numbers, in the form that a learner needs, from scikit-learn's parts.

The dtype of a column, when the transformer is fitted, decides its form. All is learned from the rows of `fit`: in a
pipeline with the learner, no tested row has an effect.

| dtype | becomes |
|---|---|
| int, float | gaps filled with the median, a 0/1 column of gaps for each column with gaps, then standardised |
| bool | 0 and 1 |
| category | a 0/1 column for each category, and for gaps; a new category has 0 in all |
| datetime64 | days since 1970, month, day, weekday and hour, then as numbers |
| str | TF-IDF of its words, with separate words for each column |

The learner decides: trees and their ensembles take a category as a whole number, and get unscaled numbers, like
naive Bayes; a learner that takes no sparse matrix gets a dense matrix, with the `WORDS_OF_DENSE` most frequent words of
each column of text. Gaps are filled also for learners that take NaN: some fail on a column of gaps alone.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import get_tags

WORDS_OF_DENSE = 1000
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


def auto(learner: Any) -> ColumnTransformer:
    """The unfitted transformer of a data frame for `learner`; it depends on the learner's class and tags."""
    numbers = _numbers(scaled=not all(_is_of(part, _NOT_SCALED) for part in parts(learner)))
    dense = not takes_sparse(learner)
    return ColumnTransformer(
        [
            ("numeric", numbers, make_column_selector(dtype_include=np.number)),
            ("boolean", _truths(), make_column_selector(dtype_include="bool")),
            ("category", _categories(learner), make_column_selector(dtype_include="category")),
            ("date", make_pipeline(Calendar(), numbers), make_column_selector(dtype_include="datetime")),
            ("text", Words(WORDS_OF_DENSE if dense else None), make_column_selector(dtype_include="str")),
        ],
        sparse_threshold=0.0 if dense else 0.3,
    )


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
        moments = np.asarray(X).astype("datetime64[us]")
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


class Words(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of the words of each column, from `TfidfVectorizer`, for all columns in one matrix.

    `most` is the number of most frequent words to keep for each column; None keeps all. A gap has no words,
    and a column without any word becomes a column of zeros.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the words of each column. X has shape (N, p)."""
        self.vectorizers_ = [self._fitted(texts) for texts in _columns(X)]
        return self

    def transform(self, X: Any) -> Any:
        """A sparse matrix of shape (n, words)."""
        parts = [
            sparse.csr_matrix((len(texts), 1)) if vectorizer is None else vectorizer.transform(texts)
            for vectorizer, texts in zip(self.vectorizers_, _columns(X), strict=True)
        ]
        return sparse.hstack(parts, format="csr")

    def _fitted(self, texts: list[str]) -> TfidfVectorizer | None:
        vectorizer = TfidfVectorizer(max_features=self.most)
        words = vectorizer.build_analyzer()
        return vectorizer.fit(texts) if any(words(text) for text in texts) else None


def as_float(X: Any) -> NDArray[np.float64]:
    """Boolean values as 0 and 1."""
    return np.asarray(X, dtype=np.float64)


def _numbers(*, scaled: bool) -> Any:
    imputer = SimpleImputer(strategy="median", keep_empty_features=True, add_indicator=True)
    return make_pipeline(imputer, StandardScaler(copy=False)) if scaled else imputer


def _truths() -> Any:
    # labelled rows have no gaps here, but a shard may have some
    return make_pipeline(FunctionTransformer(as_float), SimpleImputer(strategy="most_frequent"))


def _categories(learner: Any) -> Any:
    if orders_categories(learner):
        return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    return OneHotEncoder(handle_unknown="ignore")


def _columns(X: Any) -> list[list[str]]:
    return [["" if text is None or text != text else str(text) for text in column] for column in np.asarray(X).T]


def _is_of(learner: Any, modules: tuple[str, ...]) -> bool:
    module = type(learner).__module__
    return any(module == name or module.startswith(f"{name}.") for name in modules)


def _tag(learner: Any, name: str) -> bool:
    try:
        return bool(getattr(get_tags(learner).input_tags, name))
    except Exception:  # a learner that is no BaseEstimator has no tags, and gets the simplest input
        return False
