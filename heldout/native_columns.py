"""What a gradient booster takes as it is: gaps as gaps, categories as categories; and strings that repeat, as means.

`heldout.preprocessing.auto` makes such columns for a learner that finds its own splits of categories.
"""

from dataclasses import dataclass
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import KFold
from sklearn.preprocessing import TargetEncoder

from heldout.installed import sklearn_since
from heldout.rows.columns import all_floats, columns_of, kinds, objects_of
from heldout.rows.missing import is_missing

_GAP = "gap"
MOST_CATEGORIES = 254  # scikit-learn's boosting has 255 bins, one of them for gaps
_FEWEST_OF_EACH, _FEWEST = 2, 20  # a string that stands in two rows on average, of so many rows, is a name and no text


class Gaps(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Numbers as they are, NaN for a gap; a column of gaps alone becomes zeros, since boosting cannot bin it."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn which columns are empty. X has shape (N, p)."""
        numbers = all_floats(X)
        self.n_features_in_ = numbers.shape[1]
        self.empty_ = np.isnan(numbers).all(axis=0)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Shape (n, p)."""
        return np.where(self.empty_, 0.0, all_floats(X))


class Categories(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Each value as the place of its category, in letters: of at most `most` categories, the most frequent, of a tie
    the first. Other values, also those that the training rows lack, are gaps.
    """

    def __init__(self, most: int = MOST_CATEGORIES) -> None:
        self.most = most

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the categories of each column. X has shape (N, p)."""
        self.values_ = [self._frequent(objects_of(column)) for column in columns_of(X)]
        return self

    def transform(self, X: Any) -> NDArray[np.object_]:
        """Shape (n, p); a gap is a category of its own."""
        columns = zip(columns_of(X), self.values_, strict=True)
        return np.column_stack([_places(objects_of(column), values) for column, values in columns])

    def _frequent(self, values: NDArray[np.object_]) -> NDArray[np.object_]:
        counts: dict[Any, int] = {}
        for value in values:
            if not is_missing(value):
                counts[value] = counts.get(value, 0) + 1
        ordered = sorted(counts, key=lambda value: (-counts[value], str(value)))
        found = np.empty(min(self.most, len(ordered)), dtype=object)
        found[:] = sorted(ordered[: self.most], key=str)
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "values_")


class Native(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A data frame of what `numbers` makes of a data frame, and of what `categories` makes, which are `Categories`."""

    def __init__(self, numbers: ColumnTransformer, categories: ColumnTransformer) -> None:
        self.numbers = numbers
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn both. X has shape (N, p), y shape (N,)."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The table of the training rows, in which no name has the mean of its own row."""
        self.numbers_, self.categories_ = clone(self.numbers), clone(self.categories)
        return _joined(X, self.numbers_.fit_transform(X, y), self.categories_.fit_transform(X))

    def transform(self, X: Any) -> Any:
        """The table of other rows: a frame of polars if X is one, else of pandas."""
        return _joined(X, self.numbers_.transform(X), self.categories_.transform(X))


@dataclass(frozen=True)
class OfStrings:
    """The places of the columns of strings that are names, which repeat from row to row, or those that are texts."""

    names: bool

    def __call__(self, X: Any) -> list[int]:
        """Raises BadArgument for a column of X that has no kind."""
        of_name = kinds(X)
        strings = [place for place, kind in enumerate(of_name.values()) if kind == "text"]
        columns = columns_of(X) if strings else []
        return [place for place in strings if _repeats(columns[place]) == self.names]


def means(*, of_numbers: bool) -> TargetEncoder:
    """Names as the mean target of their rows: for each class its share, for numbers their mean.

    In training, the mean of a row is that of other folds of the training rows, so that its own label is not in it.
    Before scikit-learn 1.9 the folds of classes are stratified, so a label moves which rows share a fold.
    """
    of = "continuous" if of_numbers else "auto"
    if not sklearn_since(1, 9):  # it takes no folds; of numbers it makes the same
        return TargetEncoder(target_type=of, cv=5, shuffle=True, random_state=0)
    return TargetEncoder(target_type=of, cv=KFold(5, shuffle=True, random_state=0))


def _repeats(column: Any) -> bool:
    present = [str(value) for value in objects_of(column) if not is_missing(value) and str(value).strip()]
    return len(present) >= _FEWEST and len(present) >= _FEWEST_OF_EACH * len(set(present))


def _joined(X: Any, numbers: NDArray[np.float64], categories: NDArray[Any]) -> Any:
    of_polars = nw.get_native_namespace(X).__name__ == "polars"
    library: Literal["pandas", "polars"] = "polars" if of_polars else "pandas"
    frame = nw.from_numpy(numbers, [f"n{place}" for place in range(numbers.shape[1])], backend=library)
    if categories.shape[1]:
        frame = frame.with_columns(
            nw.new_series(f"c{place}", of.tolist(), nw.Categorical, backend=library)
            for place, of in enumerate(categories.T)
        )
    return frame.to_native()


def _places(values: NDArray[np.object_], categories: NDArray[np.object_]) -> NDArray[np.object_]:
    places = {value: str(place) for place, value in enumerate(categories)}
    found = np.empty(len(values), dtype=object)
    found[:] = [_GAP if is_missing(value) else places.get(value, _GAP) for value in values]
    return found
