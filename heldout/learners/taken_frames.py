"""Frames of polars that reach a booster: LightGBM 4.7.0 ends its process on columns that it does not document, and
XGBoost 3.2.0 names no column.
"""

from typing import Any

import narwhals as nw

from heldout.rows.frames import is_other_frame


def not_taken(learner: Any, X: Any) -> str | None:
    """Why `learner` cannot be given the frame X, as a clause, with the remedy; None if it can."""
    package = _reached(learner) if is_other_frame(X) else None
    if package is None:
        return None
    schema = nw.from_native(X, eager_only=True).schema
    taken = (nw.Categorical, nw.Enum) if package == "xgboost" else ()
    for name, dtype in schema.items():
        if not dtype.is_numeric() and dtype != nw.Boolean and not any(dtype == of for of in taken):
            return (
                f"gives {package} the column {name!r} of the type {dtype.base_type().__name__}, which it does not take "
                "from polars: give X.to_pandas(), with categories, or put heldout.preprocessing.auto before it"
            )
    return None


def _reached(learner: Any) -> str | None:
    """The package of the booster that gets the columns as they are; None for other learners."""
    if (package := type(learner).__module__.partition(".")[0]) in ("lightgbm", "xgboost"):
        return package
    if hasattr(learner, "steps"):
        return _reached(learner.steps[0][1]) if len(learner.steps) == 1 else None
    inner = learner.get_params(deep=False).values()
    nested = [
        item[1] for of in inner if isinstance(of, list) for item in of if isinstance(item, tuple) and len(item) > 1
    ]
    parts = [one for one in (*inner, *nested) if hasattr(one, "fit") and not isinstance(one, type)]
    return next((package for package in map(_reached, parts) if package is not None), None)
