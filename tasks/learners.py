"""From the import path of a learner to an unfitted estimator, and what can be wrong with it."""

import difflib
import hashlib
import importlib
import inspect
import sysconfig
from pathlib import Path
from typing import Any

AUTO = "auto"  # in place of an import path: the project's own preprocessing


def build(estimator: str, params: dict[str, Any], preprocess: str | None, family: dict[str, Any] | None = None) -> Any:
    """The unfitted estimator with its settings, as a family if it is one, behind `preprocess` if there is one."""
    learner = resolve(estimator)(**params)
    if family is not None:
        from heldout.family import Family, check

        check(learner, family["parameter"], family["values"])
        learner = Family(learner, family["parameter"], family["values"])
    if preprocess is None:
        return learner
    from sklearn.pipeline import make_pipeline

    if preprocess == AUTO:
        from heldout.preprocessing import auto

        return make_pipeline(auto(learner), learner)
    return make_pipeline(resolve(preprocess)(), learner)


def resolve(path: str) -> Any:
    """The object at an import path. Raises ValueError that names the nearest valid one."""
    module_name, _, name = path.rpartition(".")
    if not module_name:
        raise ValueError(f"{path!r} is not an import path; write it as in sklearn.svm.SVC")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # a user's own module may raise anything
        raise ValueError(f"{path!r} cannot be imported ({error}); write it as in sklearn.svm.SVC") from None
    try:
        return getattr(module, name)
    except AttributeError:
        near = difflib.get_close_matches(name, [other for other in dir(module) if not other.startswith("_")], n=1)
        hint = f"; did you mean {module_name}.{near[0]}?" if near else ""
        raise ValueError(f"{path!r} cannot be imported: {module_name} has no {name!r}{hint}") from None


def own_source(*paths: str | None) -> list[str]:
    """The hash of each module that is no installed package: its text decides what a learner is."""
    installed = tuple({sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib")})
    found = []
    for path in paths:
        if path is None or path == AUTO:
            continue
        file = getattr(importlib.import_module(path.rpartition(".")[0]), "__file__", None)
        if file is not None and not file.startswith(installed):
            found.append(hashlib.sha256(Path(file).read_bytes()).hexdigest())
    return found


def check(estimator: str, params: dict[str, Any], preprocess: str | None, family: dict[str, Any] | None = None) -> None:
    """Raise ValueError for an unknown path, an unknown or bad parameter, or something that cannot fit."""
    constructor = resolve(estimator)
    if not callable(constructor):
        raise ValueError(f"estimator {estimator!r} is no class")
    for name in params:
        known = _parameters(constructor)
        if known is not None and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"
            raise ValueError(f"params.{name} is not a parameter of {estimator}; {hint}")
    try:
        learner = build(estimator, params, preprocess, family)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{estimator} refuses its params: {error}") from None
    if preprocess is not None and not hasattr(learner.steps[0][1], "transform"):
        raise ValueError(f"preprocess {preprocess!r} is no transformer: it lacks transform")
    if not all(hasattr(learner, method) for method in ("fit", "predict", "get_params", "set_params")):
        raise ValueError(f"{estimator} is no scikit-learn learner: it lacks fit, predict, get_params or set_params")
    _check_values(learner if preprocess is None else learner.steps[-1][1])


def _parameters(constructor: Any) -> list[str] | None:
    """The names that a constructor takes, or None if it takes any."""
    parameters = inspect.signature(constructor).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]


def _check_values(learner: Any) -> None:
    # scikit-learn checks values at fit; the same check, asked for early, spares every fit
    if hasattr(learner, "path_values"):
        for one in learner.path_values():
            _check_values(one)
    elif hasattr(learner, "_parameter_constraints"):
        learner._validate_params()
