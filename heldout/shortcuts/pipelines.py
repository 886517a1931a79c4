"""Learners behind transformers, in a pipeline of scikit-learn.

| transformers | learner | its hypotheses |
|---|---|---|
| without a state, such as `Normalizer` | any that has a shortcut | those of the learner on rows transformed once |
| `StandardScaler` | least squares, `GaussianNB` | of each part's own deviations |
| an affine map of each feature | `LinearDiscriminantAnalysis` by "svd" | those of the learner: it takes its own units |

An imputer of complete rows is without a state. A scaler before a learner that is not named, such as neighbours, whose
lists change with the unit of each part, has to be fitted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import heldout.shortcuts
from heldout.shortcuts import family_of, load
from heldout.shortcuts.preconditions import Values, decline_on_error, features, valid_settings
from heldout.shortcuts.shortcut import Declined, Shortcut

_SAME = ("FunctionTransformer", "SimpleImputer")  # with the settings of `_changes_nothing`
_ROW_BY_ROW = ("Binarizer", "Normalizer", "PolynomialFeatures")
_AFFINE = ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler")
_SEEN_THROUGH = (*_SAME, *_ROW_BY_ROW, *_AFFINE, "ColumnTransformer", "passthrough")
_LEAST_SQUARES = ("standardized_least_squares", "StandardizedLeastSquares")
_STANDARDIZED = {
    **dict.fromkeys(("LinearRegression", "Ridge", "RidgeClassifier"), _LEAST_SQUARES),
    "GaussianNB": ("standardized_gaussian_naive_bayes", "StandardizedGaussianNaiveBayes"),
}


def known(pipeline: Any) -> bool:
    """Whether a pipeline is of such parts alone, keeps no memory and passes nothing on but rows."""
    *before, last = _parts(pipeline)
    return heldout.shortcuts.known(last) and all(_name(part) in _SEEN_THROUGH for part in before)


def of(pipeline: Any, X: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Shortcut:
    """The shortcut of an unfitted pipeline that is known, as `heldout.shortcuts.find`. Raises Declined."""
    *before, last = _parts(pipeline)
    rows, scaler = features(X), None
    for part in before:
        if _changes_nothing(part):
            continue
        if _name(part) in _AFFINE and scaler is None:
            scaler = part
        elif _name(part) in _ROW_BY_ROW and scaler is None:
            rows = _transformed(part, rows)
        else:
            raise Declined(f"has {_name(part)} in front, which is to be fitted")
    found: Shortcut = (family_of(last) if scaler is None else _behind(scaler, last)).of(last, rows, y, weights)
    return found


def on_numbers(learner: Any, X: Any) -> Any:
    """The learner that `learner` is on complete tables of numbers with the columns of the data frame X.

    Where a pipeline begins with transformers of columns, chosen by dtype, of which one takes all columns, as
    `preprocess: auto` does: a pipeline that begins with this transformer. All other learners are themselves.
    """
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.pipeline import Pipeline

    first: Any = learner.steps[0][1] if type(learner) is Pipeline else None
    if type(first) is not ColumnTransformer or first.transformer_weights is not None:
        return learner
    if not all(type(columns) is make_column_selector for *_, columns in first.transformers):
        return learner
    chosen = [(part, names) for _, part, columns in first.transformers if len(names := columns(X))]
    if [names for _, names in chosen] != [list(X.columns)]:
        return learner
    return Pipeline([("columns", chosen[0][0]), *learner.steps[1:]], memory=learner.memory)


def _parts(pipeline: Any) -> list[Any]:
    """The transformers and the learner; an empty text alone for a pipeline that does more."""
    if pipeline.memory is not None or pipeline.transform_input is not None or not pipeline.steps:
        return [""]
    parts = [part for _, part in pipeline.steps]
    return [one for part in parts for one in (_parts(part) if _name(part) == "Pipeline" else [part])]


def _name(part: Any) -> str:
    """The name of a class of scikit-learn itself, or "passthrough"; empty for others."""
    if part is None or (isinstance(part, str) and part == "passthrough"):
        return "passthrough"
    kind = type(part)
    return kind.__name__ if kind.__module__.startswith("sklearn.") else ""


def _changes_nothing(part: Any) -> bool:
    """Whether a transformer leaves complete rows of numbers as they are."""
    if _name(part) == "SimpleImputer":
        missing = part.missing_values
        return isinstance(part.strategy, str) and isinstance(missing, float) and missing != missing
    return _name(part) == "passthrough" or (_name(part) == "FunctionTransformer" and part.func is None)


def _transformed(part: Any, rows: Values) -> Values:
    from sklearn.base import clone

    with decline_on_error():
        return features(clone(part).fit_transform(rows))


def _behind(scaler: Any, last: Any) -> Any:
    """The family of a learner behind a scaler of each feature."""
    valid_settings(scaler)
    kind = _name(last)
    if kind == "LinearDiscriminantAnalysis" and last.solver == "svd" and not getattr(scaler, "clip", False):
        return family_of(last)
    if kind not in _STANDARDIZED or _name(scaler) != "StandardScaler" or not (scaler.with_mean and scaler.with_std):
        raise Declined(f"has {kind} behind {_name(scaler)}, which is to be fitted with it")
    return load(*_STANDARDIZED[kind])
