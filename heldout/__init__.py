"""heldout: which model to choose, how large its true error is, how sure that is, and under which assumption.

The mathematics alone: arrays, an estimator and a seed in, frozen records out. `import heldout` loads
neither scikit-learn nor the pipeline; each public name loads what it needs at its first use.

    v = heldout.validate({"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier()}, X, y, seed=0)
    print(v)
    v.select(criterion="E_cv", rule="one_standard_error")
    print(heldout.audit(X, y))
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.extensions import allow
    from heldout.family import TunedEstimator
    from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
    from heldout.learners.search import search
    from heldout.metrics.metrics_of import metrics_of
    from heldout.notebook.audit import audit
    from heldout.notebook.from_predictions import from_predictions
    from heldout.notebook.load import load
    from heldout.notebook.result import Validation
    from heldout.notebook.validate import validate

__version__ = "0.2.0"
__all__ = [
    "KFoldHypothesis",
    "ProgressiveHypothesis",
    "TunedEstimator",
    "Validation",
    "allow",
    "audit",
    "from_predictions",
    "load",
    "metrics_of",
    "search",
    "validate",
]

_MODULES = {
    "KFoldHypothesis": "heldout.hypotheses",
    "ProgressiveHypothesis": "heldout.hypotheses",
    "TunedEstimator": "heldout.family",
    "Validation": "heldout.notebook.result",
    "allow": "heldout.extensions",
    "audit": "heldout.notebook.audit",
    "from_predictions": "heldout.notebook.from_predictions",
    "load": "heldout.notebook.load",
    "metrics_of": "heldout.metrics.metrics_of",
    "search": "heldout.learners.search",
    "validate": "heldout.notebook.validate",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    if not name.startswith("_") and find_spec(f"heldout.{name}") is not None:  # heldout.preprocessing.auto
        return import_module(f"heldout.{name}")
    raise AttributeError(f"module 'heldout' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
