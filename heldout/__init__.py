"""heldout: which model, how large its true error is, how far to trust that, under which assumption.

The science alone: arrays, an estimator and a seed in, frozen records out. Importing it loads
neither scikit-learn nor the pipeline; `validate` and the hypotheses load what they need when they are asked for.

    v = heldout.validate({"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier()}, X, y, seed=0)
    print(v)
    v.select(criterion="E_cv", rule="one_standard_error")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.family import TunedEstimator
    from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
    from heldout.validated import Validation
    from heldout.validation import validate

__all__ = ["KFoldHypothesis", "ProgressiveHypothesis", "TunedEstimator", "Validation", "validate"]

_HOMES = {
    "KFoldHypothesis": "heldout.hypotheses",
    "ProgressiveHypothesis": "heldout.hypotheses",
    "TunedEstimator": "heldout.family",
    "Validation": "heldout.validated",
    "validate": "heldout.validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heldout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
